import { withoutFragment } from './location.ts';

const redirectStatuses: readonly number[] = [301, 302, 303, 307, 308];

/** True for the statuses that browsers follow (Fetch Standard, redirect status). */
export function isRedirect(status: number): boolean {
  return redirectStatuses.includes(status);
}

/** A page that sends its visitor on within 5 s is a redirect to them; one that stays longer is read. */
export const shownForS = 5;

/** Characters of an address that is followed; of a longer one the evidence keeps the beginning. */
export const addressLimit = 8192;

/** True when a refresh leads to the page it stands on; "" does so by itself. */
export function isSamePage(to: string, url: string): boolean {
  return to === '' || withoutFragment(to) === withoutFragment(url);
}

/** Redirects that a site needs: one for the scheme and one for the host. */
export const comfortableRedirects = 2;
