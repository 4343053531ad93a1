/** Names that the operator has been asked never to check, each with all below it. */
export type DeniedNames = {
  /** True for a host name on the list, or below one that is; in any case, with or without the last dot. */
  covers(host: string): boolean;
  /** True for a list without names: nobody need ask it about any. */
  isEmpty(): boolean;
  /** Another number after each change of the list. */
  revision(): number;
};

/** What a refusal says of such a name, as the end of a clause. */
export const deniedWhy = 'is on the list of names that this service does not check';

/** True where the name, or one above it, is in the set. @param names in lower-case ASCII without the last dot */
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

/** The host of a target as reports and jobs have it: a domain, or a URL in normal form. */
export function hostOfTarget(target: string): string {
  return target.includes('://') ? (URL.parse(target)?.hostname ?? '') : target;
}
