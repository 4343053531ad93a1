import { parse as parseDomain } from 'tldts';
import {
  directiveOf,
  enforcedOf,
  listOf,
  type PolicyFacts,
  type PlacedSource,
  type SourceList,
} from './policies.ts';

/** What lets something through: the word of a policy that does so. */
export type Grant = {
  readonly seen: PolicyFacts;
  readonly directive: string;
  readonly source: string;
  readonly offset: number;
};

/**
 * What all enforced policies together let through. `null`: at least one of them forbids it. A list: all of them allow it,
 * and these are the words that say so; empty where none of them restricts such loads at all.
 */
export type Grants = readonly Grant[] | null;

export type ScriptVerdict = {
  readonly policies: readonly PolicyFacts[];
  /** True where no enforced policy has a word about scripts. */
  readonly unrestricted: boolean;
  readonly inline: Grants;
  readonly inlineAttributes: Grants;
  readonly eval: Grants;
  readonly wasm: Grants;
  readonly unsafeHashes: Grants;
  readonly anyHost: Grants;
  readonly inlineUrls: Grants;
  /** True where one policy lets scripts through only by nonce or hash, or none at all. */
  readonly strict: boolean;
};

export const elementLists = ['script-src-elem', 'script-src', 'default-src'] as const;
export const attributeLists = ['script-src-attr', 'script-src', 'default-src'] as const;
export const evalLists = ['script-src', 'default-src'] as const;

/** What an injected script could do under all enforced policies together (CSP3, "multiple policies": each one must allow). */
export function readScripts(all: readonly PolicyFacts[]): ScriptVerdict {
  const policies = enforcedOf(all);
  const lists = policies.map((seen) => ({
    seen,
    element: scriptList(seen, elementLists),
    attribute: scriptList(seen, attributeLists),
    code: scriptList(seen, evalLists),
  }));
  const grants = (
    pick: (list: (typeof lists)[number]) => SourceList | undefined,
    find: (list: SourceList) => PlacedSource | undefined,
  ) =>
    grantsOf(
      lists.map((list) => ({ seen: list.seen, list: pick(list) })),
      find,
    );
  return {
    policies,
    unrestricted: lists.every(({ element }) => element === undefined),
    inline: grants(({ element }) => element, findInline),
    inlineAttributes: grants(({ attribute }) => attribute, findInline),
    eval: grants(
      ({ code }) => code,
      (list) => findKeyword(list, 'unsafe-eval'),
    ),
    wasm: grants(
      ({ code }) => code,
      (list) => findKeyword(list, 'wasm-unsafe-eval'),
    ),
    unsafeHashes: grants(
      ({ attribute }) => attribute,
      (list) => findKeyword(list, 'unsafe-hashes') ?? findInline(list),
    ),
    anyHost: grants(({ element }) => element, findAnyHost),
    inlineUrls: grants(({ element }) => element, findInlineUrl),
    strict: lists.some(({ element }) => element !== undefined && isStrict(element)),
  };
}

/** Collects the words by which every policy lets something through; null as soon as one has none. */
export function grantsOf(
  lists: readonly { readonly seen: PolicyFacts; readonly list: SourceList | undefined }[],
  find: (list: SourceList) => PlacedSource | undefined,
): Grants {
  const grants: Grant[] = [];
  for (const { seen, list } of lists) {
    if (!list) continue;
    const found = find(list);
    if (!found) return null;
    grants.push({ seen, directive: list.directive, source: found.text, offset: found.offset });
  }
  return grants;
}

/** 'unsafe-inline' where no nonce, hash or 'strict-dynamic' switches it off (CSP3, "allow all inline"). */
export function findInline(list: SourceList): PlacedSource | undefined {
  return isTrustedBySecret(list) || hasKeyword(list, 'strict-dynamic')
    ? undefined
    : findKeyword(list, 'unsafe-inline');
}

/** True where a nonce or hash decides which scripts run. */
export function isTrustedBySecret({ sources }: SourceList): boolean {
  return sources.some(({ source }) => source.kind === 'nonce' || source.kind === 'hash');
}

/** The keyword's word in the list. */
export function findKeyword({ sources }: SourceList, keyword: string): PlacedSource | undefined {
  return sources.find(({ source }) => source.kind === 'keyword' && source.keyword === keyword);
}

/** True where the list has the keyword. */
export function hasKeyword(list: SourceList, keyword: string): boolean {
  return findKeyword(list, keyword) !== undefined;
}

// A sandbox without allow-scripts runs none, whatever the lists say.
function scriptList(seen: PolicyFacts, names: readonly string[]): SourceList | undefined {
  const sandbox = directiveOf(seen, 'sandbox');
  if (sandbox && !sandbox.values.some(({ text }) => text.toLowerCase() === 'allow-scripts'))
    return { directive: 'sandbox', sources: [] };
  return listOf(seen, names);
}

function findAnyHost(list: SourceList): PlacedSource | undefined {
  return hasKeyword(list, 'strict-dynamic') ? undefined : list.sources.find(isAnyHost);
}

/** True for a source that hosts of strangers fulfil: *, a whole scheme, *.com, *.github.io. */
export function isAnyHost(seen: PlacedSource): boolean {
  return isAnySite(seen) || isBelowSuffix(seen, true);
}

/** True for a source that every site fulfils: *, a whole scheme, *.com. Customers of one service, *.github.io, are not every site. */
export function isAnySite(seen: PlacedSource): boolean {
  const { source } = seen;
  if (source.kind === 'scheme') return source.scheme === 'https' || source.scheme === 'http';
  return (isWebHost(source) && source.host === '*') || isBelowSuffix(seen, false);
}

function isBelowSuffix({ source }: PlacedSource, allowPrivateDomains: boolean): boolean {
  if (!isWebHost(source) || !source.host.startsWith('*.')) return false;
  const name = source.host.slice(2);
  const { publicSuffix, isIcann, isPrivate } = parseDomain(name, { allowPrivateDomains });
  return publicSuffix === name && (isIcann === true || isPrivate === true);
}

function isWebHost(
  source: PlacedSource['source'],
): source is Extract<PlacedSource['source'], { kind: 'host' }> {
  return source.kind === 'host' && (source.scheme === null || /^https?$/.test(source.scheme));
}

function findInlineUrl(list: SourceList): PlacedSource | undefined {
  if (hasKeyword(list, 'strict-dynamic')) return undefined;
  return list.sources.find(
    // A blob: or filesystem: URL is made by a script that already runs; only data: can be written into markup.
    ({ source }) => source.kind === 'scheme' && source.scheme === 'data',
  );
}

function isStrict(list: SourceList): boolean {
  if (findInline(list)) return false;
  if (hasKeyword(list, 'strict-dynamic')) return true;
  return !list.sources.some(
    ({ source }) =>
      source.kind === 'host' ||
      source.kind === 'scheme' ||
      (source.kind === 'keyword' && source.keyword === 'self'),
  );
}
