import { type HeaderCode, rules } from '#shared/catalogue/security-header-check/rules';
import { isBroken, type Verdicts } from '#shared/model/verdict';
import type { PreloadState } from '../../../../web/preload-list.ts';
import type { HeaderEvidence } from '../../evidence.ts';
import { chart, gradeObservatory, type ObservatoryTest } from './chart.ts';
import { testCookies } from './cookies.ts';
import { testCsp } from './csp.ts';
import {
  testCors,
  testEmbedder,
  testFraming,
  testHsts,
  testNosniff,
  testOpener,
  testRedirection,
  testReferrer,
  testResource,
} from './headers.ts';
import { testIntegrity } from './subresource-integrity.ts';
import { isGradedStatus, isTooLargeForObservatory, type ObservatoryView, viewAsObservatory } from './view.ts';

export type ObservatoryVerdict = {
  readonly pass: boolean;
  /** The Observatory's own word for it. */
  readonly result: string;
  readonly score: number;
  readonly disputed?: {
    readonly ours: 'good' | 'bad' | 'not-applicable';
    readonly findings: readonly string[];
  };
};

/** What the MDN HTTP Observatory would say under algorithm 6. Never mixed with the own score. */
export type Observatory = {
  readonly algorithm: 6;
  readonly score: number | null;
  readonly grade: string | null;
  readonly preload: PreloadState;
  readonly error?: string;
  readonly tests: { readonly [test: string]: ObservatoryVerdict };
};

/** Grades the evidence as the Observatory would, and marks each of its results that our own findings dispute. */
export function compareWithObservatory(
  evidence: HeaderEvidence,
  verdicts: Verdicts<HeaderCode>,
): Observatory {
  const host = new URL(evidence.url).hostname;
  const preload = evidence.preload.find(([name]) => name === host)?.[1] ?? 'unknown';
  const view = viewAsObservatory(evidence);
  const error = whyUngraded(view);
  if (!view || error !== undefined)
    return {
      algorithm: 6,
      score: null,
      grade: null,
      preload,
      error: error ?? 'The site seems to be down.',
      tests: {},
    };
  const outcomes = runTests(view);
  const tests = Object.entries(outcomes).map(([test, outcome]): [string, ObservatoryVerdict] => {
    const [score, pass] = pointsOf(test as ObservatoryTest, outcome);
    const disputed = disputeOf(test as ObservatoryTest, score, verdicts);
    return [test, { pass, result: outcome, score, ...(disputed ? { disputed } : {}) }];
  });
  const { score, grade } = gradeObservatory(tests.map(([, { score: points }]) => points));
  return { algorithm: 6, score, grade, preload, tests: Object.fromEntries(tests) };
}

function whyUngraded(view: ObservatoryView | undefined): string | undefined {
  if (!view || isTooLargeForObservatory(view.graded)) return 'The site seems to be down.';
  const { status } = view.graded.last;
  return isGradedStatus(status) ? undefined : `The site answered ${status}, which is not graded.`;
}

function runTests(view: ObservatoryView): { readonly [T in ObservatoryTest]: string } {
  const csp = testCsp(view);
  const hsts = testHsts(view);
  const hasHsts = pointsOf('strict-transport-security', hsts)[1];
  return {
    'content-security-policy': csp.outcome,
    cookies: testCookies(view, hasHsts),
    'cross-origin-embedder-policy': testEmbedder(view),
    'cross-origin-opener-policy': testOpener(view),
    'cross-origin-resource-sharing': testCors(view),
    redirection: testRedirection(view),
    'referrer-policy': testReferrer(view),
    'strict-transport-security': hsts,
    'subresource-integrity': testIntegrity(view),
    'x-content-type-options': testNosniff(view),
    'x-frame-options': testFraming(view, csp.hasAncestors),
    'cross-origin-resource-policy': testResource(view),
  };
}

function pointsOf(test: ObservatoryTest, outcome: string): readonly [score: number, pass: boolean] {
  const table: { readonly [outcome: string]: readonly [number, boolean] } = chart[test];
  return table[outcome] ?? [0, false];
}

// The own rules that look at the same thing: by the beginning of their codes.
const counterparts: { readonly [T in ObservatoryTest]: RegExp } = {
  'content-security-policy': /^(?:csp-(?!frame-ancestors|report-|multiple)|trusted-types)/,
  cookies: /^cookie-/,
  'cross-origin-embedder-policy': /^coep-invalid$/,
  'cross-origin-opener-policy': /^coop-invalid$/,
  'cross-origin-resource-sharing': /^cors-/,
  redirection: /^(?:redirect-|http-not-upgraded$|https-(?:downgrade|upgrade-late)$)/,
  'referrer-policy': /^referrer-policy-/,
  'strict-transport-security': /^hsts-/,
  'subresource-integrity': /^(?:sri-|script-http$)/,
  'x-content-type-options': /^xcto-/,
  'x-frame-options': /^(?:framing-|xfo-)/,
  'cross-origin-resource-policy': /^corp-invalid$/,
};
const codesByTest: ReadonlyMap<string, readonly HeaderCode[]> = new Map(
  Object.entries(counterparts).map(([test, pattern]) => [
    test,
    (Object.keys(rules) as HeaderCode[]).filter((code) => pattern.test(code)),
  ]),
);
// Findings of low severity that the Observatory takes points for too.
const weightyLow: ReadonlySet<string> = new Set<HeaderCode>([
  'https-upgrade-late',
  'referrer-policy-invalid',
  'coop-invalid',
  'coep-invalid',
  'corp-invalid',
]);

function disputeOf(
  test: ObservatoryTest,
  score: number,
  verdicts: Verdicts<HeaderCode>,
): ObservatoryVerdict['disputed'] {
  const codes = codesByTest.get(test) ?? [];
  const findings = codes.filter((code) => isBroken(verdicts[code]) && weighs(code));
  const isBad = findings.length > 0;
  if (isBad) return score < 0 ? undefined : { ours: 'bad', findings };
  if (score >= 0) return undefined;
  // What could not be seen is disputed by nobody.
  if (codes.some((code) => typeof verdicts[code] === 'object' && 'notTested' in verdicts[code]))
    return undefined;
  const judged = codes.some((code) => verdicts[code] !== 'not-applicable');
  return { ours: judged ? 'good' : 'not-applicable', findings: [] };
}

function weighs(code: HeaderCode): boolean {
  return (
    weightyLow.has(code) ||
    rules[code].severity === 'critical' ||
    rules[code].severity === 'high' ||
    rules[code].severity === 'medium'
  );
}
