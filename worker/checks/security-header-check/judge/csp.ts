import { cspRules } from '#shared/catalogue/security-header-check/rules/csp';
import {
  allOf,
  brokenBy,
  codesOf,
  type Evidence,
  eachOf,
  notTested,
  unlessBroken,
  type Verdict,
  type Verdicts,
} from '#shared/model/verdict';
import { indexFields } from '../../../web/fields.ts';
import type { HeaderEvidence } from '../evidence.ts';
import { type PageFacts, whyHeadUnread } from '../facts/page.ts';
import { enforcedOf, listOf, readPolicies, type PolicyFacts } from '../facts/policies.ts';
import { type CspCode, judgeScripts, showGrant } from './csp-scripts.ts';
import { judgeSyntax } from './csp-syntax.ts';

type ScriptCode = keyof ReturnType<typeof judgeScripts>;
type EnforcedCode =
  | ScriptCode
  | 'csp-missing'
  | 'csp-report-only'
  | 'csp-nonce-weak'
  | 'csp-nonce-repeated'
  | 'csp-multiple-policies';

/** Judges Content-Security-Policy: whether one is enforced, what it lets through, how it is written. */
export function judgeCsp(evidence: HeaderEvidence, page: PageFacts): Verdicts<CspCode> {
  if (!page.isDocument) return allOf(cspRules, 'not-applicable');
  // In this order: where no policy is enforced, the first record has every code of the table.
  return { ...judgeEnforced(evidence, page), ...judgeWriting(page) };
}

function judgeWriting(page: PageFacts) {
  const written = { ...judgeSyntax(page), ...judgePlaces(page) };
  if (page.policies.length === 0) return eachOf(codesOf(written), 'not-applicable');
  const unread = whyHeadUnread(page);
  // A policy that was not read may be written badly, or stand late; what those that were read allow, it can only take away from.
  return unread === null ? written : unlessBroken(written, unseenPolicy(unread));
}

function unseenPolicy(unread: string): Verdict {
  return notTested(`${unread}, and a meta element may hold a policy`);
}

function judgeEnforced(evidence: HeaderEvidence, page: PageFacts): Verdicts<EnforcedCode> {
  const enforced = enforcedOf(page.policies);
  if (enforced.length === 0)
    return { ...allOf<EnforcedCode>(cspRules, 'not-applicable'), ...judgeAbsence(page) };
  return {
    'csp-missing': 'holds',
    'csp-report-only': 'holds',
    ...judgeScripts(page),
    'csp-nonce-weak': judgeNonceStrength(page, enforced),
    'csp-nonce-repeated': judgeNonceRepetition(evidence, page, enforced),
    'csp-multiple-policies': judgeCount(page, enforced.length),
  };
}

function judgeCount(page: PageFacts, count: number): Verdict {
  if (count > 1) return brokenBy([{ hop: page.index, url: page.hop.url, count }]);
  const unread = whyHeadUnread(page);
  return unread === null ? 'holds' : unseenPolicy(unread);
}

function judgeAbsence(page: PageFacts): Pick<Verdicts<CspCode>, 'csp-missing' | 'csp-report-only'> {
  const unread = whyHeadUnread(page);
  if (unread !== null) {
    const unseen = unseenPolicy(unread);
    return { 'csp-missing': unseen, 'csp-report-only': unseen };
  }
  const broken = brokenBy([{ hop: page.index, url: page.hop.url }]);
  return page.policies.some(({ disposition }) => disposition === 'report')
    ? { 'csp-missing': 'not-applicable', 'csp-report-only': broken }
    : { 'csp-missing': broken, 'csp-report-only': 'not-applicable' };
}

function judgePlaces(page: PageFacts): Pick<Verdicts<CspCode>, 'csp-meta-not-in-head' | 'csp-meta-late'> {
  const metas = page.policies.filter(({ from }) => from === 'meta');
  if (metas.length === 0)
    return { 'csp-meta-not-in-head': 'not-applicable', 'csp-meta-late': 'not-applicable' };
  const at = { hop: page.index, url: page.hop.url, header: 'meta' };
  const outside = metas.filter(({ disposition }) => disposition === 'ignored');
  const late = metas.filter(
    ({ disposition, scriptsBefore }) => disposition === 'enforce' && scriptsBefore > 0,
  );
  return {
    'csp-meta-not-in-head': brokenBy(
      outside.map(({ place, policy }) => ({ ...at, place, value: policy.text.slice(0, 500) })),
    ),
    'csp-meta-late': brokenBy(late.map(({ scriptsBefore }) => ({ ...at, count: scriptsBefore }))),
  };
}

type Nonce = { readonly value: string; readonly evidence: Evidence };

const nonceLists = ['script-src', 'script-src-elem', 'style-src', 'style-src-elem', 'default-src'] as const;

// What browsers take for a nonce: 'nonce-{{nonce}}' is a word that no list may have, and lets nothing through.
function findNonces(page: PageFacts, policies: readonly PolicyFacts[]): Nonce[] {
  return policies.flatMap((seen) =>
    nonceLists.flatMap((directive) =>
      (listOf(seen, [directive])?.sources ?? []).flatMap(({ text, offset, source }) =>
        source.kind === 'nonce'
          ? [
              {
                value: source.value,
                evidence: showGrant(page, { seen, directive, source: text, offset }),
              },
            ]
          : [],
      ),
    ),
  );
}

function judgeNonceStrength(page: PageFacts, policies: readonly PolicyFacts[]): Verdict {
  const nonces = findNonces(page, policies);
  if (nonces.length === 0) return 'not-applicable';
  const weak = nonces
    .map(({ value, evidence }) => ({ ...evidence, bits: nonceBits(value) }))
    .filter(({ bits }) => bits < 128);
  return brokenBy(weak);
}

// The most that so many characters of their alphabet can hold: 4 bits for hex, 3.3 for digits, 6 for base64.
function nonceBits(nonce: string): number {
  const text = nonce.replace(/={1,2}$/, '');
  const perSign = /^\d+$/.test(text) ? Math.log2(10) : /^[0-9a-f]+$/i.test(text) ? 4 : 6;
  return Math.floor(text.length * perSign);
}

function judgeNonceRepetition(
  { cors, corsUrl }: HeaderEvidence,
  page: PageFacts,
  policies: readonly PolicyFacts[],
): Verdict {
  const nonces = findNonces(page, policies);
  if (nonces.length === 0) return 'not-applicable';
  const others =
    corsUrl !== page.hop.url
      ? []
      : cors.flatMap((observation) =>
          observation.kind === 'answered' && observation.method === 'GET' ? [observation.headers] : [],
        );
  const again = others.map(
    (headers) =>
      new Set(
        findNonces(page, readPolicies({ url: page.url, fields: indexFields(headers) }, null)).map(
          ({ value }) => value,
        ),
      ),
  );
  if (!again.some((set) => set.size > 0)) return notTested('no second answer with a nonce was seen');
  return brokenBy(
    nonces.filter(({ value }) => again.some((set) => set.has(value))).map(({ evidence }) => evidence),
  );
}
