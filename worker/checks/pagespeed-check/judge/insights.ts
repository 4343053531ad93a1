import type { PagespeedCode } from '#shared/catalogue/pagespeed-check/rules';
import { brokenIf, codesOf, notTested, type Verdict } from '#shared/model/verdict';
import type { AuditObservation, PageObservation } from '../../../probes/browser/port.ts';
import { hasFailed } from '../facts/savings.ts';
import { fixOfLatency, sumBusyMs, summarise } from './show-insight.ts';

/** The rule that each of Lighthouse's audits decides. */
export const auditOf = {
  'render-blocking-requests': 'render-blocking-insight',
  'images-wasteful': 'image-delivery-insight',
  'lcp-request-late': 'lcp-discovery-insight',
  'cache-lifetime-short': 'cache-insight',
  'document-latency-high': 'document-latency-insight',
  'server-response-slow': 'server-response-time',
  'page-redirects': 'redirects',
  'dom-too-large': 'dom-size-insight',
  'javascript-duplicated': 'duplicated-javascript-insight',
  'fonts-hide-text': 'font-display-insight',
  'reflow-forced': 'forced-reflow-insight',
  'javascript-legacy': 'legacy-javascript-insight',
  'request-chain-long': 'network-dependency-tree-insight',
  'third-parties-heavy': 'third-parties-insight',
  'viewport-not-mobile': 'viewport-insight',
  'css-not-minified': 'unminified-css',
  'css-unused': 'unused-css-rules',
  'javascript-not-minified': 'unminified-javascript',
  'javascript-unused': 'unused-javascript',
  'page-too-heavy': 'total-byte-weight',
  'javascript-execution-slow': 'bootup-time',
  'main-thread-busy': 'mainthread-work-breakdown',
  'animations-not-composited': 'non-composited-animations',
  'images-without-dimensions': 'unsized-images',
} as const satisfies { readonly [Code in PagespeedCode]?: string };
export type InsightCode = keyof typeof auditOf;

/** Requests one after another, the document included, that make a chain worth telling of. */
const chainFrom = 3;
/** Elements above which Lighthouse gave its audit dom-size less than half of the points, while it had one (up to 12). */
const manyElements = 1400;
/** ms of the main thread above which third parties failed its audit third-party-summary (up to 12). */
const busyThirdPartiesMs = 250;

/**
 * Judges Lighthouse's insights and diagnostics: broken below a score of 0.9.
 * @param unseen why the page was not seen whole, so that nothing of it holds; null where it was
 */
export function judgeInsights(
  page: PageObservation | undefined,
  unseen: string | null,
): Record<InsightCode, Verdict> {
  const verdicts = codesOf(auditOf).map((code): [InsightCode, Verdict] => {
    const verdict = judgeInsight(code, page);
    return [code, unseen !== null && verdict === 'holds' ? notTested(unseen) : verdict];
  });
  return Object.fromEntries(verdicts) as Record<InsightCode, Verdict>;
}

function judgeInsight(code: InsightCode, page: PageObservation | undefined): Verdict {
  if (!page) return notTested('the page could not be measured');
  const audit = page.audits.find(({ id }) => id === auditOf[code]);
  if (!audit) return notTested('this version of Lighthouse does not report it');
  if (audit.mode === 'error') return notTested('Lighthouse could not run this audit');
  if (audit.mode === 'notApplicable') return 'not-applicable';
  if (code === 'dom-too-large' || code === 'third-parties-heavy') return judgeUnscored(code, audit);
  if (audit.mode === 'informative' || audit.score === null) return 'not-applicable';
  // For Lighthouse a document and one style sheet are already a chain; every page has that.
  if (code === 'request-chain-long' && audit.itemCount < chainFrom) return 'holds';
  const fix = code === 'document-latency-high' ? fixOfLatency(audit) : undefined;
  return brokenIf(hasFailed(audit), summarise(code, audit), fix);
}

// For these two Lighthouse 13 gives numbers but no score, so the limits are ours.
function judgeUnscored(code: 'dom-too-large' | 'third-parties-heavy', audit: AuditObservation): Verdict {
  if (code === 'third-parties-heavy')
    return brokenIf(sumBusyMs(audit) > busyThirdPartiesMs, summarise(code, audit));
  if (audit.value === null) return notTested('Lighthouse did not count the elements');
  return brokenIf(audit.value > manyElements, summarise(code, audit));
}
