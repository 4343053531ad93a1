import { type PagespeedCode, rules } from '../../../shared/catalogue/pagespeed-check/rules.ts';
import { brokenIf, codesOf, type Evidence, notTested, type Verdict } from '../../../shared/model/verdict.ts';
import type { AuditSeen, PageSight } from '../../probes/browser/port.ts';
import { displayBytes } from './ratings.ts';
import { hasFailed } from './savings.ts';

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

/** Judges Lighthouse's insights and diagnostics: broken below a score of 0.9. */
export function judgeInsights(page: PageSight | undefined): Record<InsightCode, Verdict> {
  const verdicts = codesOf(auditOf).map((code) => [code, judgeInsight(code, page)]);
  return Object.fromEntries(verdicts) as Record<InsightCode, Verdict>;
}

function judgeInsight(code: InsightCode, page: PageSight | undefined): Verdict {
  if (!page) return notTested('the page could not be measured');
  const audit = page.audits.find(({ id }) => id === auditOf[code]);
  if (!audit) return notTested('this version of Lighthouse does not tell');
  if (audit.mode === 'error') return notTested('Lighthouse failed at it');
  if (audit.mode === 'notApplicable' || audit.score === null) return 'not-applicable';
  // A document and one style sheet are a chain to Lighthouse; nobody can build a page without.
  if (code === 'request-chain-long' && audit.itemCount < chainFrom) return 'holds';
  return brokenIf(hasFailed(audit), summarise(code, audit));
}

/** One piece of evidence: what the rule's sentence needs, and the audit's first rows. */
function summarise(code: InsightCode, audit: AuditSeen): Evidence {
  const { id, score, savings, items } = audit;
  const told = Object.entries(tellAll(audit)).filter(([key]) => rules[code].detail.includes(`{${key}}`));
  return { audit: id, ...Object.fromEntries(told), score, savings, items: items.slice(0, 3) };
}

/** All that the sentences of the rules may name. */
function tellAll(audit: AuditSeen): Evidence {
  const { display, items, itemCount, value, savedBytes } = audit;
  const [first = {}] = items;
  const failed = items.flatMap(({ passed, label }) =>
    passed === false && typeof label === 'string' ? [label] : [],
  );
  return {
    display: readAmount(display),
    value,
    count: itemCount,
    saved: savedBytes === null ? readAmount(display) : displayBytes(savedBytes),
    size: value === null ? 'an unknown size' : displayBytes(Math.round(value)),
    url: lastOrFirst(audit)['url'] ?? first['selector'] ?? 'the page itself',
    entity: first['entity'] ?? 'A third party',
    group: first['groupLabel'] ?? 'other work',
    failed: failed.join('; '),
  };
}

// Of a chain the end is what it keeps waiting; of a table the first row is the worst.
function lastOrFirst({ id, items }: AuditSeen): Evidence {
  return (id === 'network-dependency-tree-insight' ? items.at(-1) : items[0]) ?? {};
}

/** "Est savings of 30 ms" and "Root document took 710 ms" as "30 ms" and "710 ms". */
function readAmount(display: string | null): string {
  return /[\d.,]+\s*(?:ms|s|KiB|MiB)\b/.exec((display ?? '').slice(0, 200))?.[0] ?? 'some time';
}
