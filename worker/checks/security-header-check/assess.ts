import type { headerReportShape } from '#shared/catalogue/security-header-check/report';
import type { HeaderCode } from '#shared/catalogue/security-header-check/rules';
import {
  mixedContentRules,
  permissionsRules,
  referrerRules,
  sniffingRules,
  subresourceRules,
} from '#shared/catalogue/security-header-check/rules/content';
import { isolationRules } from '#shared/catalogue/security-header-check/rules/cross-origin';
import { cspRules } from '#shared/catalogue/security-header-check/rules/csp';
import { framingRules } from '#shared/catalogue/security-header-check/rules/framing';
import { hstsRules } from '#shared/catalogue/security-header-check/rules/transport';
import { scoreGroups } from '#shared/catalogue/security-header-check/score';
import type { FieldsOf } from '#shared/catalogue/spec';
import { kindOfFailure } from '#shared/model/failure';
import type { Assessment } from '#shared/model/report';
import {
  allOf,
  type BlindSpot,
  notTested,
  unlessBroken,
  type Verdict,
  type Verdicts,
  withBlindSpots,
} from '#shared/model/verdict';
import { readKnownServers, unknownServers } from '../../fixes/known-server.ts';
import { valuesOf } from '../../web/fields.ts';
import { judgeFamilies } from '../../web/judge-families.ts';
import { isOfOthers } from '../../web/page-seen.ts';
import type { HeaderEvidence } from './evidence.ts';
import { readCookies, type CookieFacts } from './facts/cookies.ts';
import { readCors } from './facts/cors.ts';
import { isJudged, type PageFacts, readHops, readPage, type HopFacts } from './facts/page.ts';
import { readRobots } from './facts/robots.ts';
import { readSecurityTxt, type SecurityTxtObservation } from './facts/security-txt.ts';
import { judgePermissions, judgeReferrer, judgeSniffing } from './judge/content.ts';
import { judgeCookies } from './judge/cookies.ts';
import { judgeCors } from './judge/cors.ts';
import { judgeCsp } from './judge/csp.ts';
import { withHeaderFixes } from './judge/fixes.ts';
import { judgeFraming } from './judge/framing.ts';
import { judgeHsts } from './judge/hsts.ts';
import { judgeIsolation } from './judge/isolation.ts';
import { judgeHygiene, judgeLeakage } from './judge/leakage.ts';
import { judgeMixedContent } from './judge/mixed-content.ts';
import { judgeRedirects } from './judge/redirects.ts';
import { judgeRobots } from './judge/robots.ts';
import { judgeSecurityTxt } from './judge/security-txt.ts';
import { judgeSubresources } from './judge/subresources.ts';
import { judgeTarget } from './judge/target.ts';
import { isClosed, whyFailed } from './judge/unwalked.ts';
import { evaluatePolicies } from './report/evaluator/csp-evaluator.ts';
import {
  reportCookies,
  reportEffective,
  reportHops,
  reportPolicies,
  reportThirdParties,
} from './report/fields.ts';
import { compareWithObservatory } from './report/observatory/compare.ts';
import { reportRobots, reportSecurityTxt } from './report/site-files.ts';

/** Judges what was seen of a page's security headers. Pure: the same evidence always gives the same report. */
export function assessHeaders(
  evidence: HeaderEvidence,
): Assessment<HeaderCode, FieldsOf<typeof headerReportShape>> {
  const seen = readSeen(evidence);
  const { hops, page, cookies } = seen;
  const verdicts = judgeAll(evidence, seen);
  const own = scoreGroups(verdicts);
  const isSeen = page !== undefined && page.unseen === undefined;
  const policies = isSeen ? page.policies : [];
  return {
    state: stateOf(evidence, hops, page),
    verdicts: withHeaderFixes(
      withBlindSpots(verdicts, blindSpotsOf(evidence)),
      page ? readKnownServers(page.fields) : unknownServers,
    ),
    score: isSeen ? own.score : null,
    scoreEffects: own.scoreEffects,
    fields: {
      judgedUrl: page?.hop.url ?? null,
      answeredBy: page?.block ?? null,
      hops: reportHops(hops),
      effective: reportEffective(evidence, page),
      groups: own.groups,
      csp: { policies: reportPolicies(policies), evaluator: evaluatePolicies(policies) },
      cookies: reportCookies(cookies),
      thirdParties: reportThirdParties(isSeen ? page : undefined),
      securityTxt: reportSecurityTxt(seen.securityTxt),
      robots: reportRobots(seen.robots),
      observatory: compareWithObservatory(evidence, verdicts),
    },
  };
}

/** What only the page shows, or the way to it. */
const ofPage: readonly HeaderCode[] = [
  'target-address-not-allowed',
  'target-not-allowed',
  'target-error-status',
  'target-no-document',
  'target-is-default-page',
  'target-blocks-checks',
  'target-differs-by-visitor',
  'target-other-site',
  'redirect-client-side',
  'hsts-preload-ineligible',
  'isolation-ok',
  'csp-meta-ignored-directive',
  'csp-meta-not-in-head',
];

/** What was not seen, and what would speak of it. */
function blindSpotsOf({ https, http, preload }: HeaderEvidence): readonly BlindSpot<HeaderCode>[] {
  const isUnlisted = preload.some(([, state]) => state === 'unknown');
  return [
    { why: whyLost(https), codes: ofPage, holdsStay: true },
    { why: whyUnread(https), codes: ['csp-meta-ignored-directive', 'csp-meta-not-in-head'], holdsStay: true },
    { why: whyLost(http), codes: ['cookie-on-http', 'cookie-session-on-http'] },
    { why: isUnlisted ? 'the preload list was not read' : undefined, codes: ['hsts-preloaded'] },
  ];
}

function whyUnread({ hops, document }: HeaderEvidence['https']): string | undefined {
  const [, type = ''] = hops.at(-1)?.headers.find(([name]) => name.toLowerCase() === 'content-type') ?? [];
  return document === null && /\bhtml\b/i.test(type) ? 'the page was not read' : undefined;
}

function whyLost({ end }: HeaderEvidence['https']): string | undefined {
  return end.kind === 'failed' && kindOfFailure(end.code) === 'uncertain' ? end.reason : undefined;
}

// Who blocks us, or whose page stands where there is no site yet, sends headers and cookies of its own, which say nothing of the site.
function readSeen(evidence: HeaderEvidence): SiteFacts {
  const hops = readHops(evidence);
  const page = readPage(evidence, hops);
  const siteHops = page && isOfOthers(page.unseen) ? hops.filter(({ index }) => index !== page.index) : hops;
  return {
    hops,
    siteHops,
    page,
    cookies: readCookies(evidence, siteHops),
    securityTxt: readSecurityTxt(evidence),
    robots: readRobots(evidence),
  };
}

type SiteFacts = {
  readonly hops: readonly HopFacts[];
  /** Without an answer that is somebody else's. */
  readonly siteHops: readonly HopFacts[];
  readonly page: PageFacts | undefined;
  readonly cookies: readonly CookieFacts[];
  readonly securityTxt: SecurityTxtObservation;
  readonly robots: ReturnType<typeof readRobots>;
};

/** A verdict for every rule. */
export function judgeAll(evidence: HeaderEvidence, seen: SiteFacts): Verdicts<HeaderCode> {
  const { hops, page } = seen;
  return {
    ...judgeTarget(evidence, page, hops),
    ...judgeFamilies(evidence.families),
    ...judgeRedirects(evidence),
    ...(isJudged(page) ? judgePage(evidence, hops, page) : judgeNoPage(evidence, hops, page)),
    ...judgeAnswers(evidence, seen),
    ...judgeSecurityTxt(seen.securityTxt, evidence.seenAtMs),
    ...judgeRobots(seen.robots),
  };
}

// What the hops show is reported where there is no page; that they do not show more says nothing of it.
function judgeAnswers(evidence: HeaderEvidence, { siteHops, page, cookies }: SiteFacts) {
  const verdicts = {
    ...judgeCookies(cookies),
    ...judgeCors(readCors(isOfOthers(page?.unseen) ? [] : evidence.cors), evidence.corsUrl),
    ...judgeLeakage(siteHops, page),
    ...judgeHygiene(siteHops),
  };
  return isJudged(page) ? verdicts : unlessBroken(verdicts, whyNoPage(evidence, page));
}

// Browsers keep the Strict-Transport-Security of any answer, so one that is sent is judged; one that is missing may only be missing here.
function judgeNoPage(evidence: HeaderEvidence, hops: readonly HopFacts[], page: PageFacts | undefined) {
  const why = whyNoPage(evidence, page);
  const unseen = unseenPage(why);
  if (!page?.unseen) return unseen;
  const isSent = valuesOf(page.fields, 'strict-transport-security').length > 0;
  const hsts = unlessBroken(judgeHsts(evidence, hops, page), why);
  return { ...unseen, ...hsts, ...(isSent ? {} : { 'hsts-missing': why, 'hsts-not-on-first-hop': why }) };
}

function judgePage(evidence: HeaderEvidence, hops: readonly HopFacts[], page: PageFacts) {
  return {
    ...judgeHsts(evidence, hops, page),
    ...judgeCsp(evidence, page),
    ...judgeFraming(page),
    ...judgeSniffing(page),
    ...judgeReferrer(page),
    ...judgePermissions(page),
    ...judgeIsolation(page),
    ...judgeSubresources(page),
    ...judgeMixedContent(page),
  };
}

type PageCode = keyof ReturnType<typeof judgePage>;

function unseenPage(why: Verdict): Verdicts<PageCode> {
  return {
    ...allOf(hstsRules, why),
    ...allOf(cspRules, why),
    ...allOf(framingRules, why),
    ...allOf(sniffingRules, why),
    ...allOf(referrerRules, why),
    ...allOf(permissionsRules, why),
    ...allOf(isolationRules, why),
    ...allOf(subresourceRules, why),
    ...allOf(mixedContentRules, why),
  };
}

function whyNoPage({ https, http }: HeaderEvidence, page: PageFacts | undefined): Verdict {
  if (page?.unseen) return notTested(`the page itself was not seen: ${page.unseen.why}`);
  const { end } = https.hops.length >= http.hops.length ? https : http;
  return notTested(whyFailed({ end }) ?? 'the redirects lead to no page');
}

function stateOf(
  { https, http }: HeaderEvidence,
  hops: readonly HopFacts[],
  page: PageFacts | undefined,
): Assessment['state'] {
  if (hops.length === 0) return 'unreachable';
  if (!page || page.unseen) return 'partial';
  const unsure = [https, http].some(({ end }) => end.kind === 'failed' && !isClosed({ end }));
  return unsure ? 'partial' : 'complete';
}
