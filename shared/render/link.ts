const longestLink = 2000;

/**
 * The address as a link may carry it: http or https, no user information, only characters that
 * end no link in any format; `&` still needs the format's own escape. undefined for everything else, `javascript:` and `data:` first of all.
 */
export function linkTo(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return undefined;
  if (url.username !== '' || url.password !== '' || url.href.length > longestLink) return undefined;
  return url.href.replace(/[^\w!#$%&+,\-./:;=?@~]/g, encodeURIComponentStrictly);
}

/** Percent-encodes as RFC 3986 reserves, with `!'()*` too; half a surrogate pair becomes U+FFFD. */
export function encodeURIComponentStrictly(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
