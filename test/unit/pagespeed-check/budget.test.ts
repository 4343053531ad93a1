import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  budgetMetrics,
  budgetText,
  judgeBudget,
  printBudget,
  readBudget,
} from '#shared/catalogue/pagespeed-check/budget';
import { withBudget } from '#shared/catalogue/pagespeed-check/judge-budget';
import { pagespeedOptions } from '#shared/catalogue/pagespeed-check/options';
import { pagespeedCheck } from '#shared/catalogue/pagespeed-check/spec';
import { makeReport, type Report } from '#shared/model/report';
import { isBroken } from '#shared/model/verdict';
import { assessPagespeed } from '../../../worker/checks/pagespeed-check/assess.ts';
import type { PagespeedEvidence } from '../../../worker/checks/pagespeed-check/evidence.ts';
import { gaveUp, load, requestSeen, requestsSeen, seen } from './evidence-kit.ts';

const parse = (budget: string) => pagespeedOptions.safeParse({ budget });

test.for([
  ['lcp:2500', 'lcp:2500'],
  ['bytes:1500000,lcp:2500.0,cls:0.10', 'lcp:2500,cls:0.1,bytes:1500000'],
  ['thirdPartyBytes:0', 'thirdPartyBytes:0'],
  ['cls:0.000001', 'cls:0.000001'],
] as const)('"%s" is read as "%s"', ([given, printed]) => {
  expect(parse(given).data?.budget).toBe(printed);
});

test.for([
  ['lcp', ['“lcp” is not metric:number, such as lcp:2500.']],
  ['', ['“” is not metric:number, such as lcp:2500.']],
  ['lcp:1,', ['“” is not metric:number, such as lcp:2500.']],
  ['LCP:1', ['Write “LCP” as lcp.']],
  [' lcp:1', ['Write “ lcp” as lcp.']],
  ['inp:1', [expect.stringMatching(/^“inp” is not a metric\. There are: lcp, fcp, /)]],
  ['lcp:1,lcp:2', ['“lcp” is there more than once; give each metric once.']],
  [
    Array.from({ length: 10 }, (_, at) => `lcp:${at}`).join(','),
    ['“lcp” is there more than once; give each metric once.'],
  ],
  ...['-1', '1e3', '0x10', '1.', '.5', ' 1', '1s', '', 'NaN', '1:2', '1234567890123', '٣'].map(
    (amount) => [`lcp:${amount}`, [expect.stringContaining('give a number from 0 to')]] as const,
  ),
  ['x:1,lcp:a,fcp', [expect.any(String), expect.any(String), expect.any(String)]],
] as const)('"%s" is refused, with each fault', ([given, faults]) => {
  expect(parse(given).error?.issues.map(({ message, path }) => [path[0], message])).toEqual(
    faults.map((fault) => ['budget', fault]),
  );
});

test('a budget of faults alone names ten of them, cut', () => {
  const { faults } = readBudget(Array.from({ length: 5000 }, () => 'x'.repeat(200)).join(','));
  expect(faults).toHaveLength(10);
  expect(Math.max(...faults.map(({ length }) => length))).toBeLessThan(200);
});

const lines = fc
  .uniqueArray(fc.constantFrom(...budgetMetrics), { minLength: 1 })
  .chain((metrics) =>
    fc.tuple(
      ...metrics.map((metric) =>
        fc.record({ metric: fc.constant(metric), limit: fc.integer({ min: 0, max: 999_999_999_999 }) }),
      ),
    ),
  );

test('what is printed is read again as the same, and fits the pattern', () => {
  fc.assert(
    fc.property(lines, (given) => {
      const text = printBudget(given);
      expect(printBudget(readBudget(text).lines)).toBe(text);
      expect(text).toMatch(budgetText);
    }),
  );
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void readBudget(text)));
});

test('at most: the limit itself is kept', () => {
  const values = Object.fromEntries(budgetMetrics.map((metric) => [metric, 100])) as Parameters<
    typeof judgeBudget
  >[1];
  const kept = (limit: number) => judgeBudget([{ metric: 'lcp', limit }], values).kept;
  expect([kept(99.9), kept(100), kept(100.1)]).toEqual([false, true, true]);
});

const page = {
  requests: requestsSeen([
    requestSeen({ bytes: 1000 }),
    requestSeen({ url: 'https://cdn.test/', isThirdParty: true, bytes: 250 }),
  ]),
};
/** A page with LCP 900 ms, CLS 0, two requests and 1,250 bytes, 250 of them of another site. */
const budgeted = (budget?: string): PagespeedEvidence => ({
  ...seen(load({ page })),
  ...(budget === undefined ? {} : { budget }),
});
const judge = (evidence: PagespeedEvidence) => {
  const { verdicts, fields, score, grade } = assessPagespeed(evidence);
  return { verdict: verdicts['budget-exceeded'], budget: fields.budget, score, grade };
};

test('a page that keeps its budget', () => {
  expect(judge(budgeted('lcp:900,cls:0,bytes:1250,requests:2,thirdPartyBytes:250'))).toMatchObject({
    verdict: 'holds',
    budget: { kept: true, entries: [{ metric: 'lcp', limit: 900, value: 900, kept: true }, {}, {}, {}, {}] },
  });
});

test('a page above its budget says by how much, and keeps score and grade', () => {
  const { verdict, budget, score, grade } = judge(budgeted('lcp:2500,bytes:1249,thirdPartyBytes:249'));
  expect(isBroken(verdict) && verdict.broken).toEqual([
    {
      metric: 'bytes',
      limit: '1249 bytes',
      value: '1250 bytes',
      exceeded: '2 metrics are above their limits',
    },
    {
      metric: 'thirdPartyBytes',
      limit: '249 bytes',
      value: '250 bytes',
      exceeded: '2 metrics are above their limits',
    },
  ]);
  expect([budget?.kept, score, grade]).toEqual([false, 100, 'A+']);
});

test('without a value a budget is not judged, and a page that was not measured has none', () => {
  const noLcp = {
    ...seen(load({ metrics: { lcp: { value: null, score: null } }, page })),
    budget: 'lcp:1,requests:9',
  };
  expect(judge(noLcp)).toMatchObject({
    verdict: { notTested: 'the load gave no value for lcp' },
    budget: {
      kept: null,
      entries: [
        { value: null, kept: null },
        { value: 2, kept: true },
      ],
    },
  });
  expect(judge({ ...seen(gaveUp('NO_FCP')), budget: 'cls:0.1' })).toMatchObject({
    verdict: { notTested: 'the load gave no value for cls' },
  });
});

test('no budget asked, no budget told', () => {
  expect(judge(budgeted())).toMatchObject({ verdict: 'not-applicable', budget: undefined });
});

const reportOf = (evidence: PagespeedEvidence): Report =>
  makeReport(
    {
      check: 'pagespeed-check',
      target: { url: 'http://a.test/' },
      rules: pagespeedCheck.rules,
      rulesVersion: 1,
      reportId: undefined,
      checkedAtMs: 0,
      durationMs: 0,
      freshForS: 1,
      keepForS: 1,
    },
    assessPagespeed(evidence),
  );

test.for(['lcp:900', 'lcp:1,tbt:0', 'ttfb:0', 'bytes:1,requests:1'])(
  'a stored report judged against "%s" says what a new load would say',
  (budget) => {
    const judged = withBudget(reportOf(budgeted()), budget);
    const fresh = reportOf(budgeted(budget));
    const sorted = ({ passed, ...report }: Report) => ({ ...report, passed: passed.toSorted() });
    expect(judged && sorted(judged)).toEqual(sorted(fresh));
  },
);

test('a stored report of another shape is not judged', () => {
  expect(withBudget({ ...reportOf(budgeted()), metrics: 'fast' }, 'lcp:1')).toBeUndefined();
});

test('only a budget leads to another report', () => {
  const { source } = pagespeedCheck.judgedFrom;
  expect(source({ runs: 1 })).toBeUndefined();
  expect(source({ runs: 1, budget: 'lcp:1' })).toEqual({ runs: 1 });
});
