import type {
  FieldHistory,
  FieldMetricName,
  FieldMetricObservation,
  FieldPeriod,
  FieldRecord,
} from './port.ts';
import { type Bag, bagOf, finiteOf, listOf } from './untyped.ts';

/** The metrics' names in the API of the Chrome UX Report. */
const cruxNames: { readonly [name in FieldMetricName]: string } = {
  lcp: 'largest_contentful_paint',
  inp: 'interaction_to_next_paint',
  cls: 'cumulative_layout_shift',
  fcp: 'first_contentful_paint',
  ttfb: 'experimental_time_to_first_byte',
};
const metricNames = Object.keys(cruxNames) as readonly FieldMetricName[];

/** The service tells 25 weeks, and 40 when asked. */
const mostPeriods = 40;
const shares = 3;

/** Reads the record of an answer to records:queryRecord. Never throws. */
export function readFieldRecord(record: Bag): Omit<FieldRecord, 'history'> {
  return {
    metrics: readEach(bagOf(record['metrics']), readMetric),
    period: readPeriod(record['collectionPeriod']) ?? null,
  };
}

/** Reads the record of an answer to records:queryHistoryRecord; null where its periods cannot be read. Never throws. */
export function readFieldHistory(record: Bag): FieldHistory | null {
  const told = listOf(record['collectionPeriods']).slice(-mostPeriods);
  const periods = told.flatMap((period) => readPeriod(period) ?? []);
  if (periods.length === 0 || periods.length < told.length) return null;
  const p75 = readEach(bagOf(record['metrics']), (metric) => {
    const values = listOf(bagOf(metric['percentilesTimeseries'])['p75s']).slice(-mostPeriods);
    return values.length === periods.length
      ? values.map((value) => readPercentile(value) ?? null)
      : undefined;
  });
  return { periods, p75 };
}

function readEach<Value>(
  metrics: Bag,
  read: (metric: Bag) => Value | undefined,
): { readonly [name in FieldMetricName]?: Value } {
  const found: { [name in FieldMetricName]?: Value } = {};
  for (const name of metricNames) {
    const value = read(bagOf(metrics[cruxNames[name]]));
    if (value !== undefined) found[name] = value;
  }
  return found;
}

function readMetric(metric: Bag): FieldMetricObservation | undefined {
  const p75 = readPercentile(bagOf(metric['percentiles'])['p75']);
  if (p75 === undefined) return undefined;
  const bins = listOf(metric['histogram']).slice(0, shares);
  return { p75, distribution: bins.map((bin) => finiteOf(bagOf(bin)['density']) ?? 0) };
}

// CLS comes as a string with two decimals, and "NaN" stands for what is not known.
function readPercentile(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.length <= 20 ? Number.parseFloat(value) : value;
  return finiteOf(number);
}

function readPeriod(value: unknown): FieldPeriod | undefined {
  const [from, to] = [readDate(bagOf(value)['firstDate']), readDate(bagOf(value)['lastDate'])];
  return from && to ? { from, to } : undefined;
}

/** {year: 2026, month: 10, day: 1} as "2026-10-01". */
function readDate(value: unknown): string | undefined {
  const { year, month, day } = bagOf(value);
  const parts = [finiteOf(year) ?? 0, finiteOf(month) ?? 0, finiteOf(day) ?? 0] as const;
  const isDate = parts.every(Number.isInteger) && parts[0] > 2000 && parts[0] < 10_000;
  const text = [String(parts[0]), pad(parts[1]), pad(parts[2])].join('-');
  return isDate && !Number.isNaN(Date.parse(text)) ? text : undefined;
}

function pad(number: number): string {
  return String(number).padStart(2, '0');
}
