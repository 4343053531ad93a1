import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { type JobQueue } from './job-queue/port.ts';
import { queueNames } from './model/job.ts';
import type { ReadReadiness } from './readiness.ts';

type Stats = Awaited<ReturnType<JobQueue['stats']>>;

/** What this process tells Prometheus: base units, no label that a target or a token could choose. */
export type Metrics = {
  request(route: string, status: number, seconds: number): void;
  cacheLookup(outcome: 'hit' | 'stored' | 'collapsed'): void;
  rateLimited(policy: string): void;
  checkDone(check: string, state: string, seconds: number): void;
  /** From now on each scrape tells which parts are away or hampered. */
  watchReadiness(read: ReadReadiness): void;
  /** The text of /metrics. */
  text(): Promise<{ readonly type: string; readonly body: string }>;
};

const durations = [0.001, 0.005, 0.02, 0.1, 0.3, 1, 3, 10, 30, 60];

/** Opens the counters of one process. */
export function openMetrics(jobQueue: JobQueue): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry, prefix: 'diag_' });
  addQueueGauges(jobQueue, registers);
  const counter = (name: string, help: string, labelNames: string[]) =>
    new Counter({ name, help, labelNames, registers });
  const histogram = (name: string, help: string, label: string) =>
    new Histogram({ name, help, labelNames: [label], buckets: durations, registers });
  const requests = counter('diag_http_requests_total', 'Requests answered.', ['route', 'status']);
  const requestSeconds = histogram(
    'diag_http_request_duration_seconds',
    'Time to the end of an answer.',
    'route',
  );
  const lookups = counter('diag_cache_lookups_total', 'Reports given, by where they came from.', ['result']);
  const refused = counter('diag_rate_limited_total', 'Requests refused with 429.', ['policy']);
  const checks = counter('diag_checks_total', 'Runs ended.', ['check', 'outcome']);
  const checkSeconds = histogram('diag_check_duration_seconds', 'Time of a run.', 'check');
  return {
    request(route, status, seconds) {
      requests.inc({ route, status });
      requestSeconds.observe({ route }, seconds);
    },
    cacheLookup: (result) => lookups.inc({ result }),
    rateLimited: (policy) => refused.inc({ policy }),
    checkDone(check, outcome, seconds) {
      checks.inc({ check, outcome });
      checkSeconds.observe({ check }, seconds);
    },
    watchReadiness: (read) => addDegradedGauge(read, registers),
    text: async () => ({ type: registry.contentType, body: await registry.metrics() }),
  };
}

/** Both gauges of a scrape are of one look at the queue. */
const lookForMs = 500;

function addQueueGauges(jobQueue: JobQueue, registers: Registry[]): void {
  let look = { at: 0, stats: Promise.resolve<Stats | undefined>(undefined) };
  const stats = () => {
    // The queue is away: its gauges keep their last value.
    if (Date.now() - look.at > lookForMs)
      look = { at: Date.now(), stats: jobQueue.stats().catch(() => undefined) };
    return look.stats;
  };
  new Gauge({
    name: 'diag_queue_oldest_waiting_seconds',
    help: 'Age of the oldest job that could run: scale workers on it.',
    labelNames: ['queue'],
    registers,
    async collect() {
      const found = await stats();
      for (const queue of found ? queueNames : [])
        this.set({ queue }, (found?.[queue].oldestWaitingMs ?? 0) / 1000);
    },
  });
  new Gauge({
    name: 'diag_queue_jobs',
    help: 'Jobs by state.',
    labelNames: ['queue', 'state'],
    registers,
    async collect() {
      for (const [queue, { waiting, parked, running }] of Object.entries((await stats()) ?? {}))
        for (const [state, count] of Object.entries({ waiting, parked, running }))
          this.set({ queue, state }, count);
    },
  });
}

function addDegradedGauge(read: ReadReadiness, registers: Registry[]): void {
  new Gauge({
    name: 'diag_degraded',
    help: '1 while a part that this process needs is away or hampered; /readyz says why.',
    labelNames: ['part'],
    registers,
    async collect() {
      const { checks } = await read();
      for (const [part, state] of Object.entries(checks)) this.set({ part }, state === true ? 0 : 1);
    },
  });
}
