import { siteOf } from '#shared/targets/parse-target';
import { cleanAddress } from '../../../probes/browser/clean-address.ts';
import type { PageObservation } from '../../../probes/browser/port.ts';
import { isRedirect } from '../../../web/redirect.ts';
import { readRequests } from './requests.ts';

/** The page that came first, after redirects by status, and the page on which the browser ended. */
export type SentOn = { readonly from: string; readonly to: string };

/**
 * Where a page itself sent the browser on as it loaded: by script, or by a refresh.
 * @param asked the address that was to be checked
 * @returns null where the browser stayed on the first page; undefined where that was not seen: the requests are not there, or the address in
 * the browser's bar belongs to none of them, as scripts may change it without a request
 */
export function readSentOn(page: PageObservation, asked: string): SentOn | null | undefined {
  const documents = readRequests(page)?.entries.filter(
    ({ type, status }) => type === 'Document' && status > 0,
  );
  const pages = (documents ?? []).filter(({ status }) => !isRedirect(status));
  // The addresses of requests are without what may be a secret, so all are compared so.
  const site = siteOf(new URL(asked).hostname);
  const [first, ...later] = pages.map(({ url }) => cleanAddress(url, site));
  const to = URL.canParse(page.finalUrl) ? cleanAddress(page.finalUrl, site) : undefined;
  if (first === undefined || to === undefined) return undefined;
  if (first === to) return null;
  return later.includes(to) ? { from: first, to } : undefined;
}
