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
    scripts: [],
    onload: '',
    base: undefined,
    refresh: null,
    canonical: null,
    setsAddress: false,
    scriptTarget: null,
  };
  readTags(html, {
    onTag: (tag) => readTag(tag, seen, url),
    onScript: (text, tag) => {
      if (!isInlineScript(tag)) return;
      readScript(text, seen, url);
      if (seen.scripts.length < scriptLimit && text.includes('location')) seen.scripts.push(text);
    },
  });
  readOnload(seen, url);
  const { refresh, canonical, setsAddress, scriptTarget } = seen;
  return { refresh, canonical, setsAddress, scriptTarget };
}

type Reading = RefreshReading & {
  /** Inline scripts that may set the address once they are called. */
  readonly scripts: string[];
  onload: string;
  canonical: string | null;
  setsAddress: boolean;
  scriptTarget: string | null;
};

function readTag(tag: Token.TagToken, seen: Reading, url: string): void {
  readRefreshTag(tag, seen, url);
  if (tag.tagName === 'link') seen.canonical ??= readLink(tag, seen.base ?? url);
  else if (tag.tagName === 'body' || tag.tagName === 'frameset')
    seen.onload ||= attributeOfTag(tag, 'onload') ?? '';
}

const scriptLimit = 20;

// What is written in onload may call a function of any script.
function readOnload(seen: Reading, url: string): void {
  if (seen.onload === '') return;
  for (const script of ['', ...seen.scripts]) readScript(`${script}\n;${seen.onload}`, seen, url);
}

function readScript(script: string, seen: Reading, url: string): void {
  if (seen.setsAddress) return;
  const setter = findAddressSetter(script);
  if (!setter) return;
  seen.setsAddress = true;
  seen.scriptTarget =
    setter.target === null ? null : (resolve(fillOwnParts(setter.target, url), seen.base ?? url) ?? null);
}

function fillOwnParts(target: string, url: string): string {
  const own = new URL(url) as unknown as Readonly<Record<string, string>>;
  return target.replace(/\$\{location\.(\w+)\}/g, (_, part: string) => own[part] ?? '');
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
