import type { Token } from 'parse5';
import { resolveLocation } from '../../../web/location.ts';
import { type RefreshReading, readRefreshTag } from '../../../web/page-refresh.ts';
import { attributeOfTag, readTags } from '../../../web/page-tags.ts';
import type { Refresh } from '../../../web/refresh.ts';
import { findAddressSetter } from './script.ts';

/** What an HTML page says about where the visitor should be; addresses are resolved and without user information. */
export type PageSeen = {
  readonly refresh: Refresh | null;
  readonly canonical: string | null;
  /** A script sets the address as it loads. */
  readonly setsAddress: boolean;
  /** Where to, resolved, where the script says it in one plain string; null where it does not. */
  readonly scriptTarget: string | null;
};

/**
 * Reads the tags of an HTML page in order.
 * @param url the page's own address
 */
export function readPage(html: string, url: string): PageSeen {
  const seen: Reading = {
    base: undefined,
    refresh: null,
    canonical: null,
    setsAddress: false,
    scriptTarget: null,
  };
  readTags(html, {
    onTag: (tag) => readTag(tag, seen, url),
    onScript: (text, tag) => {
      if (isInlineScript(tag)) readScript(text, seen, url);
    },
  });
  const { refresh, canonical, setsAddress, scriptTarget } = seen;
  return { refresh, canonical, setsAddress, scriptTarget };
}

type Reading = RefreshReading & {
  canonical: string | null;
  setsAddress: boolean;
  scriptTarget: string | null;
};

function readTag(tag: Token.TagToken, seen: Reading, url: string): void {
  readRefreshTag(tag, seen, url);
  if (tag.tagName === 'link') seen.canonical ??= readLink(tag, seen.base ?? url);
  else if (tag.tagName === 'body') readScript(attributeOfTag(tag, 'onload') ?? '', seen, url);
}

function readScript(script: string, seen: Reading, url: string): void {
  if (seen.setsAddress) return;
  const setter = findAddressSetter(script);
  if (!setter) return;
  seen.setsAddress = true;
  seen.scriptTarget = setter.target === null ? null : (resolve(setter.target, seen.base ?? url) ?? null);
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
