import { expect, test } from 'vitest';
import { z } from 'zod';
import { pagespeedReportShape } from '#shared/catalogue/pagespeed-check/report';
import { rules } from '#shared/catalogue/pagespeed-check/rules';
import { speedRules } from '#shared/catalogue/pagespeed-check/rules/speed';
import { listVerdicts } from '#shared/model/finding';
import { envelopeShape } from '#shared/model/report';
import { makeReport } from '#shared/model/report';
import { codesBroken, codesOf, isBroken } from '#shared/model/verdict';
import { assessPagespeed } from '../../../worker/checks/pagespeed-check/assess.ts';
import { auditOf } from '../../../worker/checks/pagespeed-check/judge/insights.ts';
import { cases, failing, field, refusal } from './cases.ts';
import { ended, gaveUp, load, readImagesRun, seen } from './evidence-kit.ts';
import { psiAnswer, seenByPsi } from './psi-kit.ts';

test.for(cases)('$name', ({ evidence, broken, ended: end = 'measured', score = 100, state = 'complete' }) => {
  const assessment = assessPagespeed(evidence);
  expect(codesBroken(assessment.verdicts).toSorted()).toEqual([...broken].toSorted());
  expect(assessment.fields['ended']).toBe(end);
  expect(assessment.state).toBe(state);
  expect(assessment.score).toBe(score);
});

test.for(cases)(
  'the report of "$name" has the promised shape, and every sentence is filled',
  ({ evidence }) => {
    const assessment = assessPagespeed(evidence);
    expect(Object.keys(assessment.verdicts).toSorted()).toEqual(Object.keys(rules).toSorted());
    const report = makeReport(
      {
        check: 'pagespeed-check',
        target: { url: evidence.url },
        rules,
        rulesVersion: 1,
        reportId: undefined,
        checkedAtMs: 0,
        durationMs: 0,
        freshForS: 1,
        keepForS: 1,
      },
      assessment,
    );
    expect(
      z.looseObject({ ...envelopeShape, ...pagespeedReportShape }).safeParse(report).error,
    ).toBeUndefined();
    const { findings } = listVerdicts(rules, assessment.verdicts);
    expect(
      findings.map(({ detail }) => detail).filter((detail) => /\{\w+\}|undefined|null/.test(detail)),
    ).toEqual([]);
  },
);

test('each rule has a row for broken, for holds and, where it can happen, for notTested', () => {
  const verdicts = cases.map(({ evidence }) => assessPagespeed(evidence).verdicts);
  // Budgets and the categories beside performance have files of their own.
  const own = codesOf(speedRules);
  const missing = own.flatMap((code) => {
    const found = verdicts.map((all) => all[code]);
    return [
      found.some(isBroken) ? [] : [`${code} broken`],
      found.includes('holds') ? [] : [`${code} holds`],
      found.some((verdict) => typeof verdict === 'object' && 'notTested' in verdict)
        ? []
        : [`${code} notTested`],
    ].flat();
  });
  expect(missing).toEqual([]);
});

test('what the metrics take from the score adds up to what it lacks', () => {
  const { scoreEffects = {}, verdicts, score } = assessPagespeed(seen(readImagesRun()));
  const lost = codesBroken(verdicts).reduce((sum, code) => sum - (scoreEffects[code] ?? 0), 0);
  // Each is rounded for itself, and what a good metric lacks of 1 is told by no finding.
  expect(Math.abs(100 - (score ?? 0) - lost)).toBeLessThanOrEqual(4);
});

test('a host that our budget kept the page from is not called unreachable', () => {
  const { verdicts } = assessPagespeed(seen(load({ traffic: refusal('budget-spent', 'many.test') })));
  expect(verdicts['requests-unreachable']).toEqual({
    notTested: 'the budget of this run for requests to other hosts was spent',
  });
});

test('what only our own browser sees is not tested where PageSpeed Insights measured', () => {
  const { verdicts } = assessPagespeed(seenByPsi(psiAnswer()));
  const { notTested } = listVerdicts(rules, verdicts);
  expect(notTested.map(({ code }) => code)).toEqual(
    expect.arrayContaining([
      'page-memory-excessive',
      'page-transfer-excessive',
      'requests-not-allowed',
      'requests-unreachable',
      'measurement-uncertain',
    ]),
  );
  expect(verdicts['browser-failed']).toBe('not-applicable');
  expect(verdicts['browser-unavailable']).toBe('not-applicable');
});

test('the report says that PageSpeed Insights measured, and with what', () => {
  const { fields } = assessPagespeed(seenByPsi(psiAnswer()));
  expect(fields).toMatchObject({
    environment: {
      provider: 'psi',
      lighthouse: '13.0.1',
      browser: 'HeadlessChrome/152.0.0.0',
      sandbox: null,
      benchmarkIndex: 561.5,
      confidence: null,
      receivedBytes: null,
    },
    blockedRequests: [],
    runs: { count: 1, chosen: 'single', scores: [88], spread: null },
    coreWebVitals: { assessment: 'failed', basis: 'field' },
    field: {
      provider: 'psi',
      scope: 'url',
      metrics: { inp: { p75: 214, rating: 'needs-improvement' } },
      origin: { metrics: { lcp: { p75: 2900, rating: 'needs-improvement' } }, history: null },
    },
  });
});

test('evidence of an older version tells neither days, history nor origin', () => {
  expect(assessPagespeed(field(2000, 0.05, 100)).fields.field).toMatchObject({
    period: null,
    history: null,
    origin: null,
  });
});

test('a record of the Chrome UX Report goes before what came with PageSpeed Insights', () => {
  const { field: crux } = field(2000, 0.05, 100);
  const { fields } = assessPagespeed({ ...seenByPsi(psiAnswer()), field: crux });
  expect(fields).toMatchObject({ field: { provider: 'crux' }, coreWebVitals: { assessment: 'passed' } });
});

test.for([
  ['document-latency-high', 'usesCompression', 'The reason: the document is not compressed.'],
  ['lcp-request-late', 'requestDiscoverable', 'The reason: the image is not in the HTML.'],
  ['lcp-request-late', 'somethingNew', 'The reason: Lighthouse’s own words.'],
] as const)('%s says in our words that %s failed', ([code, check, sentence]) => {
  const items = [
    { check: 'noRedirects', passed: true, label: 'Avoids redirects' },
    { check, passed: false, label: 'Lighthouse’s own words' },
  ];
  const { verdicts } = assessPagespeed(failing(auditOf[code], { score: 0, items }));
  const { findings } = listVerdicts(rules, verdicts);
  expect(findings.find((finding) => finding.code === code)?.detail).toBe(sentence);
});

test('a document that lacks compression alone is told so, and is no medium fault of a fast page', () => {
  const items = [
    { check: 'noRedirects', passed: true, label: 'Avoids redirects' },
    { check: 'serverResponseIsFast', passed: true, label: 'Server responds quickly' },
    { check: 'usesCompression', passed: false, label: 'No compression applied' },
  ];
  const { verdicts } = assessPagespeed(failing('document-latency-insight', { score: 0, items }));
  const found = listVerdicts(rules, verdicts).findings.find(({ code }) => code === 'document-latency-high');
  expect(found).toMatchObject({
    severity: 'low',
    title: 'The HTML document could arrive sooner',
    fix: { text: 'Compress the HTML document on the server, with Brotli or gzip.' },
  });
});

test('each fault of the document’s request has its own cure', () => {
  const items = ['noRedirects', 'serverResponseIsFast', 'usesCompression'].map((check) => ({
    check,
    passed: false,
    label: check,
  }));
  const { verdicts } = assessPagespeed(failing('document-latency-insight', { score: 0, items }));
  const found = listVerdicts(rules, verdicts).findings.find(({ code }) => code === 'document-latency-high');
  expect(found?.fix.text).toMatch(/redirect.*faster.*Brotli/);
});

test.for([
  [
    { kind: 'failure', code: 'target-not-allowed', reason: 'the host "a.localhost" is a special-use name' },
    'a.test was not asked: the host "a.localhost" is a special-use name.',
  ],
  [
    gaveUp('FAILED_DOCUMENT_REQUEST'),
    'The browser stopped: the browser says “because of FAILED_DOCUMENT_REQUEST”.',
  ],
  [ended({ kind: 'killed', why: 'deadline' }), 'The page was stopped: it had not finished after 25 s.'],
] as const)('a sentence has one end: %#', ([run, detail]) => {
  const { findings } = listVerdicts(rules, assessPagespeed(seen(run)).verdicts);
  expect(findings[0]?.detail).toBe(detail);
});

test('an audit that only informs is not said to hold', () => {
  const { verdicts } = assessPagespeed(failing('cache-insight', { mode: 'informative', score: 1 }));
  expect(verdicts['cache-lifetime-short']).toBe('not-applicable');
});

test('judging the same evidence twice gives the same', () => {
  const evidence = seen(readImagesRun());
  expect(assessPagespeed(evidence)).toEqual(assessPagespeed(structuredClone(evidence)));
});
