import type { Token } from 'parse5';
import type { RedirectVia } from '#shared/catalogue/redirect-check/report';
import type { Work } from '../probes/work.ts';
import { isBlockSign, seeBodySigns } from './block-page.ts';
import { isDownload, isHtml, parseContentType } from './content-type.ts';
import { type Fields, indexFields, valuesOf } from './fields.ts';
import { resolveLocation } from './location.ts';
import { attributeOfTag, readTags } from './page-tags.ts';
import { isSamePage, shownForS } from './redirect.ts';
import { parseRefresh, type Refresh } from './refresh.ts';
import type { HttpResponse, PageLead } from './walk.ts';

/** The one refresh of an answer that browsers obey. `to` is resolved; "" is the page itself. */
export type AnswerRefresh = {
  readonly via: Exclude<RedirectVia, 'http'>;
  readonly seconds: number;
  readonly to: string;
};

/** What is read of a page's tags, one after the other: the base so far, and the refresh that counts so far. */
export type RefreshState = { base: string | undefined; refresh: Refresh | null };

/** Reads one tag. A refresh that browsers ignore leaves the place to the next one. @param url the page's own address */
export function readRefreshTag(tag: Token.TagToken, reading: RefreshState, url: string): void {
  if (tag.tagName === 'base') {
    const href = attributeOfTag(tag, 'href');
    if (href !== undefined) reading.base ??= resolveLocation(href, url)?.url.href;
  } else if (tag.tagName === 'meta')
    reading.refresh = sooner(reading.refresh, readMeta(tag, reading.base ?? url));
}

/**
 * Which of two refreshes a browser obeys: the one with the shorter time, and of two with the same the later one (measured in Chromium).
 * The HTML Standard lets the first win, whatever its time.
 */
function sooner<Kind extends { readonly seconds: number }>(
  one: Kind | null,
  later: Kind | null,
): Kind | null {
  return one && later && one.seconds < later.seconds ? one : (later ?? one);
}

/** The refresh of an answer that browsers obey: what they do not show has none. A field stands before every element of the page. */
export function findRefresh(
  { status, fields }: { readonly status: number; readonly fields: Fields },
  page: Refresh | null,
  url: string,
): AnswerRefresh | null {
  if (status === 204 || status === 205 || status === 304 || isDownload(fields)) return null;
  const field = parseRefresh(valuesOf(fields, 'refresh')[0] ?? '');
  const header = field ? resolveRefresh(field, url) : null;
  return sooner<AnswerRefresh>(
    header && { via: 'refresh-header', seconds: header.seconds, to: header.target },
    page && { via: 'meta-refresh', seconds: page.seconds, to: page.target },
  );
}

/**
 * Where a refresh sends the visitor on; null where the page stays to be read, or only reloads itself.
 * @param bodySigns signs of a block page in the body: a challenge sends on those who pass it, which we do not
 */
export function leadOfRefresh(
  refresh: AnswerRefresh | null,
  url: string,
  bodySigns: readonly string[],
): PageLead | null {
  const isBlock = bodySigns.some(isBlockSign);
  if (isBlock || !refresh || refresh.seconds > shownForS || isSamePage(refresh.to, url)) return null;
  return { url: new URL(refresh.to), via: refresh.via };
}

/** Where an answer sends the visitor on by itself, for a check that reads nothing else of its tags. */
export async function readLead(answer: HttpResponse, url: string, work: Work): Promise<PageLead | null> {
  const fields = indexFields(answer.headers);
  const { status } = answer;
  const refresh = findRefresh({ status, fields }, await readMetaRefresh(answer, fields, url, work), url);
  return refresh && leadOfRefresh(refresh, url, seeBodySigns(answer.body.text, url));
}

/** True for an answer whose body was read and says that it is HTML. */
export function isReadPage({ body }: HttpResponse, fields: Fields): boolean {
  const type = parseContentType(valuesOf(fields, 'content-type'));
  return body.cut !== 'not-read' && type !== undefined && isHtml(type);
}

// The word stands in few pages, and looking for it costs a hundredth of reading the tags.
async function readMetaRefresh(
  answer: HttpResponse,
  fields: Fields,
  url: string,
  work: Work,
): Promise<Refresh | null> {
  if (!isReadPage(answer, fields) || !/http-equiv/i.test(answer.body.text)) return null;
  if (!/refresh/i.test(answer.body.text)) return null;
  const reading: RefreshState = { base: undefined, refresh: null };
  await readTags(answer.body.text, { onTag: (tag) => readRefreshTag(tag, reading, url) }, work);
  return reading.refresh;
}

function readMeta(tag: Token.TagToken, base: string): Refresh | null {
  if (attributeOfTag(tag, 'http-equiv')?.toLowerCase() !== 'refresh') return null;
  const refresh = parseRefresh(attributeOfTag(tag, 'content') ?? '');
  return refresh ? resolveRefresh(refresh, base) : null;
}

/** A refresh with its target resolved; null where browsers ignore it: no URL, or a javascript: one. "" stays the page itself. */
export function resolveRefresh({ seconds, target }: Refresh, base: string): Refresh | null {
  if (target === '') return { seconds, target };
  const url = resolveLocation(target, base)?.url;
  return url && url.protocol !== 'javascript:' ? { seconds, target: url.href } : null;
}
