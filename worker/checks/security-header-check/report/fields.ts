import { isMalformed } from '#shared/model/verdict';
import { valuesOf } from '../../../web/fields.ts';
import { findKnownCookie } from '../../../web/known-cookies.ts';
import { maskAttributeValue, maskSetCookie } from '../../../web/mask-cookie.ts';
import type { CorsObservation, HeaderEvidence } from '../evidence.ts';
import { nameOf, type CookieFacts } from '../facts/cookies.ts';
import { readCors } from '../facts/cors.ts';
import { readFraming } from '../facts/framing.ts';
import { readEffectiveHsts } from '../facts/hsts.ts';
import { readIsolation } from '../facts/isolation.ts';
import { isJudged, type PageFacts, type HopFacts } from '../facts/page.ts';
import type { PolicyFacts } from '../facts/policies.ts';
import { readReferrer } from '../facts/referrer.ts';
import { readScripts } from '../facts/script.ts';
import { readThirdParties } from '../facts/third-parties.ts';
import { parseNosniff } from '../grammar/one-word-fields.ts';
import { preloadOf, whyNotPreloadable } from '../judge/hsts.ts';
import { policyLimit } from './evaluator/csp-evaluator.ts';

/** Characters of header text that a report keeps in all; evidence keeps everything. */
const headerBudget = 262_144;
const valueLimit = 16_384;

/** The hops as the report shows them: headers as sent but for the values of cookies, cut where a hostile target sends more than a report may hold. */
export function reportHops(hops: readonly HopFacts[]) {
  let left = headerBudget;
  return hops.map(({ hop: { url, status, headers, leftBy }, chain }) => {
    const kept = headers.flatMap(([name, value]) => {
      if (left <= 0) return [];
      left -= name.length + value.length;
      return [[name.slice(0, 256), reportValue(name, value).slice(0, valueLimit)]];
    });
    const cut = kept.length < headers.length ? { headersLeftOut: headers.length - kept.length } : {};
    return { url, status, ...(leftBy ? { via: leftBy } : {}), chain, headers: kept, ...cut };
  });
}

// Readers of a report must not get the session that was opened for the check.
function reportValue(name: string, value: string): string {
  return name.toLowerCase() === 'set-cookie' ? maskSetCookie(value) : value;
}

/** What a browser would enforce, as the report shows it; null where there is no page or it does not apply to one. */
export function reportEffective(evidence: HeaderEvidence, page: PageFacts | undefined) {
  // A block page or an error has headers of its own; browsers keep its HSTS all the same.
  const isHidden = !isJudged(page);
  return {
    hsts: page ? reportHsts(evidence, page) : null,
    ...reportOfPage(isHidden ? undefined : page),
    cors: isHidden && page !== undefined ? null : reportCors(evidence.cors),
  };
}

function reportOfPage(page: PageFacts | undefined) {
  if (!page) return { framing: null, script: null, sniffing: null, referrer: null, isolation: null };
  const { fields, isDocument } = page;
  return {
    framing: isDocument ? reportFraming(page) : null,
    script: isDocument ? reportScript(page) : null,
    sniffing: { nosniff: parseNosniff(valuesOf(fields, 'x-content-type-options'))?.nosniff ?? false },
    referrer: isDocument ? reportReferrer(page) : null,
    isolation: readIsolation(page).effective,
  };
}

/** The policies as the report shows them; long ones are cut. */
export function reportPolicies(policies: readonly PolicyFacts[]) {
  return policies.slice(0, policyLimit).map(({ policy, from, disposition, url }) => ({
    from,
    disposition,
    url,
    text: policy.text.slice(0, valueLimit),
    directives: [...policy.directives.values()].slice(0, 200).map(({ name, values }) => ({
      name: name.slice(0, 256),
      values: values.slice(0, 500).map(({ text }) => text.slice(0, 1024)),
    })),
  }));
}

/** The cookies as the report shows them: without their values, which may be somebody's session. */
export function reportCookies(cookies: readonly CookieFacts[]) {
  return cookies.slice(0, 500).map(reportCookie);
}

/** The origins of other sites as the report shows them; null where there is no HTML page to name any. */
export function reportThirdParties(page: PageFacts | undefined) {
  if (!page?.document) return null;
  const origins = readThirdParties(page);
  return { origins: origins.slice(0, 100), count: origins.length, whole: page.document.cut === null };
}

const ignoredWhole = { secure: false, httpOnly: false, sameSite: null };

function reportCookie(each: CookieFacts) {
  const { seen, cookie, storage, session } = each;
  const { secure, httpOnly, sameSite } = cookie ?? ignoredWhole;
  const known = findKnownCookie(nameOf(each));
  const place = storage.stored
    ? storage
    : { domain: cookie?.domain ?? seen.url.hostname, path: cookie?.path ?? '/' };
  return {
    name: nameOf(each).slice(0, 256),
    url: seen.hop.url,
    domain: maskAttributeValue(place.domain).slice(0, 256),
    path: maskAttributeValue(place.path).slice(0, 256),
    valueOctets: cookie?.valueOctets ?? null,
    secure,
    httpOnly,
    sameSite,
    stored: storage.stored,
    ...(storage.stored ? {} : { reason: storage.reason }),
    session,
    ...(known ? { known } : {}),
  };
}

function reportHsts(evidence: HeaderEvidence, page: PageFacts) {
  const { applied, parsed, why } = readEffectiveHsts(page);
  const valid = parsed && !isMalformed(parsed) ? parsed : undefined;
  const faults = whyNotPreloadable(evidence, page);
  return {
    applied,
    seconds: valid?.maxAgeS ?? null,
    includeSubDomains: valid?.includeSubDomains ?? false,
    preload: preloadOf(evidence, page.url.hostname),
    preloadEligible: faults === undefined ? null : faults.length === 0,
    ...(why === undefined ? {} : { why: `It ${why}.` }),
  };
}

function reportFraming(page: PageFacts) {
  const { allowed, by, sources } = readFraming(page);
  return { allowed, by, sources: sources.slice(0, 100).map((source) => source.slice(0, 1024)) };
}

function reportScript(page: PageFacts) {
  const verdict = readScripts(page.policies);
  const inline = verdict.inline !== null;
  const anyHost = verdict.anyHost !== null || verdict.inlineUrls !== null;
  const level = (): 'report-only' | 'none' | 'open' | 'strict' | 'hosts' => {
    if (verdict.policies.length === 0)
      return page.policies.some(({ disposition }) => disposition === 'report') ? 'report-only' : 'none';
    if (inline || anyHost) return 'open';
    return verdict.strict ? 'strict' : 'hosts';
  };
  return { level: level(), inline, eval: verdict.eval !== null, anyHost, policies: verdict.policies.length };
}

function reportReferrer(page: PageFacts) {
  const { policy, by } = readReferrer(page);
  return { policy, by };
}

function reportCors(sights: readonly CorsObservation[]) {
  if (sights.length === 0) return null;
  const { access, nullOrigin } = readCors(sights);
  return { access, nullOrigin };
}
