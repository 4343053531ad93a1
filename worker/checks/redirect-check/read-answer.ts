import type { RedirectVia } from '../../../shared/catalogue/redirect-check/report.ts';
import type { HttpAnswer } from '../../probes/http/port.ts';
import type { HopAnswer, LocationSeen } from './evidence.ts';
import { addressLimit, isRedirect, isSamePage, shownForS } from './follow.ts';
import { findCanonical } from './link-field.ts';
import { decodeLocation, inheritFragment, maskCredentials, resolveLocation } from './read-location.ts';
import { type PageSeen, readPage, resolveRefresh } from './read-page.ts';
import { parseRefresh } from './refresh.ts';

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
  const { status, body, address, timings, tls } = answer;
  const valuesOf = (name: string) =>
    answer.headers.filter(([found]) => found.toLowerCase() === name).map(([, value]) => value);
  const locations = valuesOf('location').map(decodeLocation);
  const isRead = body.cut !== 'not-read';
  const page = isRead && isHtml(valuesOf('content-type')) ? readPage(body.text, url) : null;
  const refresh = findRefresh(valuesOf('refresh'), page, url);
  const seen: HopAnswer = {
    kind: 'response',
    status,
    locations: locations.map((location) => showLocation(location, url)),
    address,
    timings,
    tls,
    hsts: shorten(valuesOf('strict-transport-security')[0] ?? null),
    refresh: refresh && { ...refresh, to: refresh.to.slice(0, addressLimit) },
    canonical: shorten(resolveOwn(findCanonical(valuesOf('link')), url) ?? page?.canonical ?? null),
    page: page && { setsAddress: page.setsAddress },
    bodyCut: body.cut ?? null,
  };
  // The first that is not empty, as Chromium's HttpResponseHeaders::IsRedirect takes it; without one, a redirect is a page.
  const location = isRedirect(status) ? locations.find(({ text }) => text !== '') : undefined;
  return { seen, lead: location ? leadOfLocation(location.text, url) : leadOfRefresh(refresh, url) };
}

function shorten(text: string | null): string | null {
  return text === null ? null : text.slice(0, addressLimit);
}

function showLocation({ text, isUtf8 }: ReturnType<typeof decodeLocation>, url: string): LocationSeen {
  return {
    text: maskCredentials(text, url).slice(0, addressLimit),
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

function leadOfLocation(location: string, url: string): Lead {
  const resolved = resolveLocation(location, url);
  if (!resolved) return { kind: 'invalid' };
  return { kind: 'url', url: inheritFragment(resolved.url, url), via: 'http' };
}

// A page that only reloads itself sends nobody on.
function leadOfRefresh(refresh: HopAnswer['refresh'], url: string): Lead {
  if (!refresh || refresh.seconds > shownForS || isSamePage(refresh.to, url)) return { kind: 'none' };
  return { kind: 'url', url: new URL(refresh.to), via: refresh.via };
}

function resolveOwn(reference: string | null, url: string): string | undefined {
  return reference === null ? undefined : resolveLocation(reference, url)?.url.href;
}

function isHtml(contentTypes: readonly string[]): boolean {
  return contentTypes.some((value) => /^\s*(?:text\/html|application\/xhtml\+xml)(?:[\s;]|$)/i.test(value));
}
