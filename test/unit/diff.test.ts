import { expect, test } from 'vitest';
import { diffReports } from '#shared/catalogue/diff';
import { diffSchema } from '#shared/model/diff';
import { makeFailedReport, makeReport, type ReportFacts } from '#shared/model/report';
import { brokenBy, brokenIf, notTested, type Rule, type Verdict } from '#shared/model/verdict';

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

const offered = (...names: readonly string[]) => brokenBy(names.map((what) => ({ what })));

function changeOf(first: Verdict, second: Verdict) {
  const { changed, unchanged } = diffReports(
    report({ 'a-one': first }),
    report({ 'a-one': second }),
  ).findings;
  return { changed, unchanged };
}

test('other evidence is a change, and is shown: what is new and what is gone', () => {
  const { changed } = changeOf(offered('one', 'two', 'two'), offered('two', 'three'));
  expect(changed).toEqual([
    {
      code: 'a-one',
      differs: ['evidence'],
      before: expect.objectContaining({ severity: 'medium', detail: 'It is one.' }),
      after: expect.objectContaining({ severity: 'medium', detail: 'It is two.' }),
      evidence: {
        added: [{ what: 'three' }],
        gone: [{ what: 'one' }, { what: 'two' }],
        addedCount: 1,
        goneCount: 2,
      },
    },
  ]);
});

test('the same evidence in another order is no change', () => {
  expect(changeOf(offered('one', 'two'), offered('two', 'one'))).toEqual({ changed: [], unchanged: 1 });
  const [there, back] = [
    { what: 'so', where: 'here' },
    { where: 'here', what: 'so' },
  ];
  expect(changeOf(brokenBy([there]), brokenBy([back]))).toMatchObject({ changed: [] });
});

test('of much other evidence the first ten pieces are shown, and how many there are', () => {
  const many = Array.from({ length: 30 }, (_, at) => `suite ${at}`);
  const [change] = changeOf(offered('one'), offered(...many)).changed;
  expect(change?.evidence?.added).toHaveLength(10);
  expect(change?.evidence).toMatchObject({ addedCount: 30, goneCount: 1 });
});

test('another severity and another fix are named; the evidence is left out where it is the same', () => {
  const heavier = { ...rules, 'a-one': { ...rules['a-one'], severity: 'high' as const, points: 30 } };
  const from = report({ 'a-one': broken() });
  const { changed } = diffReports(from, report({ 'a-one': broken() }, { rules: heavier })).findings;
  expect(changed).toEqual([
    {
      code: 'a-one',
      differs: ['severity', 'scoreEffect'],
      before: expect.objectContaining({ severity: 'medium', scoreEffect: -10 }),
      after: expect.objectContaining({ severity: 'high', scoreEffect: -30 }),
    },
  ]);
  const mended = changeOf(broken(), brokenIf(true, { what: 'so' }, { text: 'Mend it at once.' }));
  expect(mended.changed).toMatchObject([
    { differs: ['fix'], before: { fix: { text: 'Mend it.' } }, after: { fix: { text: 'Mend it at once.' } } },
  ]);
});

test('other rules are marked; a finding that the old ones did not know is not called added', () => {
  const diff = diffReports(report({}, { rules: {} }), report({ 'a-one': broken() }, { rulesVersion: 2 }));
  expect([diff.rulesChanged, codes(diff.findings.added)]).toEqual([true, ['a-one']]);
  const old = { ...report({}), passed: ['a-two'] };
  const next = diffReports(old, report({ 'a-one': broken() }, { rulesVersion: 2 }));
  expect([codes(next.findings.added), codes(next.findings.newlyTested)]).toEqual([[], ['a-one']]);
});

test('a difference is what the schema says', () => {
  const changed = diffReports(report({ 'a-one': offered('one') }), report({ 'a-one': offered('two') }));
  expect(diffSchema.safeParse(changed).success).toBe(true);
  expect(diffSchema.safeParse(diffReports(report({}), report({ 'a-one': broken() }))).success).toBe(true);
});
