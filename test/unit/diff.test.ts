import { expect, test } from 'vitest';
import { diffReports, diffSchema } from '../../shared/model/diff.ts';
import { makeFailedReport, makeReport, type ReportFacts } from '../../shared/model/report.ts';
import { brokenIf, notTested, type Rule, type Verdict } from '../../shared/model/verdict.ts';

const rule = (points: number): Rule => ({
  severity: 'medium',
  points,
  title: 'A fact',
  detail: 'It is {what}.',
  fix: 'Mend it.',
  references: [],
});
const rules = { 'a-one': rule(10), 'a-two': rule(20), 'a-three': rule(0) };
const broken = (what = 'so') => brokenIf(true, { what });

function report(verdicts: Partial<Record<keyof typeof rules, Verdict>>, facts: Partial<ReportFacts> = {}) {
  return makeReport(factsOf(facts), {
    state: 'complete',
    verdicts: { 'a-one': 'holds', 'a-two': 'holds', 'a-three': 'holds', ...verdicts },
    fields: {},
  });
}

function factsOf(facts: Partial<ReportFacts>): ReportFacts {
  return {
    check: 'redirect-check',
    target: { url: 'http://a.test/' },
    rules,
    rulesVersion: 1,
    reportId: '0'.repeat(32),
    checkedAtMs: 1_700_000_000_000,
    durationMs: 5,
    freshForS: 300,
    keepForS: 600,
    ...facts,
  };
}

const codes = (found: readonly { code: string }[]) => found.map(({ code }) => code);

test('what is mended is fixed, what is new is added, what is the same is counted', () => {
  const { findings, scoreDelta, rulesChanged } = diffReports(
    report({ 'a-one': broken(), 'a-three': broken() }),
    report({ 'a-two': broken(), 'a-three': broken() }),
  );
  expect([codes(findings.fixed), codes(findings.added), findings.unchanged]).toEqual([
    ['a-one'],
    ['a-two'],
    1,
  ]);
  expect([scoreDelta, rulesChanged]).toEqual([-10, false]);
});

test('what could not be looked at is neither fixed nor added', () => {
  const blind = notTested('it did not answer');
  expect(
    codes(diffReports(report({ 'a-one': broken() }), report({ 'a-one': blind })).findings.noLongerTested),
  ).toEqual(['a-one']);
  expect(
    codes(diffReports(report({ 'a-one': blind }), report({ 'a-one': broken() })).findings.newlyTested),
  ).toEqual(['a-one']);
});

test('a run that failed has fixed nothing, and has no score to compare', () => {
  const failed = makeFailedReport(factsOf({}), 'The run hit its limit.');
  const { findings, scoreDelta } = diffReports(report({ 'a-one': broken() }), failed);
  expect([findings.fixed, codes(findings.noLongerTested), scoreDelta]).toEqual([[], ['a-one'], null]);
});

test('other evidence is a change', () => {
  const { findings } = diffReports(
    report({ 'a-one': broken('so') }),
    report({ 'a-one': broken('otherwise') }),
  );
  expect(findings.changed.map(({ code }) => code)).toEqual(['a-one']);
});

test('other rules are marked; a finding that the old ones did not know is not called added', () => {
  const diff = diffReports(report({}, { rules: {} }), report({ 'a-one': broken() }, { rulesVersion: 2 }));
  expect([diff.rulesChanged, codes(diff.findings.added)]).toEqual([true, ['a-one']]);
  const old = { ...report({}), passed: ['a-two'] };
  const next = diffReports(old, report({ 'a-one': broken() }, { rulesVersion: 2 }));
  expect([codes(next.findings.added), codes(next.findings.newlyTested)]).toEqual([[], ['a-one']]);
});

test('a difference is what the schema says', () => {
  expect(diffSchema.safeParse(diffReports(report({}), report({ 'a-one': broken() }))).success).toBe(true);
});
