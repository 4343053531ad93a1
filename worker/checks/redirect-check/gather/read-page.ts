import type { Token } from 'parse5';
import type { Work } from '../../../probes/work.ts';
import { resolveLocation } from '../../../web/location.ts';
import { type RefreshState, readRefreshTag } from '../../../web/page-refresh.ts';
import { attributeOfTag, readTags, type TagReader } from '../../../web/page-tags.ts';
import type { Refresh } from '../../../web/refresh.ts';
import { type PageScript, readScripts, type ScriptsObservation } from './read-scripts.ts';
import type { PageForm } from './sent-form.ts';

/** What an HTML page says about where the visitor should be; addresses are resolved and without user information. */
export type HtmlObservation = ScriptsObservation & {
  readonly refresh: Refresh | null;
  readonly canonical: string | null;
};

/**
 * Reads the tags of an HTML page in order.
 * @param url the page's own address
 */
export async function readPage(html: string, url: string, work: Work): Promise<HtmlObservation> {
  const seen: PageState = {
    scripts: [],
    forms: [],
    onload: undefined,
    base: undefined,
    refresh: null,
    canonical: null,
  };
  const baseOf = () => seen.base ?? url;
  const reader: TagReader = {
    onTag: (tag) => readTag(tag, seen, url),
    onScript: (text, tag) => {
      if (/location|submit/i.test(text) && isInlineScript(tag)) seen.scripts.push({ text, base: baseOf() });
    },
  };
  const cut = await readTags(html, reader, work);
  const { refresh, canonical, forms } = seen;
  const onload = seen.onload === undefined ? undefined : { text: seen.onload, base: baseOf() };
  const scripts = await readScripts({ url, scripts: seen.scripts, onload, forms }, work);
  return { refresh, canonical, ...scripts, ...(cut === undefined ? {} : { cut }) };
}

type PageState = RefreshState & {
  /** Inline scripts that may set the address. */
  readonly scripts: PageScript[];
  readonly forms: PageForm[];
  onload: string | undefined;
  canonical: string | null;
};

function readTag(tag: Token.TagToken, seen: PageState, url: string): void {
  readRefreshTag(tag, seen, url);
  if (tag.tagName === 'link') seen.canonical ??= readLink(tag, seen.base ?? url);
  else if (tag.tagName === 'form') readForm(tag, seen, url);
  else if (tag.tagName === 'body' || tag.tagName === 'frameset')
    seen.onload ||= attributeOfTag(tag, 'onload');
}

/** Of a page with more forms the first are kept; scripts send one of those. */
const formLimit = 20;

function readForm(tag: Token.TagToken, { forms, base = '' }: PageState, url: string): void {
  if (forms.length >= formLimit) return;
  const names = ['id', 'name'].flatMap((name) => attributeOfTag(tag, name) ?? []);
  const action = attributeOfTag(tag, 'action')?.trim() ?? '';
  forms.push({ names, action: action === '' ? url : (resolve(action, base || url) ?? null) });
}

function readLink(tag: Token.TagToken, base: string): string | null {
  const isCanonical = attributeOfTag(tag, 'rel')?.toLowerCase().split(/\s/).includes('canonical');
  return isCanonical ? (resolve(attributeOfTag(tag, 'href'), base) ?? null) : null;
}

function isInlineScript(tag: Token.TagToken): boolean {
  const type = (attributeOfTag(tag, 'type') ?? '').trim().toLowerCase();
  return (
    attributeOfTag(tag, 'src') === undefined &&
    /^(?:|module|(?:text|application)\/(?:java|ecma)script)$/.test(type)
  );
}

function resolve(reference: string | undefined, base: string): string | undefined {
  return reference === undefined ? undefined : resolveLocation(reference, base)?.url.href;
}
