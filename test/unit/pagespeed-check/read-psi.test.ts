import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isLoaded } from '../../../worker/checks/pagespeed-check/evidence.ts';
import { readPsi } from '../../../worker/checks/pagespeed-check/gather/read-psi.ts';
import type { PsiAnswer } from '../../../worker/probes/browser/port.ts';
import { psiAnswer, psiBody, psiError, psiResult } from './psi-kit.ts';

const read = (answer: PsiAnswer) => readPsi(answer, 'mobile');
const pageOf = (answer: PsiAnswer) => {
  const run = read(answer);
  if (!isLoaded(run)) throw new Error(JSON.stringify(run));
  return run.end.page;
};
const fieldOf = (change: Parameters<typeof psiAnswer>[0], strategy: 'mobile' | 'desktop' = 'mobile') => {
  const run = readPsi(psiAnswer(change), strategy);
  return 'field' in run ? run.field : run;
};
const page = psiBody()['loadingExperience'] as { metrics: Record<string, object> };
const { LARGEST_CONTENTFUL_PAINT_MS: lcp = {} } = page.metrics;

test('an answer becomes the page that a run of ours would have given', () => {
  expect(pageOf(psiAnswer())).toMatchObject({
    finalUrl: 'https://www.a.test/',
    score: 0.88,
    metrics: {
      lcp: { value: 3803.5, score: 0.55, weight: 25 },
      cls: { value: 0, score: 1, weight: 25 },
      tbt: { value: 20, score: 1, weight: 30 },
      fcp: { value: 1204.2, score: 0.98, weight: 10 },
      si: { value: 1400, score: 1, weight: 10 },
    },
    resources: { total: { requests: 9, bytes: 412_000 }, image: { requests: 4, bytes: 301_000 } },
    environment: { lighthouse: '13.0.1', benchmarkIndex: 561.5, throttling: { method: 'not reported' } },
  });
});

test('audits come with their rows and their savings', () => {
  expect(pageOf(psiAnswer()).audits.map(({ id }) => id)).toEqual([
    'render-blocking-insight',
    'dom-size-insight',
  ]);
  expect(pageOf(psiAnswer()).audits[0]).toMatchObject({
    savings: { FCP: 300, LCP: 300 },
    items: [{ url: 'https://www.a.test/a.css', totalBytes: 41_200, wastedMs: 300 }],
  });
});

test('what real visitors had comes beside it, CLS out of hundredths', () => {
  expect(fieldOf({})).toEqual({
    kind: 'record',
    scope: 'url',
    formFactor: 'PHONE',
    metrics: {
      lcp: { p75: 2206, distribution: [0.8, 0.13, 0.07] },
      inp: { p75: 214, distribution: [0.73, 0.2, 0.07] },
      cls: { p75: 0.1, distribution: [0.81, 0.12, 0.07] },
      fcp: { p75: 1432, distribution: [0.86, 0.09, 0.05] },
      ttfb: { p75: 620, distribution: [0.84, 0.11, 0.05] },
    },
    origin: { metrics: { lcp: { p75: 2900, distribution: [] } } },
  });
});

test.for([
  {
    name: 'the origin stands in for the page, and is marked',
    change: { loadingExperience: { ...page, origin_fallback: true } },
    field: { kind: 'record', scope: 'origin' },
  },
  {
    name: 'the origin’s own record is taken where the page has no metrics',
    change: { loadingExperience: { initial_url: 'https://a.test/' } },
    field: { kind: 'record', scope: 'origin', metrics: { lcp: { p75: 2900, distribution: [] } } },
  },
  {
    name: 'neither has a record',
    change: { loadingExperience: { initial_url: 'https://a.test/' }, originLoadingExperience: {} },
    field: { kind: 'none', reason: 'too few visitors for a record' },
  },
  {
    name: 'a percentile that is no number is no metric',
    change: { loadingExperience: { metrics: { LARGEST_CONTENTFUL_PAINT_MS: { percentile: '2206' } } } },
    field: { kind: 'record', scope: 'origin' },
  },
  {
    name: 'distributions of another kind are left empty',
    change: {
      loadingExperience: { metrics: { LARGEST_CONTENTFUL_PAINT_MS: { ...lcp, distributions: {} } } },
    },
    field: { metrics: { lcp: { p75: 2206, distribution: [] } } },
  },
])('field data: $name', ({ change, field }) => {
  expect(fieldOf(change)).toMatchObject(field);
});

test('field data of a desktop is called so', () => {
  expect(fieldOf({}, 'desktop')).toMatchObject({ formFactor: 'DESKTOP' });
});

const lost = (code: string, message: string, status: number | null = null) => ({
  kind: 'run',
  source: 'psi',
  end: { kind: 'not-measured', code, message, status },
});

test.for([
  {
    name: 'an error of Lighthouse’s, told as one of the API',
    answer: psiError('Lighthouse returned error: NO_FCP. The page did not paint any content.'),
    expected: lost('NO_FCP', 'Lighthouse returned error: NO_FCP. The page did not paint any content.'),
  },
  {
    name: 'the status of a document that is an error',
    answer: psiError(
      'Lighthouse returned error: ERRORED_DOCUMENT_REQUEST. Unable to load the page. (Status code: 404)',
    ),
    expected: { end: { code: 'ERRORED_DOCUMENT_REQUEST', status: 404 } },
  },
  {
    name: 'an error inside the result',
    answer: psiResult({ audits: { x: {} }, runtimeError: { code: 'PAGE_HUNG', message: 'it hung' } }),
    expected: lost('PAGE_HUNG', 'it hung'),
  },
  {
    name: 'no error, and no number either',
    answer: psiResult({ audits: { x: {} }, runtimeError: { code: 'NO_ERROR', message: '' } }),
    expected: lost('NO_METRICS', 'A metric is missing.'),
  },
])('not measured: $name', ({ answer, expected }) => {
  expect(read(answer)).toMatchObject(expected);
});

test('where nothing was measured nothing is said of real visitors but what came', () => {
  expect(read(psiError('Lighthouse returned error: NO_FCP'))).toMatchObject({
    field: { kind: 'none', reason: 'PageSpeed Insights reported nothing about real visitors' },
  });
});

const unusable = (reason: string) => ({ kind: 'failure', code: 'browser-unavailable', reason });

test.for([
  {
    name: 'a key that is not valid, whose message stays here',
    answer: psiError('API key not valid. Please pass a valid API key.'),
    reason: 'PageSpeed Insights answered with status 400',
  },
  {
    name: 'a quota that is used up',
    answer: psiError("Quota exceeded for consumer 'project_number:1'.", 429),
    reason: 'PageSpeed Insights answered with status 429',
  },
  {
    name: 'no JSON',
    answer: { ...psiAnswer(), body: undefined },
    reason: 'PageSpeed Insights answered in a shape that is not known here',
  },
  {
    name: 'an answer without a result',
    answer: psiAnswer({ lighthouseResult: null }),
    reason: 'PageSpeed Insights answered in a shape that is not known here',
  },
  {
    name: 'a whole result under a status that says otherwise',
    answer: psiAnswer({}, 500),
    reason: 'PageSpeed Insights answered with status 500',
  },
  {
    name: 'details that the trimming stumbles over',
    answer: psiResult({
      audits: { 'resource-summary': { details: { items: [null] } }, 'final-screenshot': {} },
    }),
    reason: 'PageSpeed Insights answered in a shape that is not known here',
  },
])('unusable: $name', ({ answer, reason }) => {
  expect(read(answer)).toMatchObject(unusable(reason));
});

test('a score that is none is left out, and infinite numbers with it', () => {
  const audits = (psiBody()['lighthouseResult'] as { audits: object }).audits;
  const odd = JSON.parse('{"score": 7, "numericValue": 1e999, "title": 3}') as object;
  expect(pageOf(psiResult({ audits: { ...audits, 'speed-index': odd } })).metrics.si).toEqual({
    value: null,
    score: null,
    weight: 10,
  });
});

test('references to keys that every object has name no audit', () => {
  const auditRefs = ['__proto__', 'constructor', 'toString'].map((id) => ({ id, group: 'insights' }));
  expect(pageOf(psiResult({ categories: { performance: { score: 1, auditRefs } } })).audits).toEqual([]);
});

const keys = fc.constantFrom('audits', 'categories', 'environment', 'configSettings', 'runWarnings', 'x');
const anyAnswer = fc.oneof(
  fc.jsonValue().map((body): PsiAnswer => ({ ...psiAnswer(), body })),
  fc.dictionary(keys, fc.jsonValue()).map((change) => psiResult(change)),
  fc
    .dictionary(fc.constantFrom('loadingExperience', 'originLoadingExperience', 'error'), fc.jsonValue())
    .map((change) => psiAnswer(change)),
  // Any value in the place of any one audit's details.
  fc
    .tuple(fc.constantFrom('render-blocking-insight', 'resource-summary', 'metrics'), fc.jsonValue())
    .map(([id, details]) => {
      const { audits } = psiBody()['lighthouseResult'] as { audits: Record<string, object> };
      return psiResult({ audits: { ...audits, [id]: { ...audits[id], details } } });
    }),
);

test('answers of any shape never throw, and give JSON', () => {
  fc.assert(
    fc.property(anyAnswer, (answer) => {
      const run = read(answer);
      expect(JSON.parse(JSON.stringify(run))).toEqual(run);
    }),
  );
});
