import { Counter, type Metric, type Registry } from 'prom-client';

/** Says what is counted, as prom-client takes it. */
export type Counted = {
  readonly name: string;
  readonly help: string;
  readonly label: string;
  /** Values that stand at 0 from the start: Prometheus sees no increase in a series that begins with its first event. */
  readonly known?: readonly string[];
};

/**
 * Adds a counter with one label that is cheap to raise: prom-client checks and joins the labels of each sample, at 1 µs.
 * Here that is done at a scrape.
 */
export function addTally(
  registry: Registry,
  { name, help, label, known = [] }: Counted,
): (value: string) => void {
  const counts = new Map(known.map((value) => [value, 0]));
  new Counter({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    collect() {
      this.reset();
      for (const [value, count] of counts) this.inc({ [label]: value }, count);
    },
  });
  return (value) => void counts.set(value, (counts.get(value) ?? 0) + 1);
}

/** Durations under one label. */
type Durations = { readonly counts: number[]; sum: number; count: number };

/**
 * Adds a histogram with one label that is cheap to add to.
 * @param bounds the upper bounds of its buckets, in rising order
 */
export function addDurations(
  registry: Registry,
  { name, help, label }: Counted,
  bounds: readonly number[],
): (value: string, seconds: number) => void {
  const all = new Map<string, Durations>();
  const get = async () => ({
    name,
    help,
    type: 'histogram',
    aggregator: 'sum',
    values: [...all].flatMap(([value, durations]) => samplesOf(durations, name, { [label]: value }, bounds)),
  });
  // The registry asks nothing else of a metric; the type is that of the library's own classes.
  registry.registerMetric({ name, get, reset: () => all.clear() } as unknown as Metric);
  return (value, seconds) => {
    let durations = all.get(value);
    if (!durations) all.set(value, (durations = { counts: bounds.map(() => 0), sum: 0, count: 0 }));
    durations.sum += seconds;
    durations.count += 1;
    const bucket = bounds.findIndex((bound) => seconds <= bound);
    if (bucket >= 0) durations.counts[bucket] = (durations.counts[bucket] ?? 0) + 1;
  };
}

function samplesOf(
  { counts, sum, count }: Durations,
  name: string,
  labels: Readonly<Record<string, string>>,
  bounds: readonly number[],
) {
  let below = 0;
  const buckets = bounds.map((le, index) => {
    below += counts[index] ?? 0;
    return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: below };
  });
  return [
    ...buckets,
    { metricName: `${name}_bucket`, labels: { le: '+Inf', ...labels }, value: count },
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}
