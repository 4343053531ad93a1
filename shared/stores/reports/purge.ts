/** Which reports are to be deleted: all of an account, all of a target, or all that were made before a time (Unix ms). */
export type PurgeWish =
  | { readonly account: string }
  | { readonly target: string }
  | { readonly madeBefore: number };

/** How many rows were deleted. */
export type Purged = { readonly reports: number; readonly grants: number; readonly blobs: number };

/** Rows deleted in one step. */
export const purgeBatch = 500;

/**
 * Makes the judgement whether a stored target belongs to the one that is named.
 * @param name a domain: it, the names below it, and URLs of all of them; or a URL: that one alone
 */
export function targetMatcher(name: string): (target: string) => boolean {
  if (name.includes('://')) return (target) => target === name;
  return (target) => {
    const host = URL.canParse(target) ? new URL(target).hostname : target;
    return host === name || host.endsWith(`.${name}`);
  };
}
