import { expect, test } from 'vitest';
import { resolveReference } from '#shared/model/finding';
import { makeJobKey } from '#shared/model/job';
import { makeFailedReport, makeReport, type ReportFacts } from '#shared/model/report';
import { gradeOf, score } from '#shared/model/score';
import { brokenBy, brokenIf, codesBroken, notTested, type Rule, type Verdicts } from '#shared/model/verdict';

const rule = (more: Partial<Rule> = {}): Rule => ({
  severity: 'medium',
  points: 10,
  title: 'A fact',
  detail: 'It is {what}.',
  fix: 'Mend it.',
  references: ['RFC 9110 §15.4'],
  ...more,
});
const rules = {
  'a-broken': rule(),
  'b-holds': rule(),
  'c-not-tested': rule(),
  'd-not-applicable': rule(),
  'e-worse': rule({ severity: 'critical', points: 30, part: 'spf' }),
};
type Code = keyof typeof rules;
const verdicts: Verdicts<Code> = {
  'a-broken': brokenIf(true, { what: 'red' }),
  'b-holds': 'holds',
  'c-not-tested': notTested('the server did not answer'),
  'd-not-applicable': 'not-applicable',
  'e-worse': brokenBy([{ what: 1 }, { what: 2 }]),
};
const facts: ReportFacts = {
  check: 'x-check',
  target: { domain: 'a.test' },
  rules,
  rulesVersion: 3,
  reportId: 'r1',
  checkedAtMs: Date.parse('2026-11-21T03:00:00Z'),
  durationMs: 12.6,
  freshForS: 300,
  keepForS: 86_400,
};

test('a fix is filled from the evidence as the detail is; one that a verdict brings is taken as it is', () => {
  const fixOf = (verdict: Verdicts<'a-rule'>['a-rule']) =>
    makeReport(
      { ...facts, rules: { 'a-rule': rule({ fix: 'Remove {what}, and {unknown}.' }) } },
      { state: 'complete', verdicts: { 'a-rule': verdict }, fields: {} },
    ).findings[0]?.fix.text;
  expect(fixOf(brokenIf(true, { what: 'red' }))).toBe('Remove red, and {unknown}.');
  expect(fixOf(brokenBy([{ what: 'red' }], { text: 'Mend {what}.' }))).toBe('Mend {what}.');
});

test('findings, passed and notTested come straight from the verdicts, the worst first', () => {
  const report = makeReport(facts, { state: 'complete', verdicts, fields: { own: 1 } });
  expect(
    report.findings.map(({ code, severity, detail, scoreEffect, part }) => [
      code,
      severity,
      detail,
      scoreEffect,
      part,
    ]),
  ).toEqual([
    ['e-worse', 'critical', 'It is 1.', -30, 'spf'],
    ['a-broken', 'medium', 'It is red.', -10, undefined],
  ]);
  expect(report.passed).toEqual(['b-holds']);
  expect(report.notTested).toEqual([{ code: 'c-not-tested', reason: 'the server did not answer' }]);
  expect(report).toMatchObject({
    score: 60,
    grade: 'D',
    durationMs: 13,
    freshUntil: '2026-11-21T03:05:00.000Z',
    own: 1,
    summary: { critical: 1, high: 0, medium: 1, low: 0, info: 0, passed: 1, notTested: 1 },
  });
});

test('what was not tested costs nothing, and a report without a look has no score', () => {
  expect(score(rules, { ...verdicts, 'a-broken': notTested('x'), 'e-worse': notTested('x') })).toBe(100);
  expect(makeReport(facts, { state: 'unreachable', verdicts, fields: {} })).toMatchObject({
    score: null,
    grade: null,
  });
});

test('a failed run is a report without a score that says what is not known', () => {
  const report = makeFailedReport(facts, 'The run hit its limit of 20 s.');
  expect(report).toMatchObject({
    state: 'failed',
    score: null,
    grade: null,
    findings: [{ code: 'check-failed', detail: 'The run hit its limit of 20 s.' }],
  });
  expect(report.notTested.map(({ code }) => code)).toEqual(Object.keys(rules));
});

test('without report ids no report carries one', () => {
  expect(
    'reportId' in makeReport({ ...facts, reportId: undefined }, { state: 'complete', verdicts, fields: {} }),
  ).toBe(false);
});

test('the codes that are broken are told in the order of the table', () => {
  expect(codesBroken(verdicts)).toEqual(['a-broken', 'e-worse']);
});

test.for([
  [100, false, 'A+'],
  [97, false, 'A+'],
  [100, true, 'A'],
  [96, false, 'A'],
  [90, true, 'A'],
  [89, true, 'B'],
  [70, true, 'C'],
  [69, true, 'D'],
  [59, true, 'F'],
  [0, true, 'F'],
  [null, true, null],
] as const)('the score %s with warnings %s is grade %s', ([points, warned, grade]) => {
  expect(gradeOf(points, warned)).toBe(grade);
}); // prettier-ignore

test('a reference leads to its section at the RFC Editor', () => {
  expect(resolveReference('RFC 7208 §4.6.4')).toEqual({
    title: 'RFC 7208 §4.6.4',
    url: 'https://www.rfc-editor.org/rfc/rfc7208.html#section-4.6.4',
  });
  expect(resolveReference('RFC 4034 §B').url).toBe('https://www.rfc-editor.org/rfc/rfc4034.html#appendix-B');
  expect(resolveReference('RFC 9110').url).toBe('https://www.rfc-editor.org/rfc/rfc9110.html');
});

test('equal questions have equal keys, whatever the order of their options; others do not', () => {
  const question = { check: 'x', target: 'a.test', options: { a: '1', b: ['x'] }, keyVersion: '1' };
  const key = makeJobKey(question);
  expect(makeJobKey({ ...question, options: { b: ['x'], a: '1' } })).toBe(key);
  for (const other of [{ check: 'y' }, { target: 'b.test' }, { options: { a: '1' } }, { keyVersion: '2' }])
    expect(makeJobKey({ ...question, ...other })).not.toBe(key);
});
