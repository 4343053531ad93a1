/**
 * A header value of latin1 characters as the text that browsers see: UTF-8 where it is,
 * else each byte above 0x7f percent-encoded.
 */
export function decodeLocation(value: string): { readonly text: string; readonly isUtf8: boolean } {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return { text: decoder.decode(Buffer.from(value, 'latin1')), isUtf8: true };
  } catch {
    const text = value.replace(
      /[\u0080-\u00ff]/g,
      (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
    );
    return { text, isUtf8: false };
  }
}

/** A reference resolved as browsers do, without user information. */
export type Resolved = { readonly url: URL; readonly hadCredentials: boolean };

/** Resolves a reference against the address of its hop (WHATWG URL); undefined where it is not a URL. */
export function resolveLocation(location: string, base: string): Resolved | undefined {
  if (!URL.canParse(location, base)) return undefined;
  const url = new URL(location, base);
  const hadCredentials = url.username !== '' || url.password !== '';
  url.username = '';
  url.password = '';
  return { url, hadCredentials };
}

/** Gives the fragment of a hop to where its Location leads, if that has none of its own (RFC 9110 §10.2.2); "#" alone is one. */
export function inheritFragment(url: URL, base: string): URL {
  const heir = new URL(url);
  if (!heir.href.includes('#')) heir.hash = new URL(base).hash;
  return heir;
}
