import { expect, test } from 'vitest';
import { z } from 'zod';
import { headerReportShape } from '../../../shared/catalogue/security-header-check/report.ts';
import { type HeaderCode, rules } from '../../../shared/catalogue/security-header-check/rules.ts';
import { listVerdicts } from '../../../shared/model/finding.ts';
import { codesBroken, codesOf, isBroken, type Verdict } from '../../../shared/model/verdict.ts';
import { assessHeaders } from '../../../worker/checks/security-header-check/assess.ts';
import { contentRows } from './rows/content.ts';
import { cookieRows } from './rows/cookies.ts';
import { crossOriginRows } from './rows/cross-origin.ts';
import { cspRows } from './rows/csp.ts';
import { framingRows } from './rows/framing.ts';
import { leakageRows } from './rows/leakage.ts';
import type { Row } from './rows/row.ts';
import { transportRows } from './rows/transport.ts';

const rows: readonly Row[] = [
  ...transportRows,
  ...cspRows,
  ...framingRows,
  ...cookieRows,
  ...crossOriginRows,
  ...contentRows,
  ...leakageRows,
];

// What they tell is never wrong, so they never hold: they are told, or do not apply.
const tellsOnly: ReadonlySet<string> = new Set(['hsts-preloaded', 'isolation-ok']);
// What the connection itself shows is always seen.
const alwaysSeen: ReadonlySet<string> = new Set([
  'target-unreachable',
  'target-address-not-allowed',
  'target-not-allowed',
  'target-error-status',
  'cert-invalid',
  'redirect-downgrade',
  'redirect-loop',
  'redirect-too-long',
]);

test.for(rows)(
  '$name',
  ({ evidence, broken, info = [], holds = [], notTested = [], notApplicable = [], score }) => {
    const assessment = assessHeaders(evidence);
    const verdicts = assessment.verdicts;
    const found = codesBroken(verdicts);
    expect(found.filter((code) => rules[code].severity !== 'info').toSorted()).toEqual(
      [...broken].toSorted(),
    );
    expect(found).toEqual(expect.arrayContaining([...info]));
    expect(holds.map((code) => [code, kindOf(verdicts[code])])).toEqual(holds.map((code) => [code, 'holds']));
    expect(notTested.map((code) => [code, kindOf(verdicts[code])])).toEqual(
      notTested.map((code) => [code, 'notTested']),
    );
    expect(notApplicable.map((code) => verdicts[code])).toEqual(notApplicable.map(() => 'not-applicable'));
    if (score !== undefined) expect(assessment.score).toBe(score);
  },
);

test('each rule has a row for broken, for holds and, where it can happen, for notTested', () => {
  const seen = rows.flatMap(({ evidence }) => {
    const { verdicts } = assessHeaders(evidence);
    return codesOf(verdicts).map((code) => `${code} ${kindOf(verdicts[code])}`);
  });
  const has = new Set(seen);
  const lacking = (codesOf(rules) as HeaderCode[]).flatMap((code) => [
    ...(has.has(`${code} broken`) ? [] : [`${code} broken`]),
    ...(has.has(`${code} holds`) || tellsOnly.has(code) ? [] : [`${code} holds`]),
    ...(has.has(`${code} notTested`) || alwaysSeen.has(code) || tellsOnly.has(code)
      ? []
      : [`${code} notTested`]),
  ]);
  expect(lacking).toEqual([]);
});

test.for(rows)('the report of "$name" has its shape, and no text with a gap', ({ evidence }) => {
  const assessment = assessHeaders(evidence);
  const { target: _, ...shape } = headerReportShape;
  expect(() => z.strictObject(shape).parse(assessment.fields)).not.toThrow();
  const { findings } = listVerdicts(rules, assessment.verdicts);
  for (const { code, detail, fix } of findings) {
    expect(detail, code).not.toMatch(/\{\w+\}/);
    expect(fix.text, code).not.toMatch(/\{\w+\}/);
  }
});

test.for(rows)('in "$name" the effects of the findings add up to the score', ({ evidence }) => {
  const { score, scoreEffects = {} } = assessHeaders(evidence);
  const sum = Object.values(scoreEffects).reduce((total, effect) => total + effect, 0);
  if (score !== null) expect(score).toBe(Math.max(0, 100 + sum));
});

test.for(codesOf(rules))('%s says where it comes from', (code) => {
  expect(rules[code].references.length).toBeGreaterThan(0);
});

function kindOf(verdict: Verdict): string {
  if (isBroken(verdict)) return 'broken';
  return typeof verdict === 'string' ? verdict : 'notTested';
}
