import type { cspRules } from '#shared/catalogue/security-header-check/rules/csp';
import { brokenBy, type Evidence, type Verdict, type Verdicts } from '#shared/model/verdict';
import type { PageFacts } from '../facts/page.ts';
import {
  directiveOf,
  findSwallowed,
  listOf,
  type PolicyFacts,
  type PlacedSource,
  type SourceList,
} from '../facts/policies.ts';
import {
  elementLists,
  findInline,
  findKeyword,
  type Grant,
  type Grants,
  grantsOf,
  hasKeyword,
  isTrustedBySecret,
  readScripts,
  type ScriptVerdict,
} from '../facts/script.ts';
import { findBypass } from './csp-bypass.ts';
import { brokenWhen } from './verdict-tables.ts';

export type CspCode = keyof typeof cspRules;

const styleLists = ['style-src-elem', 'style-src', 'default-src'] as const;
const activeLists: readonly (readonly string[])[] = [
  elementLists,
  styleLists,
  ['object-src', 'default-src'],
  ['connect-src', 'default-src'],
  ['frame-src', 'child-src', 'default-src'],
  ['worker-src', 'child-src', 'script-src', 'default-src'],
  ['font-src', 'default-src'],
  ['manifest-src', 'default-src'],
  ['base-uri'],
  ['form-action'],
];
const passiveLists: readonly (readonly string[])[] = [
  ['img-src', 'default-src'],
  ['media-src', 'default-src'],
];

/** Judges what the enforced policies let through; `page` has at least one. */
export function judgeScripts(page: PageFacts) {
  const verdict = readScripts(page.policies);
  const { policies } = verdict;
  const anyHost = verdict.anyHost ?? [];
  const isScheme = ({ source }: Grant) => source.endsWith(':');
  // What stands behind a missing semicolon was meant for another directive; csp-semicolon-missing says so.
  const show = (grants: readonly Grant[]): Verdict => {
    const meant = grants.filter((grant) => !isSwallowed(grant));
    const isLost = grants.length > 0 && meant.length === 0;
    return isLost ? 'not-applicable' : brokenBy(meant.map((grant) => showGrant(page, grant)));
  };
  const fromGrants = (grants: Grants): Verdict =>
    grants?.length === 0 ? 'not-applicable' : show(grants ?? []);
  return {
    'csp-script-unrestricted': brokenWhen(verdict.unrestricted && { hop: page.index, url: page.hop.url }),
    'csp-script-unsafe-inline': fromGrants(verdict.inline),
    'csp-script-wildcard': show(anyHost.filter((grant) => !isScheme(grant))),
    'csp-script-scheme': show([...anyHost.filter(isScheme), ...(verdict.inlineUrls ?? [])]),
    'csp-object-unrestricted': brokenWhen(
      policies.every((seen) => !listOf(seen, ['object-src', 'default-src'])) && {
        hop: page.index,
        url: page.hop.url,
      },
    ),
    'csp-unsafe-eval': fromGrants(verdict.eval),
    'csp-unsafe-hashes': show(
      (verdict.unsafeHashes ?? []).filter(({ source }) => /unsafe-hashes/i.test(source)),
    ),
    'csp-wasm-unsafe-eval': show(verdict.wasm ?? []),
    // Where elements are open too, that is the finding.
    'csp-attr-unsafe-inline':
      verdict.inline === null ? fromGrants(verdict.inlineAttributes) : 'not-applicable',
    'csp-style-unsafe-inline': show(grantsFor(policies, styleLists, findInlineStyle) ?? []),
    ...judgeClearTextSources(page, policies),
    'csp-bypass-host': judgeBypass(page, policies),
    'csp-strict-dynamic-alone': show(policies.flatMap(findStrictDynamicAlone)),
    ...judgeBaseUri(page, verdict),
    'csp-form-action-missing': brokenWhen(
      policies.every((seen) => !directiveOf(seen, 'form-action')) && { hop: page.index, url: page.hop.url },
    ),
    'trusted-types-missing': brokenWhen(
      !policies.some(requiresTrustedTypes) && { hop: page.index, url: page.hop.url },
    ),
  } satisfies Partial<Verdicts<CspCode>>;
}

function isSwallowed({ seen, directive, offset }: Grant): boolean {
  const found = directiveOf(seen, directive);
  const swallowed = found && findSwallowed(found);
  return swallowed !== undefined && swallowed.offset < offset;
}

/** A grant as evidence: where it stands and what it says. */
export function showGrant({ index, hop }: PageFacts, { seen, directive, source, offset }: Grant): Evidence {
  const header = seen.from === 'meta' ? 'meta' : 'content-security-policy';
  return { hop: index, url: hop.url, header, directive, source, offset };
}

function grantsFor(
  policies: readonly PolicyFacts[],
  names: readonly string[],
  find: (list: SourceList) => PlacedSource | undefined,
): Grants {
  return grantsOf(
    policies.map((seen) => ({ seen, list: listOf(seen, names) })),
    find,
  );
}

// 'strict-dynamic' has no meaning for styles.
function findInlineStyle(list: SourceList): PlacedSource | undefined {
  return isTrustedBySecret(list) ? undefined : findKeyword(list, 'unsafe-inline');
}

type ClearTextCode = 'csp-http-source' | 'csp-http-source-passive';

function judgeClearTextSources(page: PageFacts, policies: readonly PolicyFacts[]): Verdicts<ClearTextCode> {
  const upgrades = policies.some((seen) => directiveOf(seen, 'upgrade-insecure-requests'));
  if (page.url.protocol !== 'https:' || upgrades)
    return { 'csp-http-source': 'not-applicable', 'csp-http-source-passive': 'not-applicable' };
  const find = (lists: readonly (readonly string[])[]) =>
    lists.flatMap((names) => grantsFor(policies, names, findClearText) ?? []);
  const active = uniqueGrants(find(activeLists));
  const known = new Set(active.map(keyOf));
  const passive = uniqueGrants(find(passiveLists)).filter((grant) => !known.has(keyOf(grant)));
  return {
    'csp-http-source': brokenBy(active.map((grant) => showGrant(page, grant))),
    'csp-http-source-passive': brokenBy(passive.map((grant) => showGrant(page, grant))),
  };
}

// Loopback is trustworthy without TLS; hosts count for nothing beside 'strict-dynamic'.
function findClearText(list: SourceList): PlacedSource | undefined {
  if (hasKeyword(list, 'strict-dynamic')) return undefined;
  return list.sources.find(({ source }) => {
    if (source.kind === 'scheme') return source.scheme === 'http' || source.scheme === 'ftp';
    if (source.kind !== 'host' || (source.scheme !== 'http' && source.scheme !== 'ftp')) return false;
    return source.host !== 'localhost' && source.host !== '127.0.0.1';
  });
}

function uniqueGrants(grants: readonly Grant[]): Grant[] {
  return [...new Map(grants.map((grant) => [keyOf(grant), grant])).values()];
}

function keyOf({ seen, offset }: Grant): string {
  return `${seen.from} ${offset}`;
}

function judgeBypass(page: PageFacts, policies: readonly PolicyFacts[]): Verdict {
  const grants = grantsFor(policies, elementLists, findBypassHost);
  return brokenBy(
    (grants ?? []).map((grant) => ({
      ...showGrant(page, grant),
      host: grant.source.replace(/^[a-z]+:\/\//i, '').replace(/[:/].*$/, ''),
    })),
  );
}

function findBypassHost(list: SourceList): PlacedSource | undefined {
  if (hasKeyword(list, 'strict-dynamic')) return undefined;
  const hasEval = hasKeyword(list, 'unsafe-eval');
  return list.sources.find(({ source }) => findBypass(source, hasEval) !== undefined);
}

function findStrictDynamicAlone(seen: PolicyFacts): Grant[] {
  const list = listOf(seen, elementLists);
  const found = list && !isTrustedBySecret(list) ? findKeyword(list, 'strict-dynamic') : undefined;
  return list && found ? [{ seen, directive: list.directive, source: found.text, offset: found.offset }] : [];
}

type BaseCode = 'csp-base-uri-missing' | 'csp-base-uri-missing-with-hosts';

function judgeBaseUri(page: PageFacts, { policies }: ScriptVerdict): Verdicts<BaseCode> {
  if (policies.some((seen) => directiveOf(seen, 'base-uri')))
    return { 'csp-base-uri-missing': 'holds', 'csp-base-uri-missing-with-hosts': 'holds' };
  const lists = policies.flatMap((seen) => listOf(seen, elementLists) ?? []);
  const movable = lists.length > 0 && lists.every(trustsMovableScripts);
  const seen = { hop: page.index, url: page.hop.url };
  return {
    'csp-base-uri-missing': brokenWhen(movable && seen),
    'csp-base-uri-missing-with-hosts': brokenWhen(!movable && seen),
  };
}

// A nonce trusts the element whatever address it comes to have; a hash alone trusts a content.
function trustsMovableScripts(list: SourceList): boolean {
  if (findInline(list)) return false;
  const hasNonce = list.sources.some(({ source }) => source.kind === 'nonce');
  return hasNonce || (isTrustedBySecret(list) && hasKeyword(list, 'strict-dynamic'));
}

function requiresTrustedTypes(seen: PolicyFacts): boolean {
  return (
    directiveOf(seen, 'require-trusted-types-for')?.values.some(({ text }) => text === "'script'") ?? false
  );
}
