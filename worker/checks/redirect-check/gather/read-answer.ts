import type { Work } from '../../../probes/work.ts';
import { seeBodySigns } from '../../../web/block-page.ts';
import { type HeaderLine, indexFields, valuesOf } from '../../../web/fields.ts';
import { resolveLocation } from '../../../web/location.ts';
import { maskHeaders, maskUrls } from '../../../web/mask-credentials.ts';
import { oncePerAnswer } from '../../../web/once-per-answer.ts';
import { findRefresh, isReadPage } from '../../../web/page-refresh.ts';
import { addressLimit } from '../../../web/redirect.ts';
import { type HttpResponse, seeLocation } from '../../../web/walk.ts';
import type { HopAnswer } from '../evidence.ts';
import { findCanonical } from './link-field.ts';
import { type HtmlObservation, readPage } from './read-page.ts';

/** What an answer says, as evidence, and its refresh in full, to be followed. */
export const readAnswer = oncePerAnswer(readOnce);

async function readOnce(
  answer: HttpResponse,
  url: string,
  work: Work,
): Promise<{ readonly seen: HopAnswer; readonly refresh: HopAnswer['refresh'] }> {
  const { status, body, address, timings, tls } = answer;
  const fields = indexFields(answer.headers);
  const page = isReadPage(answer, fields) ? await readPage(body.text, url, work) : null;
  const refresh = findRefresh({ status, fields }, page?.refresh ?? null, url);
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
    page: page && keepPage(page),
    headers: maskHeaders(keepHeaders(answer.headers), url),
    bodySigns: seeBodySigns(body.text, url),
    ...(answer.malformed === undefined ? {} : { malformed: answer.malformed }),
    bodyCut: body.cut ?? null,
  };
  return { seen, refresh };
}

function keepPage({ setsAddress, scriptTarget, cut }: HtmlObservation): NonNullable<HopAnswer['page']> {
  return { setsAddress, scriptTarget: shorten(scriptTarget), ...(cut === undefined ? {} : { cut }) };
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

function resolveOwn(reference: string | null, url: string): string | undefined {
  return reference === null ? undefined : resolveLocation(reference, url)?.url.href;
}
