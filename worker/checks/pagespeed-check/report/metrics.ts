import type { PagespeedFields } from '#shared/catalogue/pagespeed-check/report';
import type { PageObservation, Strategy } from '../../../probes/browser/port.ts';
import { displayValue, type MetricName, rateScore, rateValue, thresholdsOf } from '../facts/ratings.ts';

/** The ratings of the lab beside the field's assessment, which they never decide; null where there is no value. */
export function rateLab(page: PageObservation | undefined) {
  const rate = (metric: MetricName) => {
    const score = page?.metrics[metric].score ?? null;
    return score === null ? null : rateScore(score);
  };
  return {
    lcp: rate('lcp'),
    cls: rate('cls'),
    tbt: rate('tbt'),
    note: 'INP needs real visitors; TBT is its stand-in in the lab.',
  };
}

const observedOf: { readonly [M in MetricName]?: string } = {
  lcp: 'observedLargestContentfulPaint',
  cls: 'observedCumulativeLayoutShift',
  fcp: 'observedFirstContentfulPaint',
  si: 'observedSpeedIndex',
};

type Metrics = NonNullable<PagespeedFields['metrics']>;

/** The five metrics of the score with their limits, and the server's share of the time to first byte. */
export function reportMetrics(page: PageObservation, strategy: Strategy): Metrics {
  const describe = (metric: MetricName): Metrics[MetricName] => {
    const { value, score, weight } = page.metrics[metric];
    return {
      value,
      unit: metric === 'cls' ? '' : 'ms',
      display: value === null ? null : displayValue(metric, value),
      score,
      weight,
      rating: score === null ? null : rateScore(score),
      thresholds: thresholdsOf(metric, strategy),
      observed: page.observed[observedOf[metric] ?? ''] ?? null,
    };
  };
  const limits = thresholdsOf('ttfb', strategy);
  const ttfb = page.ttfbMs;
  return {
    lcp: describe('lcp'),
    cls: describe('cls'),
    tbt: describe('tbt'),
    fcp: describe('fcp'),
    si: describe('si'),
    ttfb: {
      value: ttfb,
      unit: 'ms',
      display: ttfb === null ? null : displayValue('ttfb', ttfb),
      score: null,
      weight: 0,
      rating: ttfb === null ? null : rateValue(ttfb, limits),
      thresholds: limits,
      observed: ttfb,
    },
  };
}
