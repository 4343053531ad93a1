import { withoutFragment } from '#shared/targets/without-fragment';

const redirectStatuses: readonly number[] = [301, 302, 303, 307, 308];

/** True for the statuses that browsers follow (Fetch Standard, redirect status). */
export function isRedirect(status: number): boolean {
  return redirectStatuses.includes(status);
}

/** A page that sends its visitor on within 5 s is a redirect to them; one that stays longer is read. */
export const shownForS = 5;

/**
 * Characters of an address that is followed; of a longer one the evidence keeps the beginning. Chromium and curl follow 64 kB and more.
 * Twice what most servers take (Apache 8,190 characters of request line, nginx 8,192) leaves room for 21 of them in one report.
 */
export const addressLimit = 16_384;

/** Characters that RFC 9110 §4.1 asks everybody to support; many servers and proxies refuse more. */
export const usualAddress = 8000;

/** True when a refresh leads to the page it stands on; "" does so by itself. */
export function isSamePage(to: string, url: string): boolean {
  return to === '' || withoutFragment(to) === withoutFragment(url);
}

/** Redirects that a site needs: one for the scheme and one for the host. */
export const comfortableRedirects = 2;
