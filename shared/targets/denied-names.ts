/** Names that their owners asked the operator never to check, each with all names below it. */
export type DeniedNames = {
  /** True for a host name that is on the list or below one that is, in any letter case, with or without the last dot. */
  covers(host: string): boolean;
  /** True for an empty list, so that a caller can skip `covers`. */
  isEmpty(): boolean;
  /** A number that changes with the list. */
  revision(): number;
};

/** How a refusal describes such a name: the end of a clause. */
export const deniedWhy = 'is on the list of names that this service does not check';

/**
 * True if the name, or one above it, is in the set.
 * @param names in lower-case ASCII without the last dot
 */
export function isAtOrBelow(host: string, names: ReadonlySet<string>): boolean {
  if (names.size === 0) return false;
  let rest = host.toLowerCase().replace(/\.$/, '');
  while (rest !== '') {
    if (names.has(rest)) return true;
    const dot = rest.indexOf('.');
    rest = dot < 0 ? '' : rest.slice(dot + 1);
  }
  return false;
}

/** The host of a target in normal form: a domain, or a URL. */
export function hostOfTarget(target: string): string {
  return target.includes('://') ? (URL.parse(target)?.hostname ?? '') : target;
}
