import { expect, test } from 'vitest';
import { z } from 'zod';
import { headerReportShape } from '#shared/catalogue/security-header-check/report';
import { type HeaderCode, rules } from '#shared/catalogue/security-header-check/rules';
import { listVerdicts } from '#shared/model/finding';
import { codesBroken, codesOf, isBroken, type Verdict } from '#shared/model/verdict';
import { assessHeaders } from '../../../worker/checks/security-header-check/assess.ts';
import { answer, chain, failed, html, page, see } from './observations.ts';
import { rows } from './rows/all.ts';
import type { Row } from './rows/row.ts';

// What they tell is never wrong, so they never hold: they are reported, or do not apply.
const tellsOnly: ReadonlySet<string> = new Set(['hsts-preloaded', 'isolation-ok']);
// They say themselves what was not seen, or apply to nothing.
const neverUntested: ReadonlySet<string> = new Set([
  'target-unreachable',
  'target-not-allowed',
  'target-error-status',
  'target-no-document',
  'target-differs-by-visitor',
  'target-blocks-checks',
  'target-other-site',
]);

test.for(rows)('$name', (row) => {
  const { verdicts, score } = assessHeaders(row.evidence);
  const found = codesBroken(verdicts);
  const of = (kind: string) => codesOf(verdicts).filter((code) => kindOf(verdicts[code]) === kind);
  expect(found.filter((code) => rules[code].severity !== 'info').toSorted()).toEqual(
    [...row.broken].toSorted(),
  );
  expect(found).toEqual(expect.arrayContaining([...(row.info ?? [])]));
  expect(of('holds')).toEqual(expect.arrayContaining([...(row.holds ?? [])]));
  expect(of('notTested')).toEqual(expect.arrayContaining([...(row.notTested ?? [])]));
  expect(of('not-applicable')).toEqual(expect.arrayContaining([...(row.notApplicable ?? [])]));
  expect(score).toBe(scoreOf(row));
});

/** Each broken rule costs its points, where the row gives no other sum; the score is that, rounded. */
function scoreOf({ score, broken }: Row): number | null {
  const sum = score === undefined ? 100 - broken.reduce((lost, code) => lost + rules[code].points, 0) : score;
  return sum && Math.max(0, Math.round(sum));
}

test('each rule has a row for broken, for holds and, where it can happen, for notTested', () => {
  const seen = rows.flatMap(({ evidence }) => {
    const { verdicts } = assessHeaders(evidence);
    return codesOf(verdicts).map((code) => `${code} ${kindOf(verdicts[code])}`);
  });
  const has = new Set(seen);
  const lacking = (codesOf(rules) as HeaderCode[]).flatMap((code) => [
    ...(has.has(`${code} broken`) ? [] : [`${code} broken`]),
    ...(has.has(`${code} holds`) || tellsOnly.has(code) ? [] : [`${code} holds`]),
    ...(has.has(`${code} notTested`) || neverUntested.has(code) || tellsOnly.has(code)
      ? []
      : [`${code} notTested`]),
  ]);
  expect(lacking).toEqual([]);
});

test.for(rows)('the report of "$name" has its shape, and no text with a gap', ({ evidence }) => {
  const assessment = assessHeaders(evidence);
  const { target: _, ...shape } = headerReportShape;
  expect(() => z.strictObject(shape).parse(assessment.fields)).not.toThrow();
  const texts = listVerdicts(rules, assessment.verdicts).findings.map(
    ({ detail, fix }) => `${detail} ${fix.text}`,
  );
  expect(texts.filter((text) => /\{\w+\}/.test(text))).toEqual([]);
});

test.for(rows)('in "$name" the effects of the findings add up to the score', ({ evidence }) => {
  const { score, scoreEffects = {} } = assessHeaders(evidence);
  const sum = Object.values(scoreEffects).reduce((total, effect) => total + effect, 0);
  expect([null, Math.max(0, Math.round(100 + sum))]).toContain(score);
});

test('a group names the finding that took its points, and the others in it take none', () => {
  const { fields, scoreEffects = {} } = assessHeaders(see({ tls: { trusted: true, error: null } }));
  expect(fields['groups']).toMatchObject({ transport: { points: 25, lost: 18.75, by: 'hsts-missing' } });
  expect(scoreEffects['hsts-missing']).toBe(-18.75);
  const open = assessHeaders(see({ http: chain([answer('http://site.test/')]) }));
  expect(open.fields['groups']).toMatchObject({ transport: { lost: 18.75, by: 'http-not-upgraded' } });
  expect(open.scoreEffects).toMatchObject({ 'http-not-upgraded': -18.75, 'hsts-missing': 0 });
  expect(open.fields['groups']).not.toHaveProperty('target.by');
});

test('the reason of a failure is told as the end of a sentence', () => {
  const why = 'the host "a.localhost" is a special-use name';
  const evidence = see({
    https: failed('https://site.test/', 'target-not-allowed', why),
    http: failed('http://site.test/', 'target-not-allowed', why),
  });
  const { verdicts } = assessHeaders(evidence);
  const [finding] = listVerdicts(rules, verdicts).findings;
  expect(finding?.detail).toBe(
    'https://site.test/ was not asked: the host "a.localhost" is a special-use name.',
  );
  expect(verdicts['csp-missing']).toEqual({
    notTested: 'https://site.test/ could not be asked: the host "a.localhost" is a special-use name',
  });
});

test('a feature behind a semicolon keeps its default, and is told by its own name', () => {
  const evidence = page(html, ['Permissions-Policy', 'camera=self;microphone=none;usb=none, usb=()']);
  const verdict = assessHeaders(evidence).verdicts['permissions-policy-ignored'];
  const reason = 'it stands behind the semicolon of camera, where browsers look for no feature';
  expect(verdict).toMatchObject({
    broken: [
      { feature: 'microphone', reason, outcome: 'its default holds' },
      { feature: 'usb', reason, outcome: 'nobody may use it' },
    ],
  });
});

test('a cookie that a comma joined to another is told with what that costs', () => {
  const line = 'theme=dark; Path=/; Secure, session=abc123; Path=/; Secure';
  const verdict = assessHeaders(page(html, ['Set-Cookie', line])).verdicts['cookie-refused'];
  const reason =
    'a comma joins its line to that of theme, so browsers read it as a part of that cookie. It may be the session, so visitors may not stay logged in';
  expect(verdict).toMatchObject({ broken: [{ cookie: 'session', reason }] });
});

test.for(codesOf(rules))('%s says where it comes from', (code) => {
  expect(rules[code].references.length).toBeGreaterThan(0);
});

function kindOf(verdict: Verdict): string {
  if (isBroken(verdict)) return 'broken';
  return typeof verdict === 'string' ? verdict : 'notTested';
}
