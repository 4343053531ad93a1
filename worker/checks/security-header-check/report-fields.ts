import { valuesOf } from '../../web/fields.ts';
import { isMalformed } from '../../web/malformed.ts';
import { maskAttributeValue, maskSetCookie } from '../../web/mask-cookie.ts';
import { nameOf, type SeenCookie } from './effective/cookies.ts';
import { judgeCors } from './effective/cors.ts';
import { judgeFraming } from './effective/framing.ts';
import { judgeHsts } from './effective/hsts.ts';
import { judgeIsolation } from './effective/isolation.ts';
import { judgeReferrer } from './effective/referrer.ts';
import { judgeScripts } from './effective/script.ts';
import { policyLimit } from './evaluator/csp-evaluator.ts';
import type { CorsSight, HeaderEvidence } from './evidence.ts';
import { parseNosniff } from './grammar/nosniff.ts';
import { preloadOf, whyNotPreloadable } from './judge/hsts.ts';
import type { Page, SeenHop } from './sight/page.ts';
import type { SeenPolicy } from './sight/policies.ts';

/** Characters of header text that a report keeps in all; evidence keeps everything. */
const headerBudget = 262_144;
const valueLimit = 16_384;

/** The hops as the report shows them: headers as sent but for the values of cookies, cut where a hostile target sends more than a report may hold. */
export function showHops(hops: readonly SeenHop[]) {
  let left = headerBudget;
  return hops.map(({ hop: { url, status, headers }, chain }) => {
    const kept = headers.flatMap(([name, value]) => {
      if (left <= 0) return [];
      left -= name.length + value.length;
      return [[name.slice(0, 256), showValue(name, value).slice(0, valueLimit)]];
    });
    const cut = kept.length < headers.length ? { headersLeftOut: headers.length - kept.length } : {};
    return { url, status, chain, headers: kept, ...cut };
  });
}

// Whoever reads a report must not get the session that was opened for the check.
function showValue(name: string, value: string): string {
  return name.toLowerCase() === 'set-cookie' ? maskSetCookie(value) : value;
}

/** What a browser would enforce, as the report shows it; null where there is no page or it does not apply to one. */
export function showEffective(evidence: HeaderEvidence, page: Page | undefined) {
  return {
    hsts: page ? showHsts(evidence, page) : null,
    framing: page?.isDocument ? showFraming(page) : null,
    script: page?.isDocument ? showScript(page) : null,
    sniffing: page
      ? { nosniff: parseNosniff(valuesOf(page.fields, 'x-content-type-options'))?.nosniff ?? false }
      : null,
    referrer: page?.isDocument ? showReferrer(page) : null,
    isolation: page ? judgeIsolation(page).effective : null,
    cors: showCors(evidence.cors),
  };
}

/** The policies as the report shows them; long ones are cut. */
export function showPolicies(policies: readonly SeenPolicy[]) {
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
export function showCookies(cookies: readonly SeenCookie[]) {
  return cookies.slice(0, 500).map(showCookie);
}

const ignoredWhole = { secure: false, httpOnly: false, sameSite: null };

function showCookie(each: SeenCookie) {
  const { seen, cookie, storage, session } = each;
  const { secure, httpOnly, sameSite } = cookie ?? ignoredWhole;
  const place = storage.stored
    ? storage
    : { domain: cookie?.domain ?? seen.url.hostname, path: cookie?.path ?? '/' };
  return {
    name: nameOf(each).slice(0, 256),
    url: seen.hop.url,
    domain: maskAttributeValue(place.domain).slice(0, 256),
    path: maskAttributeValue(place.path).slice(0, 256),
    valueOctets: cookie?.value.length ?? null,
    secure,
    httpOnly,
    sameSite,
    stored: storage.stored,
    ...(storage.stored ? {} : { reason: storage.reason }),
    session,
  };
}

function showHsts(evidence: HeaderEvidence, page: Page) {
  const { applied, parsed, why } = judgeHsts(page);
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

function showFraming(page: Page) {
  const { allowed, by, sources } = judgeFraming(page);
  return { allowed, by, sources: sources.slice(0, 100).map((source) => source.slice(0, 1024)) };
}

function showScript(page: Page) {
  const verdict = judgeScripts(page.policies);
  const inline = verdict.inline !== null;
  const anyHost = verdict.anyHost !== null || verdict.inlineUrls !== null;
  const level = () => {
    if (verdict.policies.length === 0)
      return page.policies.some(({ disposition }) => disposition === 'report') ? 'report-only' : 'none';
    if (inline || anyHost) return 'open';
    return verdict.strict ? 'strict' : 'hosts';
  };
  return { level: level(), inline, eval: verdict.eval !== null, anyHost, policies: verdict.policies.length };
}

function showReferrer(page: Page) {
  const { policy, by } = judgeReferrer(page);
  return { policy, by };
}

function showCors(sights: readonly CorsSight[]) {
  if (sights.length === 0) return null;
  const { access, nullOrigin } = judgeCors(sights);
  return { access, nullOrigin };
}
