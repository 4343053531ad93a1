import { AggregatorRegistry, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { MetricsText, MetricValues } from '../../telemetry/metrics.ts';
import type { Child } from './child.ts';

/** Metrics of this process and its children as one. */
export type SummedMetrics = {
  /** The text of /metrics, with what these children count now. */
  text(children: readonly Child[]): Promise<MetricsText>;
  /** What a child has counted stays in the sums when it has ended: Prometheus would take their fall for a restart, and count all again. */
  keep(ended: Child): void;
};

/** What is of one process alone keeps the usual names, with a label that says which. */
const ofProcess = /^(?:process|nodejs)_/;

/**
 * Opens the sums. Counters and histograms are added up; each gauge says by its `aggregator` what is told of several.
 * @param isWhole whether all children work
 */
export function openSummedMetrics(isWhole: () => boolean): SummedMetrics {
  const own = new Registry();
  collectDefaultMetrics({ register: own });
  addDegraded(own, isWhole);
  const last = new WeakMap<Child, MetricValues>();
  let ofEnded: MetricValues = [];
  return {
    async text(children) {
      const primary = named('primary', await own.getMetricsAsJSON());
      await Promise.all(
        children.map(async (child) => {
          const values = await child.ask('metrics');
          if (values) last.set(child, named(child.place.name, values));
          // Its gauges are of a moment that is over.
          else last.set(child, countedOf(last.get(child)));
        }),
      );
      // One that has ended meanwhile is among those that are kept.
      const told = children.filter((child) => child.isReady()).map((child) => last.get(child) ?? []);
      const sums = AggregatorRegistry.aggregate([primary, ...told, ofEnded]);
      return { type: sums.contentType, body: await sums.metrics() };
    },
    keep(ended) {
      const counted = countedOf(last.get(ended)).filter(({ name }) => !ofProcess.test(name));
      // The metrics of such a registry are the sums themselves, which their type does not say.
      ofEnded = AggregatorRegistry.aggregate([ofEnded, counted]).getMetricsAsArray() as MetricValues;
    },
  };
}

function addDegraded(registry: Registry, isWhole: () => boolean): void {
  new Gauge({
    name: 'diag_degraded',
    help: '1 while a part that this process needs is away or hampered; /readyz says why.',
    labelNames: ['part'],
    registers: [registry],
    aggregator: 'max',
    collect() {
      this.set({ part: 'processes' }, isWhole() ? 0 : 1);
    },
  });
}

function countedOf(values: MetricValues = []): MetricValues {
  return values.filter(({ type }) => ['counter', 'histogram'].includes(String(type)));
}

/** Gives what is of the process alone a label with its name; prom-client would leave out when it started, and average the rest. */
function named(process: string, values: MetricValues): MetricValues {
  return values.map((metric) => {
    if (!ofProcess.test(metric.name)) return metric;
    const withName = metric.values.map((sample) => ({ ...sample, labels: { process, ...sample.labels } }));
    return { ...metric, aggregator: 'sum', values: withName };
  });
}
