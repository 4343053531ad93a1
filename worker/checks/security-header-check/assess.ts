import {
  permissionsRules,
  referrerRules,
  sniffingRules,
  subresourceRules,
} from '../../../shared/catalogue/security-header-check/rules/content.ts';
import { isolationRules } from '../../../shared/catalogue/security-header-check/rules/cross-origin.ts';
import { cspRules } from '../../../shared/catalogue/security-header-check/rules/csp.ts';
import { framingRules } from '../../../shared/catalogue/security-header-check/rules/framing.ts';
import { hstsRules } from '../../../shared/catalogue/security-header-check/rules/transport.ts';
import type { HeaderCode } from '../../../shared/catalogue/security-header-check/rules.ts';
import type { Assessment } from '../../../shared/model/report.ts';
import { notTested, type Verdicts } from '../../../shared/model/verdict.ts';
import type { HeaderEvidence } from './evidence.ts';
import { readCookies, type SeenCookie } from './facts/cookies.ts';
import { readCors } from './facts/cors.ts';
import { type Page, readHops, readPage, type SeenHop } from './facts/page.ts';
import { judgePermissions, judgeReferrer, judgeSniffing } from './judge/content.ts';
import { judgeCookies } from './judge/cookies.ts';
import { judgeCors } from './judge/cors.ts';
import { judgeCsp } from './judge/csp.ts';
import { withFixes } from './judge/fixes.ts';
import { judgeFraming } from './judge/framing.ts';
import { judgeHsts } from './judge/hsts.ts';
import { judgeIsolation } from './judge/isolation.ts';
import { judgeHygiene, judgeLeakage } from './judge/leakage.ts';
import { judgeRedirects } from './judge/redirects.ts';
import { judgeSubresources } from './judge/subresources.ts';
import { judgeTarget } from './judge/target.ts';
import { whyFailed } from './judge/unwalked.ts';
import { allOf, unlessBroken } from './judge/verdict-tables.ts';
import { evaluatePolicies } from './report/evaluator/csp-evaluator.ts';
import { reportCookies, reportEffective, reportHops, reportPolicies } from './report/fields.ts';
import { compareWithObservatory } from './report/observatory/compare.ts';
import { scoreGroups } from './report/score.ts';

/** Judges what was seen of a page's security headers. Pure: the same evidence always gives the same report. */
export function assessHeaders(evidence: HeaderEvidence): Assessment<HeaderCode> {
  const hops = readHops(evidence);
  const page = readPage(evidence, hops);
  const cookies = readCookies(evidence, hops);
  const verdicts = judgeAll(evidence, { hops, page, cookies });
  const own = scoreGroups(verdicts);
  return {
    state: stateOf(evidence, hops, page),
    verdicts: withFixes(verdicts),
    score: page ? own.score : null,
    scoreEffects: own.scoreEffects,
    fields: {
      judgedUrl: page?.hop.url ?? null,
      hops: reportHops(hops),
      effective: reportEffective(evidence, page),
      groups: own.groups,
      csp: {
        policies: reportPolicies(page?.policies ?? []),
        evaluator: evaluatePolicies(page?.policies ?? []),
      },
      cookies: reportCookies(cookies),
      observatory: compareWithObservatory(evidence, verdicts),
    },
  };
}

type Seen = {
  readonly hops: readonly SeenHop[];
  readonly page: Page | undefined;
  readonly cookies: readonly SeenCookie[];
};

/** A verdict for every rule. */
export function judgeAll(evidence: HeaderEvidence, { hops, page, cookies }: Seen): Verdicts<HeaderCode> {
  return {
    ...judgeTarget(evidence, page),
    ...judgeRedirects(evidence),
    ...(page ? judgePage(evidence, hops, page) : unseenPage(evidence)),
    ...judgeAnswers(evidence, { hops, page, cookies }),
  };
}

// Of redirects that lead to no page, what they show is told; that they do not show more says nothing of the page.
function judgeAnswers(evidence: HeaderEvidence, { hops, page, cookies }: Seen) {
  const verdicts = {
    ...judgeCookies(cookies),
    ...judgeCors(readCors(evidence.cors), evidence.corsUrl),
    ...judgeLeakage(hops),
    ...judgeHygiene(hops),
  };
  return page ? verdicts : unlessBroken(verdicts, unseen(evidence));
}

function judgePage(evidence: HeaderEvidence, hops: readonly SeenHop[], page: Page) {
  return {
    ...judgeHsts(evidence, hops, page),
    ...judgeCsp(evidence, page),
    ...judgeFraming(page),
    ...judgeSniffing(page),
    ...judgeReferrer(page),
    ...judgePermissions(page),
    ...judgeIsolation(page),
    ...judgeSubresources(page),
  };
}

type PageCode = keyof ReturnType<typeof judgePage>;

function unseenPage(evidence: HeaderEvidence): Verdicts<PageCode> {
  const why = unseen(evidence);
  return {
    ...allOf(hstsRules, why),
    ...allOf(cspRules, why),
    ...allOf(framingRules, why),
    ...allOf(sniffingRules, why),
    ...allOf(referrerRules, why),
    ...allOf(permissionsRules, why),
    ...allOf(isolationRules, why),
    ...allOf(subresourceRules, why),
  };
}

function unseen({ https, http }: HeaderEvidence) {
  const { end } = https.hops.length >= http.hops.length ? https : http;
  return notTested(whyFailed({ end }) ?? 'the redirects lead to no page');
}

const settledCodes: ReadonlySet<string> = new Set([
  'connection-refused',
  'not-tls',
  'tls-failed',
  'connection-closed',
  'connection-reset',
]);

function stateOf(
  { https, http }: HeaderEvidence,
  hops: readonly SeenHop[],
  page: Page | undefined,
): Assessment['state'] {
  if (hops.length === 0) return 'unreachable';
  if (!page) return 'partial';
  const unsure = [https, http].some(({ end }) => end.kind === 'failed' && !settledCodes.has(end.code));
  return unsure ? 'partial' : 'complete';
}
