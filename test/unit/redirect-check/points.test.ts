import { expect, test } from 'vitest';
import { rules } from '#shared/catalogue/redirect-check/rules';
import { severities } from '#shared/model/verdict';
import { lengthRuleOf, pointsOfLength } from '../../../worker/checks/redirect-check/judge/length.ts';

const pointed = Object.values(rules).filter(({ points }) => points > 0);

test('severity and points tell the same order', () => {
  const bounds = severities.map((wanted) => {
    const points: number[] = pointed.flatMap(({ severity, points }) => (severity === wanted ? [points] : []));
    return { most: Math.max(0, ...points), least: Math.min(...points) };
  });
  const disordered = bounds.filter(({ least }, at) => least < (bounds[at + 1]?.most ?? 0));
  expect(disordered).toEqual([]);
});

test('each redirect more costs more, and never more than the rule that is told', () => {
  for (let redirects = 3; redirects <= 20; redirects += 1) {
    const code = lengthRuleOf(redirects);
    expect(pointsOfLength(redirects)).toBeGreaterThan(pointsOfLength(redirects - 1));
    expect(pointsOfLength(redirects)).toBeLessThanOrEqual(code === undefined ? 0 : rules[code].points);
  }
  expect([0, 1, 2].map(pointsOfLength)).toEqual([0, 0, 0]);
});
