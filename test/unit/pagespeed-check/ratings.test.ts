import { expect, test } from 'vitest';
import {
  displayBytes,
  displayMs,
  displayValue,
  fieldThresholds,
  metricNames,
  rateScore,
  rateValue,
  thresholdsOf,
} from '../../../worker/checks/pagespeed-check/facts/ratings.ts';

/** Lighthouse's log-normal curve (shared/statistics.js): 0.9 at p10, 0.5 at the median. */
function curve(value: number, p10: number, median: number): number {
  const x = (0.9061938024368232 * Math.log(value / median)) / -Math.log(p10 / median);
  return (1 - erf(x)) / 2;
}
// Abramowitz and Stegun 7.1.26, good to 1.5e-7.
function erf(x: number): number {
  const t = 1 / (1 + 0.3275911 * Math.abs(x));
  const y = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  return Math.sign(x) * (1 - y * Math.exp(-x * x));
}

const curves = (['mobile', 'desktop'] as const).flatMap((strategy) =>
  metricNames.map((metric) => ({ strategy, metric, ...thresholdsOf(metric, strategy) })),
);

test.for(curves)(
  '$metric on $strategy: the limits are where the curve gives 0.9 and 0.5',
  ({ good, poor }) => {
    expect(curve(good, good, poor)).toBeCloseTo(0.9, 4);
    expect(curve(poor, good, poor)).toBeCloseTo(0.5, 4);
  },
);

test.for(Object.entries(fieldThresholds))(
  '%s in the field: the limits belong to the better side',
  ([, limits]) => {
    expect(rateValue(limits.good, limits)).toBe('good');
    expect(rateValue(limits.good * 1.001, limits)).toBe('needs-improvement');
    expect(rateValue(limits.poor, limits)).toBe('needs-improvement');
    expect(rateValue(limits.poor * 1.001, limits)).toBe('poor');
  },
);

test.for([
  [1, 'good'],
  [0.9, 'good'],
  [0.899, 'needs-improvement'],
  [0.5, 'needs-improvement'],
  [0.499, 'poor'],
  [0, 'poor'],
] as const)('a score of %d is %s', ([score, rating]) => {
  expect(rateScore(score)).toBe(rating);
});

test('desktop is judged by stricter limits than a phone', () => {
  expect(thresholdsOf('lcp', 'desktop').good).toBeLessThan(thresholdsOf('lcp', 'mobile').good);
});

test.for([
  [displayMs(999.4), '999 ms'],
  [displayMs(1000), '1.0 s'],
  [displayMs(3663), '3.7 s'],
  [displayValue('cls', 0.30712), '0.307'],
  [displayValue('tbt', 570), '570 ms'],
  [displayBytes(999), '999 bytes'],
  [displayBytes(1000), '1 kB'],
  [displayBytes(2_723_840), '2.7 MB'],
])('%s reads as %s', ([shown, expected]) => {
  expect(shown).toBe(expected);
});
