import type { RedirectVia } from '../../../shared/catalogue/redirect-check/report.ts';
import type { HttpAnswer } from '../../probes/http/port.ts';
import type { HopAnswer, LocationSeen } from './evidence.ts';
import { findCanonical } from './link-field.ts';
import {
  decodeLocation,
  inheritFragment,
  maskCredentials,
  resolveLocation,
  withoutFragment,
} from './read-location.ts';
import { type PageSeen, readPage, resolveRefresh } from './read-page.ts';
import { parseRefresh } from './refresh.ts';

/** The statuses that browsers follow (Fetch Standard, redirect status). */
export const redirectStatuses: readonly number[] = [301, 302, 303, 307, 308];

/** A page that sends its visitor on within 5 s is a redirect to them. */
export const shownForS = 5;

/** Characters of an address; of a longer one the evidence keeps the beginning, and it is not followed. */
export const locationLimit = 8192;

export type HttpResponse = Extract<HttpAnswer, { kind: 'response' }>;

/** Where an answer sends the visitor: nowhere, to a text that is no URL, or to an address. */
export type Lead =
  | { readonly kind: 'none' }
  | { readonly kind: 'invalid' }
  | { readonly kind: 'url'; readonly url: URL; readonly via: RedirectVia };

/** What an answer says, as evidence, and where it leads. */
export function readAnswer(
  answer: HttpResponse,
  url: string,
): { readonly seen: HopAnswer; readonly lead: Lead } {
  const valuesOf = (name: string) =>
    answer.headers.filter(([found]) => found.toLowerCase() === name).map(([, value]) => value);
  const locations = valuesOf('location').map(decodeLocation);
  const isRead = answer.body.cut !== 'not-read';
  const page = isRead && isHtml(valuesOf('content-type')) ? readPage(answer.body.text, url) : null;
  const refresh = findRefresh(valuesOf('refresh'), page, url);
  const canonical = resolveOwn(findCanonical(valuesOf('link')), url) ?? page?.canonical ?? null;
  const seen: HopAnswer = {
    kind: 'response',
    status: answer.status,
    locations: locations.map((location) => showLocation(location, url)),
    address: answer.address,
    timings: answer.timings,
    tls: answer.tls,
    hsts: valuesOf('strict-transport-security'),
    refresh: refresh && { ...refresh, to: refresh.to.slice(0, locationLimit) },
    canonical: canonical?.slice(0, locationLimit) ?? null,
    page: page && { setsAddress: page.setsAddress },
    bodyCut: answer.body.cut ?? null,
  };
  const lead = redirectStatuses.includes(answer.status)
    ? leadOfLocations(
        locations.map(({ text }) => text),
        url,
      )
    : leadOfRefresh(refresh, url);
  return { seen, lead };
}

function showLocation({ text, isUtf8 }: ReturnType<typeof decodeLocation>, url: string): LocationSeen {
  return {
    text: maskCredentials(text, url).slice(0, locationLimit),
    isUtf8,
    hasCredentials: resolveLocation(text, url)?.hadCredentials === true,
  };
}

// A field stands before every element of the page, and the first that can be read wins (HTML Standard, shared declarative refresh steps).
function findRefresh(fields: readonly string[], page: PageSeen | null, url: string): HopAnswer['refresh'] {
  const field = parseRefresh(fields[0] ?? '');
  const header = field ? resolveRefresh(field, url) : null;
  if (header) return { via: 'refresh-header', seconds: header.seconds, to: header.target };
  return page?.refresh
    ? { via: 'meta-refresh', seconds: page.refresh.seconds, to: page.refresh.target }
    : null;
}

function leadOfLocations(locations: readonly string[], url: string): Lead {
  // The first that is not empty, as Chromium's HttpResponseHeaders::IsRedirect takes it.
  const location = locations.find((text) => text !== '');
  if (location === undefined) return { kind: 'none' };
  const resolved = resolveLocation(location, url);
  return resolved
    ? { kind: 'url', url: inheritFragment(resolved.url, url), via: 'http' }
    : { kind: 'invalid' };
}

// A page that only reloads itself sends nobody on.
function leadOfRefresh(refresh: HopAnswer['refresh'], url: string): Lead {
  if (!refresh || refresh.seconds > shownForS || isSamePage(refresh.to, url)) return { kind: 'none' };
  return { kind: 'url', url: new URL(refresh.to), via: refresh.via };
}

/** True when a refresh leads to the page it stands on; "" does so by itself. */
export function isSamePage(to: string, url: string): boolean {
  return to === '' || withoutFragment(to) === withoutFragment(url);
}

function resolveOwn(reference: string | null, url: string): string | undefined {
  return reference === null ? undefined : resolveLocation(reference, url)?.url.href;
}

function isHtml(contentTypes: readonly string[]): boolean {
  return contentTypes.some((value) => /^\s*(?:text\/html|application\/xhtml\+xml)(?:[\s;]|$)/i.test(value));
}
