import type { PageSight } from '../../../probes/browser/port.ts';
import { withoutFragment } from '../../../web/location.ts';
import { isRedirect } from '../../../web/redirect.ts';
import { readRequests } from './load.ts';

/** The page that came first, after redirects by status, and the page on which the browser ended. */
export type SentOn = { readonly from: string; readonly to: string };

/**
 * Where a page itself sent the browser on as it loaded: by script, or by a refresh.
 * @returns null where the browser stayed on the first page; undefined where that was not seen: the requests are not there, or the address in
 * the browser's bar belongs to none of them, as scripts may change it without a request
 */
export function readSentOn(page: PageSight): SentOn | null | undefined {
  const documents = readRequests(page)?.first.filter(({ type, status }) => type === 'Document' && status > 0);
  const pages = (documents ?? []).filter(({ status }) => !isRedirect(status));
  const [first, ...later] = pages.map(({ url }) => withoutFragment(url));
  const to = URL.canParse(page.finalUrl) ? withoutFragment(page.finalUrl) : undefined;
  if (first === undefined || to === undefined) return undefined;
  if (first === to) return null;
  return later.includes(to) ? { from: first, to } : undefined;
}
