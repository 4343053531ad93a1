import type { headerReportShape } from '../../../shared/catalogue/security-header-check/report.ts';
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
import type { FieldsOf } from '../../../shared/catalogue/spec.ts';
import type { Assessment } from '../../../shared/model/report.ts';
import { notTested, type Verdicts } from '../../../shared/model/verdict.ts';
import { readCookies, type SeenCookie } from './effective/cookies.ts';
import { judgeCors } from './effective/cors.ts';
import { evaluatePolicies } from './evaluator/csp-evaluator.ts';
import type { HeaderEvidence } from './evidence.ts';
import { judgePermissions, judgeReferrerRules, judgeSniffing } from './judge/content.ts';
import { judgeCookies } from './judge/cookies.ts';
import { judgeCorsRules } from './judge/cors.ts';
import { judgeCsp } from './judge/csp.ts';
import { withFixes } from './judge/fixes.ts';
import { judgeFramingRules } from './judge/framing.ts';
import { judgeHstsRules } from './judge/hsts.ts';
import { judgeIsolationRules } from './judge/isolation.ts';
import { judgeHygiene, judgeLeakage } from './judge/leakage.ts';
import { judgeRedirects } from './judge/redirects.ts';
import { judgeSubresources } from './judge/subresources.ts';
import { judgeTarget } from './judge/target.ts';
import { whyFailed } from './judge/unwalked.ts';
import { allOf, unlessBroken } from './judge/verdict-tables.ts';
import { compareWithObservatory } from './observatory/compare.ts';
import { scoreGroups } from './own-score.ts';
import { showCookies, showEffective, showHops, showPolicies } from './report-fields.ts';
import { findPage, listHops, type Page, type SeenHop } from './sight/page.ts';

/** Judges what was seen of a page's security headers. Pure: the same evidence always gives the same report. */
export function assessHeaders(
  evidence: HeaderEvidence,
): Assessment<HeaderCode, FieldsOf<typeof headerReportShape>> {
  const hops = listHops(evidence);
  const page = findPage(evidence, hops);
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
      hops: showHops(hops),
      effective: showEffective(evidence, page),
      groups: own.groups,
      csp: {
        policies: showPolicies(page?.policies ?? []),
        evaluator: evaluatePolicies(page?.policies ?? []),
      },
      cookies: showCookies(cookies),
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
    ...judgeCorsRules(judgeCors(evidence.cors), evidence.corsUrl),
    ...judgeLeakage(hops),
    ...judgeHygiene(hops),
  };
  return page ? verdicts : unlessBroken(verdicts, unseen(evidence));
}

function judgePage(evidence: HeaderEvidence, hops: readonly SeenHop[], page: Page) {
  return {
    ...judgeHstsRules(evidence, hops, page),
    ...judgeCsp(evidence, page),
    ...judgeFramingRules(page),
    ...judgeSniffing(page),
    ...judgeReferrerRules(page),
    ...judgePermissions(page),
    ...judgeIsolationRules(page),
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
