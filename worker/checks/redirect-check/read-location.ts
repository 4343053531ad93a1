/**
 * A header value of latin1 characters as the text that browsers see: UTF-8 where it is,
 * else each byte above 0x7f percent-encoded.
 */
export function decodeLocation(value: string): string {
  const bytes = Buffer.from(value, 'latin1');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return value.replace(
      /[\u0080-\u00ff]/g,
      (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
    );
  }
}

/** Hides user information: reports are kept and handed on. */
export function maskCredentials(location: string): string {
  return location.replace(
    /^([a-z][a-z0-9+.-]*:)?\/\/[^/?#]*@/i,
    (authority) => `${authority.slice(0, authority.indexOf('//'))}//***@`,
  );
}

/** Resolves a reference against the address of its hop, without user information; the fragment is inherited (RFC 9110 §10.2.2). */
export function resolveLocation(
  location: string,
  base: string,
): { readonly url: URL; readonly hadCredentials: boolean } | undefined {
  if (!URL.canParse(location, base)) return undefined;
  const url = new URL(location, base);
  if (url.hash === '') url.hash = new URL(base).hash;
  const hadCredentials = url.username !== '' || url.password !== '';
  url.username = '';
  url.password = '';
  return { url, hadCredentials };
}

/** The target of rel="canonical" in a Link field (RFC 8288), unresolved. */
export function readCanonicalLink(values: readonly string[]): string | null {
  for (const value of values) {
    for (const [, target = '', parameters = ''] of value.matchAll(/<([^>]*)>([^<]*)/g)) {
      if (/;\s*rel\s*=\s*(?:"[^"]*\bcanonical\b[^"]*"|canonical\b)/i.test(parameters)) return target;
    }
  }
  return null;
}
