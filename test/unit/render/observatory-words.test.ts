import { expect, test } from 'vitest';
import { observatoryResultOf, observatoryTestOf } from '#shared/render/observatory-words';
import { chart } from '../../../worker/checks/security-header-check/report/observatory/chart.ts';

test.for([
  ['csp-not-implemented', 'not set'],
  ['hsts-header-invalid', 'not valid'],
  ['coep-implemented-with-require-corp', 'require-corp'],
  ['corp-implemented-with-same-site', 'same-site'],
  ['csp-implemented-with-unsafe-inline', "allows 'unsafe-inline'"],
  ['of-a-later-release', 'of-a-later-release'],
] as const)('the result %s is %s', ([result, words]) => {
  expect(observatoryResultOf(result)).toBe(words);
});

test('every test and every result of the Observatory has words', () => {
  const tests = Object.keys(chart);
  expect(tests.filter((name) => !/^[A-Z]/.test(observatoryTestOf(name)))).toEqual([]);
  const results = Object.values(chart).flatMap((outcomes) => Object.keys(outcomes));
  expect(results.length).toBeGreaterThan(50);
  expect(results.filter((result) => observatoryResultOf(result) === result)).toEqual([]);
});
