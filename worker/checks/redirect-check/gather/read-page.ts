import type { Token } from 'parse5';
import type { Work } from '../../../probes/work.ts';
import { resolveLocation } from '../../../web/location.ts';
import { type RefreshState, readRefreshTag } from '../../../web/page-refresh.ts';
import { attributeOfTag, readTags, type TagReader } from '../../../web/page-tags.ts';
import type { Refresh } from '../../../web/refresh.ts';
import { findScriptTarget, type PageScript } from './script.ts';

/** What an HTML page says about where the visitor should be; addresses are resolved and without user information. */
export type HtmlObservation = {
  readonly refresh: Refresh | null;
  readonly canonical: string | null;
  /** A script seems to set the address as it loads. */
  readonly setsAddress: boolean;
  /** Where to; null where none does. Older evidence has null also for an address that is computed. */
  readonly scriptTarget: string | null;
  /** Why not all was read, where the run's work ran out. */
  readonly cut?: string;
};

/**
 * Reads the tags of an HTML page in order.
 * @param url the page's own address
 */
export async function readPage(html: string, url: string, work: Work): Promise<HtmlObservation> {
  const seen: PageState = { scripts: [], onload: undefined, base: undefined, refresh: null, canonical: null };
  const keepScript = (text: string) => {
    if (text.includes('location')) seen.scripts.push({ text, base: seen.base ?? url });
  };
  const reader: TagReader = {
    onTag: (tag) => readTag(tag, seen, url),
    onScript: (text, tag) => {
      if (isInlineScript(tag)) keepScript(text);
    },
  };
  const cut = await readTags(html, reader, work);
  const { refresh, canonical, scripts, onload } = seen;
  if (onload !== undefined) keepScript(onload);
  const page = {
    refresh,
    canonical,
    setsAddress: false,
    scriptTarget: null,
    ...(cut === undefined ? {} : { cut }),
  };
  for (const script of scripts) {
    const scriptTarget = await findScriptTarget(script, url, work);
    if (typeof scriptTarget === 'string') return { ...page, setsAddress: true, scriptTarget };
    if (scriptTarget !== null) return { ...page, ...scriptTarget };
  }
  return page;
}

type PageState = RefreshState & {
  /** Inline scripts that may set the address. */
  readonly scripts: PageScript[];
  onload: string | undefined;
  canonical: string | null;
};

function readTag(tag: Token.TagToken, seen: PageState, url: string): void {
  readRefreshTag(tag, seen, url);
  if (tag.tagName === 'link') seen.canonical ??= readLink(tag, seen.base ?? url);
  else if (tag.tagName === 'body' || tag.tagName === 'frameset')
    seen.onload ||= attributeOfTag(tag, 'onload');
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
