import { expect, test } from 'vitest';
import { groupPoints, pointsBySeverity } from '#shared/catalogue/security-header-check/groups';
import { rules } from '#shared/catalogue/security-header-check/rules';
import { gradeOf } from '#shared/model/score';
import { codesOf, severities } from '#shared/model/verdict';
import { assessHeaders } from '../../../worker/checks/security-header-check/assess.ts';
import { html, see } from './observations.ts';

const scored = codesOf(rules)
  .map((code) => ({ code, ...rules[code] }))
  .filter(({ part }) => groupPoints[part as keyof typeof groupPoints] > 0);

test('severity and points tell the same order over all groups', () => {
  const wrong = scored.flatMap((one) =>
    scored
      .filter(
        (other) =>
          severities.indexOf(one.severity) < severities.indexOf(other.severity) && one.points < other.points,
      )
      .map(
        (other) =>
          `${one.severity} ${one.code} ${one.points} < ${other.severity} ${other.code} ${other.points}`,
      ),
  );
  expect(wrong).toEqual([]);
});

test.for(scored)('$code takes what its severity allows', ({ severity, points }) => {
  const [fewest, most] = pointsBySeverity[severity];
  expect(points).toBeGreaterThanOrEqual(fewest);
  expect(points).toBeLessThanOrEqual(most);
});

test.for([
  ['hsts-missing', 'framing-open'],
  ['framing-open', 'hsts-short'],
  ['hsts-short', 'hsts-no-subdomains'],
  ['hsts-no-subdomains', 'hsts-duplicate'],
] as const)('%s weighs at least as much as %s', ([worse, better]) => {
  expect(rules[worse].points).toBeGreaterThanOrEqual(rules[better].points);
});

test('the score is a whole number, and the letter is that of the number that is shown', () => {
  const { score = null, scoreEffects = {} } = assessHeaders(see({ headers: [html] }));
  const lost = Object.values(scoreEffects).reduce((sum, effect) => sum + effect, 0);
  expect(lost).toBe(-44.25);
  expect(score).toBe(56);
  expect(gradeOf(score, true)).toBe('F');
});
