import type {
  FieldMetricObservation,
  FieldObservation,
  FieldRecord,
  Strategy,
} from '../../../probes/browser/port.ts';
import { type Bag, bagOf, finiteOf, listOf } from '../../../probes/browser/untyped.ts';

type Metrics = FieldRecord['metrics'];

/** The names in loadingExperience.metrics. CLS is reported in hundredths, as an integer; the others in ms. */
const psiNames = {
  lcp: 'LARGEST_CONTENTFUL_PAINT_MS',
  inp: 'INTERACTION_TO_NEXT_PAINT',
  cls: 'CUMULATIVE_LAYOUT_SHIFT_SCORE',
  fcp: 'FIRST_CONTENTFUL_PAINT_MS',
  ttfb: 'EXPERIMENTAL_TIME_TO_FIRST_BYTE',
} as const;

/**
 * Reads what an answer of PageSpeed Insights says of real visitors of the page and of its origin. It tells neither the days nor earlier
 * periods. Never throws.
 */
export function readPsiField(body: Bag, strategy: Strategy): FieldObservation {
  const record = { kind: 'record', formFactor: strategy === 'mobile' ? 'PHONE' : 'DESKTOP' } as const;
  const page = bagOf(body['loadingExperience']);
  // It puts the origin's record in the page's place where the page has none, and marks it.
  const scope = page['origin_fallback'] === true ? 'origin' : 'url';
  const ofPage = readMetrics(page);
  const ofOrigin = readMetrics(bagOf(body['originLoadingExperience']));
  if (ofPage && scope === 'url')
    return { ...record, scope, metrics: ofPage, origin: ofOrigin ? { metrics: ofOrigin } : null };
  const metrics = ofPage ?? ofOrigin;
  if (metrics) return { ...record, scope: 'origin', metrics, origin: null };
  const isTold = 'loadingExperience' in body;
  return {
    kind: 'none',
    reason: isTold
      ? 'too few visitors for a record'
      : 'PageSpeed Insights reported nothing about real visitors',
  };
}

function readMetrics(experience: Bag): Metrics | undefined {
  const told = bagOf(experience['metrics']);
  const read = Object.entries(psiNames).flatMap(([name, psiName]) => {
    const metric = readMetric(bagOf(told[psiName]), name === 'cls' ? 100 : 1);
    return metric ? [[name, metric]] : [];
  });
  return read.length === 0 ? undefined : (Object.fromEntries(read) as Metrics);
}

function readMetric(metric: Bag, scale: number): FieldMetricObservation | undefined {
  const percentile = finiteOf(metric['percentile']);
  if (percentile === undefined || percentile < 0) return undefined;
  const distribution = listOf(metric['distributions'])
    .slice(0, 3)
    .map((bin) => finiteOf(bagOf(bin)['proportion']) ?? 0);
  return { p75: percentile / scale, distribution };
}
