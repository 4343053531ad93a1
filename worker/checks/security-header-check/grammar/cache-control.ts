import { splitValues, trimSpaces } from '../../../web/fields.ts';

/** Cache-Control: directive in lower case → its value, null where it has none. */
export type CacheControl = ReadonlyMap<string, string | null>;

/** Parses all Cache-Control lines (RFC 9111 §5.2). */
export function parseCacheControl(lines: readonly string[]): CacheControl {
  const directives = new Map<string, string | null>();
  for (const piece of splitValues(lines)) {
    const equals = piece.indexOf('=');
    const name = trimSpaces(equals < 0 ? piece : piece.slice(0, equals)).toLowerCase();
    if (name !== '' && !directives.has(name))
      directives.set(name, equals < 0 ? null : trimSpaces(piece.slice(equals + 1)).replaceAll('"', ''));
  }
  return directives;
}

/** True where a shared cache may keep the answer though it sets a cookie: public, or a positive s-maxage, and nothing against it. */
export function isSharedCacheable(directives: CacheControl): boolean {
  if (['private', 'no-store', 'no-cache'].some((word) => directives.has(word))) return false;
  const shared = directives.get('s-maxage');
  const isShared = shared != null && /^\d+$/.test(shared) && Number(shared) > 0;
  return isShared || (directives.has('public') && directives.get('max-age') !== '0');
}
