/**
 * Resolves a Location as sent (each byte one character) against the address of its hop, as a browser does: its bytes are UTF-8,
 * user information is dropped, a fragment is not sent on.
 * @returns undefined where it is no URL
 */
export function resolveLocation(value: string, base: string): URL | undefined {
  const text = Buffer.from(value, 'latin1').toString('utf8');
  const url = URL.parse(text, base);
  if (!url) return undefined;
  url.username = '';
  url.password = '';
  url.hash = '';
  return url;
}

/** Hides user information at the front of an address: reports are kept and handed on. */
export function maskCredentials(value: string): string {
  const slashes = value.indexOf('//');
  if (slashes < 0 || !/^(?:[a-z][a-z0-9+.-]*:)?$/i.test(value.slice(0, slashes))) return value;
  const authority = value.slice(slashes + 2).split(/[/?#\\]/, 1)[0] ?? '';
  const at = authority.lastIndexOf('@');
  return at < 0 ? value : `${value.slice(0, slashes + 2)}***${value.slice(slashes + 2 + at)}`;
}
