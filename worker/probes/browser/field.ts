import type { FieldMetricSeen, FieldObservation, Strategy } from './port.ts';

export type FieldSettings = {
  /** CRUX_API_KEY. */
  readonly key: string;
  /** "https://chromeuxreport.googleapis.com"; tests put a server of their own here. */
  readonly baseUrl: string;
};

/** Where the Chrome UX Report answers. */
export const cruxBaseUrl = 'https://chromeuxreport.googleapis.com';

const askMs = 4000;
const answerLimit = 100_000;

const cruxNames = {
  lcp: 'largest_contentful_paint',
  inp: 'interaction_to_next_paint',
  cls: 'cumulative_layout_shift',
  fcp: 'first_contentful_paint',
  ttfb: 'experimental_time_to_first_byte',
} as const;

/**
 * Asks the Chrome UX Report API for the page, then for its origin. Not a target, and its name is the operator's choice,
 * so it needs no guard. A report that cannot be had is an answer.
 */
export async function askField(
  settings: FieldSettings | undefined,
  { url, strategy }: { readonly url: string; readonly strategy: Strategy },
  signal: AbortSignal,
): Promise<FieldObservation> {
  if (!settings) return { kind: 'none', reason: 'no provider of field data is configured' };
  const formFactor = strategy === 'mobile' ? 'PHONE' : 'DESKTOP';
  for (const [scope, place] of [
    ['url', url],
    ['origin', new URL(url).origin],
  ] as const) {
    const found = await askOnce(settings, { [scope]: place, formFactor }, signal);
    if (typeof found === 'string') return { kind: 'none', reason: found };
    if (found) return { kind: 'record', scope, formFactor, metrics: readMetrics(found) };
  }
  return { kind: 'none', reason: 'too few visitors for a record' };
}

/** The record's metrics; undefined where there is no record; a sentence's end where the API did not answer. */
async function askOnce(
  { key, baseUrl }: FieldSettings,
  question: object,
  signal: AbortSignal,
): Promise<Bag | string | undefined> {
  const address = new URL('/v1/records:queryRecord', baseUrl);
  address.searchParams.set('key', key);
  try {
    const answer = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(question),
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(askMs)]),
    });
    if (answer.status === 404) return undefined;
    if (!answer.ok) return `the provider of field data answered ${answer.status}`;
    const body = (await answer.text()).slice(0, answerLimit);
    return bagOf(bagOf(bagOf(JSON.parse(body))['record'])['metrics']);
  } catch {
    signal.throwIfAborted();
    return 'the provider of field data did not answer'; // the lab's numbers are worth a report without it
  }
}

type Bag = { readonly [key: string]: unknown };

function bagOf(value: unknown): Bag {
  return typeof value === 'object' && value !== null ? (value as Bag) : {};
}

function readMetrics(metrics: Bag): Extract<FieldObservation, { kind: 'record' }>['metrics'] {
  const read = Object.entries(cruxNames).flatMap(([name, cruxName]) => {
    const metric = readMetric(bagOf(metrics[cruxName]));
    return metric ? [[name, metric]] : [];
  });
  return Object.fromEntries(read) as Extract<FieldObservation, { kind: 'record' }>['metrics'];
}

function readMetric(metric: Bag): FieldMetricSeen | undefined {
  // CLS comes as a string with two decimals.
  const p75 = Number(bagOf(metric['percentiles'])['p75'] ?? Number.NaN);
  if (!Number.isFinite(p75)) return undefined;
  const bins = Array.isArray(metric['histogram']) ? (metric['histogram'] as readonly unknown[]) : [];
  const distribution = bins.map((bin) => Number(bagOf(bin)['density'] ?? 0)).filter(Number.isFinite);
  return { p75, distribution };
}
