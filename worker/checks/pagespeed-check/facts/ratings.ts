import type { Rating } from '#shared/catalogue/pagespeed-check/report-field';
import type { Strategy } from '../../../probes/browser/port.ts';

/** Up to `good` is good, above `poor` is poor. ms; CLS has no unit. */
export type Thresholds = { readonly good: number; readonly poor: number };

/** The metrics that make Lighthouse's score. */
export const metricNames = ['lcp', 'cls', 'tbt', 'fcp', 'si'] as const;
export type MetricName = (typeof metricNames)[number];

/**
 * Where Lighthouse's curves give 0.9 and 0.5: its p10 and median control points (core/audits/metrics, 13.5). ttfb has no curve:
 * its audit passes up to 600 ms (server-response-time), and poor begins as in the field.
 */
const labThresholds: { readonly [S in Strategy]: { readonly [M in MetricName | 'ttfb']: Thresholds } } = {
  mobile: {
    lcp: { good: 2500, poor: 4000 },
    cls: { good: 0.1, poor: 0.25 },
    tbt: { good: 200, poor: 600 },
    fcp: { good: 1800, poor: 3000 },
    si: { good: 3387, poor: 5800 },
    ttfb: { good: 600, poor: 1800 },
  },
  desktop: {
    lcp: { good: 1200, poor: 2400 },
    cls: { good: 0.1, poor: 0.25 },
    tbt: { good: 150, poor: 350 },
    fcp: { good: 934, poor: 1600 },
    si: { good: 1311, poor: 2300 },
    ttfb: { good: 600, poor: 1800 },
  },
};

/** Core Web Vitals and their companions at the 75th percentile of visits (web-vitals, src/on*.ts). */
export const fieldThresholds = {
  lcp: { good: 2500, poor: 4000 },
  inp: { good: 200, poor: 500 },
  cls: { good: 0.1, poor: 0.25 },
  fcp: { good: 1800, poor: 3000 },
  ttfb: { good: 800, poor: 1800 },
} as const satisfies Record<string, Thresholds>;

/** The limits of a lab metric under a strategy. */
export function thresholdsOf(metric: MetricName | 'ttfb', strategy: Strategy): Thresholds {
  return labThresholds[strategy][metric];
}

/** Rates a value; the limits themselves still belong to the better side. */
export function rateValue(value: number, { good, poor }: Thresholds): Rating {
  if (value <= good) return 'good';
  return value <= poor ? 'needs-improvement' : 'poor';
}

/** Rates a score of Lighthouse, 0 to 1, by its bands: 0.9 and up is good, 0.5 and up needs improvement. */
export function rateScore(score: number): Rating {
  if (score >= 0.9) return 'good';
  return score >= 0.5 ? 'needs-improvement' : 'poor';
}

/** A value as people read it: "3.7 s", "570 ms", and for CLS "0.31". */
export function displayValue(metric: MetricName | 'ttfb' | 'inp', value: number): string {
  if (metric === 'cls') return String(Math.round(value * 1000) / 1000);
  return displayMs(value);
}

/** "3.7 s" from a second on, else "570 ms". */
export function displayMs(ms: number): string {
  return ms >= 1000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms)} ms`;
}

/** "3.2 MB", "45 kB", "12 bytes"; decimal units. */
export function displayBytes(bytes: number): string {
  if (bytes >= 1_000_000) return `${(bytes / 1_000_000).toFixed(1)} MB`;
  return bytes >= 1000 ? `${Math.round(bytes / 1000)} kB` : `${bytes} bytes`;
}
