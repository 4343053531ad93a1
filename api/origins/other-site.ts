import type { IncomingHttpHeaders } from 'node:http';
import { isLoopback, nameOfHost } from '#shared/lifecycle/known-host';
import { Problem } from '#shared/model/problem';
import type { Config } from '#shared/settings/config';
import { isAddress } from '#shared/targets/classify-address';

/** True where a page of another site made its visitor's browser send this request, and CORS_ORIGINS does not let that page. */
export type IsFromOtherSite = (headers: IncomingHttpHeaders) => boolean;

/** `none`: the visitor typed the address or opened a bookmark (Fetch Metadata §2.3). */
const ownSites = ['same-origin', 'same-site', 'none'];

/**
 * Makes what tells requests that another site's page caused. Browsers say so in Sec-Fetch-Site, over https and to loopback. Over plain
 * http they send only Origin, and that not with pictures, frames and links: those cannot be told from a visitor's own.
 * A page whose Origin is listed is let in where it reads the answer itself (mode `cors`). A GET has an Origin in no other mode, so where
 * the browser sends no Sec-Fetch fields the Origin is enough.
 */
export function openOtherSiteCheck({
  CORS_ORIGINS = [],
  PUBLIC_URL,
}: Pick<Config, 'CORS_ORIGINS' | 'PUBLIC_URL'>): IsFromOtherSite {
  const isAny = CORS_ORIGINS.includes('*');
  const isOwnOrigin = openOwnOrigin(PUBLIC_URL);
  return ({ origin, host, 'sec-fetch-site': site, 'sec-fetch-mode': mode }) => {
    const isOwn =
      site === undefined
        ? origin === undefined || isOwnOrigin(origin, host)
        : ownSites.includes(String(site));
    if (isOwn) return false;
    const isListed = origin !== undefined && (isAny || CORS_ORIGINS.includes(origin));
    const isCors = mode === 'cors' || (mode === undefined && site === undefined);
    return !(isListed && isCors);
  };
}

/**
 * Makes what tells our own pages by their Origin: that of PUBLIC_URL, a loopback name, and an address that the request names as its Host
 * too. Any other name can be pointed at us by its owner, and any other address can be a stranger's server.
 */
function openOwnOrigin(publicUrl: string | undefined): (origin: string, host: string | undefined) => boolean {
  const own = publicUrl === undefined ? undefined : nameOfHost(new URL(publicUrl).host);
  return (origin, host = '') => {
    const url = URL.parse(origin);
    if (!url || !/^https?:$/.test(url.protocol)) return false;
    const name = nameOfHost(url.host);
    return name === own || isLoopback(name) || (isAddress(name) && name === nameOfHost(host));
  };
}

/** True where a POST came from a page of ours, or from no page at all. */
export type IsOwnPage = (headers: IncomingHttpHeaders) => boolean;

/**
 * Makes what tells the POSTs of our own pages. CORS_ORIGINS has no say: it lets pages read the API, and these start work in the name of the
 * visitor. A client that is no browser sends neither field.
 */
export function openOwnPageCheck({ PUBLIC_URL }: Pick<Config, 'PUBLIC_URL'>): IsOwnPage {
  const isOwnOrigin = openOwnOrigin(PUBLIC_URL);
  return ({ origin, host, 'sec-fetch-site': site }) =>
    site === undefined ? origin === undefined || isOwnOrigin(origin, host) : site === 'same-origin';
}

/** True where a POST of a program came from no page, from one of ours, or from one whose Origin the operator named. */
export type IsProgram = (headers: IncomingHttpHeaders) => boolean;

/**
 * Makes what tells the POSTs of programs from those that a page of another site made its visitor send. The Origin has to be listed itself:
 * `*` lets every page read, and these start work with what the visitor's machine can reach.
 */
export function openProgramCheck(config: Pick<Config, 'CORS_ORIGINS' | 'PUBLIC_URL'>): IsProgram {
  const isOwnPage = openOwnPageCheck(config);
  const { CORS_ORIGINS = [] } = config;
  return (headers) => {
    const { origin, 'sec-fetch-mode': mode, 'sec-fetch-site': site } = headers;
    if (isOwnPage(headers)) return true;
    const isCors = mode === 'cors' || (mode === undefined && site === undefined);
    return isCors && origin !== undefined && origin !== '*' && CORS_ORIGINS.includes(origin);
  };
}

/** What a form of another site's page gets. */
export function foreignForm(): Problem {
  return new Problem(
    'cross_site_request',
    'A page of another site sent this form, so nothing was started. Open the first page of this service and enter the domain or URL there.',
  );
}

/**
 * Throws for a request that a page of another site made its visitor send, and that would change something. A token is never sent for such a
 * page: that takes a preflight, and CORS decides.
 */
export function refuseOtherSite(isFromOtherSite: IsFromOtherSite, headers: IncomingHttpHeaders): void {
  if (headers.authorization !== undefined || !isFromOtherSite(headers)) return;
  throw new Problem(
    'cross_site_request',
    'A page of another site made this request, so nothing was changed. Send it from a program, or from a page of this service.',
  );
}

/** What a page of another site gets where only programs may ask. */
export function foreignProgram(): Problem {
  return new Problem(
    'cross_site_request',
    'A page of another site sent this message, so it was not read. Send it from a program, or ask the operator to list your origin in CORS_ORIGINS.',
  );
}

/** What such a request gets where an answer would take a new run. */
export function crossSiteRequest(): Problem {
  return new Problem(
    'cross_site_request',
    'A page of another site made this request, so it gets stored reports only, and none is fresh. Open the address yourself, or send it from a program.',
  );
}
