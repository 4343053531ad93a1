import { seeBodySigns } from '../../../web/block-page.ts';
import { type HeaderLine, indexFields, valuesOf } from '../../../web/fields.ts';
import { resolveLocation } from '../../../web/location.ts';
import { maskHeaders, maskUrls } from '../../../web/mask-credentials.ts';
import { addressLimit } from '../../../web/redirect.ts';
import { parseRefresh } from '../../../web/refresh.ts';
import { type HttpResponse, seeLocation } from '../../../web/walk.ts';
import type { HopAnswer } from '../evidence.ts';
import { findCanonical } from './link-field.ts';
import { type PageSeen, readPage, resolveRefresh } from './read-page.ts';

/** What an answer says, as evidence, and its refresh in full, to be followed. */
export function readAnswer(
  answer: HttpResponse,
  url: string,
): { readonly seen: HopAnswer; readonly refresh: HopAnswer['refresh'] } {
  const { status, body, address, timings, tls } = answer;
  const fields = indexFields(answer.headers);
  const isRead = body.cut !== 'not-read';
  const page = isRead && isHtml(valuesOf(fields, 'content-type')) ? readPage(body.text, url) : null;
  const refresh = findRefresh(valuesOf(fields, 'refresh'), page, url);
  const canonical = resolveOwn(findCanonical(valuesOf(fields, 'link')), url) ?? page?.canonical ?? null;
  const seen: HopAnswer = {
    kind: 'response',
    status,
    locations: valuesOf(fields, 'location').map((value) => seeLocation(value, url)),
    address,
    timings,
    tls,
    hsts: shorten(valuesOf(fields, 'strict-transport-security')[0] ?? null),
    refresh: refresh && { ...refresh, to: shorten(refresh.to) },
    canonical: shorten(canonical),
    page: page && { setsAddress: page.setsAddress, scriptTarget: shorten(page.scriptTarget) },
    headers: maskHeaders(keepHeaders(answer.headers), url),
    bodySigns: seeBodySigns(body.text),
    bodyCut: body.cut ?? null,
  };
  return { seen, refresh };
}

/** Of a hop whose headers are longer the beginning is kept: a chain has 21 hops, and a report an end. */
const headerBudget = 16_384;

function keepHeaders(headers: readonly HeaderLine[]): HeaderLine[] {
  let left = headerBudget;
  return headers.slice(0, 500).flatMap(([name, value]): HeaderLine[] => {
    left -= name.length + value.length;
    return left < 0 ? [] : [[name, value]];
  });
}

function shorten<Text extends string | null>(text: Text): Text {
  return (text === null ? null : maskUrls(text).slice(0, addressLimit)) as Text;
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

function resolveOwn(reference: string | null, url: string): string | undefined {
  return reference === null ? undefined : resolveLocation(reference, url)?.url.href;
}

function isHtml(contentTypes: readonly string[]): boolean {
  return contentTypes.some((value) => /^\s*(?:text\/html|application\/xhtml\+xml)(?:[\s;]|$)/i.test(value));
}
