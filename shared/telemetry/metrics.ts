import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { catalogue } from '../catalogue/registry.ts';
import { type QueueName, queueNames } from '../model/job.ts';
import type { ReadReadiness } from '../model/readiness.ts';
import { type JobQueue, queueEvents, type QueueStats } from '../ports/job-queue.ts';
import type { ReportStore } from '../ports/report-store.ts';
import { addContainerGauges } from './container-gauges.ts';
import { loopFailures } from './loops.ts';
import { addBackendGauges, addBuildInfo, addTableDays, type DatedTable } from './process-gauges.ts';
import { addStoreGauges } from './store-gauges.ts';

type Stats = Awaited<ReturnType<JobQueue['stats']>>;

/** What this process tells Prometheus: base units, no label that a target or a token could choose. */
export type Metrics = {
  request(route: string, status: number, seconds: number): void;
  cacheLookup(outcome: 'hit' | 'stored' | 'collapsed'): void;
  rateLimited(policy: string): void;
  /** A request was answered with this problem: what was refused, and why. */
  problem(code: string): void;
  /** A job's first start. */
  jobStarted(queue: QueueName, waitedS: number): void;
  /** @param seconds where it is known how long the run took */
  checkDone(check: string, state: string, seconds?: number): void;
  /** A unit of a pace was waited for so long. */
  paceWaited(charge: string, seconds: number): void;
  /** A runner process ended unexpectedly. */
  runnerEnded(cause: string): void;
  /** A run had to look whether port 25 is open. */
  mailPortSeen(sight: string): void;
  /** What this machine's network cannot do, or can. */
  networkLooked(kind: string, isMissing: boolean): void;
  /** From now on each scrape tells which parts are away or hampered. */
  watchReadiness(read: ReadReadiness): void;
  /** From now on each scrape tells of which day these tables are. */
  showTables(tables: readonly DatedTable[]): void;
  /** The text of /metrics. */
  text(): Promise<MetricsText>;
};

export type MetricsText = { readonly type: string; readonly body: string };

const durations = [0.001, 0.005, 0.02, 0.1, 0.3, 1, 3, 10, 30, 60];

/** Opens the counters of one process. */
export function openMetrics(jobQueue: JobQueue, reportStore: Pick<ReportStore, 'use' | 'ping'>): Metrics {
  const registry = new Registry();
  const registers = [registry];
  // Under their usual names: every dashboard for Node finds them.
  collectDefaultMetrics({ register: registry });
  addBuildInfo(registers);
  addBackendGauges({ queue: jobQueue, store: reportStore }, registers);
  addQueueGauges(jobQueue, registers);
  countQueueEvents(jobQueue, registers);
  addStoreGauges(reportStore, registers);
  addContainerGauges(registers);
  addLoopFailures(registers);
  const { later, countAll } = openTogether();
  return {
    ...countAnswers(registers, later),
    ...countWork(registers),
    watchReadiness: (read) => addDegradedGauge(read, registers),
    showTables: (tables) => addTableDays(tables, registers),
    text: async () => {
      countAll();
      return { type: registry.contentType, body: await registry.metrics() };
    },
  };
}

/** Events that are counted at once, when so many have come or are asked for: one by one between requests, each costs several times as much. */
const countedTogether = 256;

function openTogether() {
  let waiting: (() => void)[] = [];
  const countAll = () => {
    const events = waiting;
    waiting = [];
    for (const count of events) count();
  };
  const later = (count: () => void) => {
    waiting.push(count);
    if (waiting.length >= countedTogether) countAll();
  };
  return { later, countAll };
}

/** What callers get. @param later counts an event with others */
function countAnswers(
  registers: Registry[],
  later: (count: () => void) => void,
): Pick<Metrics, 'request' | 'cacheLookup' | 'rateLimited' | 'problem'> {
  const requests = new Counter({
    name: 'diag_http_requests_total',
    help: 'Requests answered.',
    labelNames: ['route', 'status'],
    registers,
  });
  const seconds = histogram(
    registers,
    'diag_http_request_duration_seconds',
    'Time to the end of an answer.',
    'route',
  );
  const lookups = counter(
    registers,
    'diag_cache_lookups_total',
    'Reports given, by where they came from.',
    'result',
  );
  const refused = counter(registers, 'diag_rate_limited_total', 'Requests refused with 429.', 'policy');
  const problems = counter(registers, 'diag_problems_total', 'Requests answered with a problem.', 'code');
  problems.inc({ code: 'internal_error' }, beginning);
  return {
    request: (route, status, tookS) =>
      later(() => {
        requests.inc({ route, status });
        seconds.observe({ route }, tookS);
      }),
    cacheLookup: (result) => later(() => lookups.inc({ result })),
    rateLimited: (policy) => refused.inc({ policy }),
    problem: (code) => problems.inc({ code }),
  };
}

/** What workers do. */
function countWork(
  registers: Registry[],
): Pick<
  Metrics,
  'jobStarted' | 'checkDone' | 'paceWaited' | 'runnerEnded' | 'mailPortSeen' | 'networkLooked'
> {
  const waits = histogram(
    registers,
    'diag_queue_wait_seconds',
    'Time from a request for a job to its start.',
    'queue',
  );
  const checks = new Counter({
    name: 'diag_checks_total',
    help: 'Runs ended.',
    labelNames: ['check', 'outcome'],
    registers,
  });
  const checkSeconds = histogram(registers, 'diag_check_duration_seconds', 'Time of a run.', 'check');
  const paces = histogram(
    registers,
    'diag_pace_wait_seconds',
    'Time from a question of a run to its turn at the pace of the host that it is for.',
    'charge',
  );
  const ends = counter(
    registers,
    'diag_runner_ends_total',
    'Runner processes that ended without being asked to.',
    'cause',
  );
  const looks = mailPortCounter(registers);
  const lacks = networkGauge(registers);
  for (const { name } of catalogue) checks.inc({ check: name, outcome: 'failed' }, beginning);
  for (const cause of ['frozen', 'crashed', 'silent', 'killed']) ends.inc({ cause }, beginning);
  for (const sight of ['open', 'blocked']) looks.inc({ sight }, beginning);
  return {
    jobStarted: (queue, waitedS) => waits.observe({ queue }, waitedS),
    checkDone(check, outcome, tookS) {
      checks.inc({ check, outcome });
      if (tookS !== undefined) checkSeconds.observe({ check }, tookS);
    },
    paceWaited: (charge, tookS) => paces.observe({ charge }, tookS),
    runnerEnded: (cause) => ends.inc({ cause }),
    mailPortSeen: (sight) => looks.inc({ sight }),
    networkLooked: (kind, isMissing) => lacks.set({ kind }, isMissing ? 1 : 0),
  };
}

function mailPortCounter(registers: Registry[]) {
  return counter(
    registers,
    'diag_mail_port_looks_total',
    'Looks at port 25 of hosts that should answer, where a mail host was silent.',
    'sight',
  );
}

function networkGauge(registers: Registry[]) {
  return new Gauge({
    name: 'diag_network_missing',
    help: "1 for what this machine's own network cannot do: no target is judged by it.",
    labelNames: ['kind'],
    registers,
  });
}

/** What alarms watch begins at 0: Prometheus sees no increase in a series that begins with its first event. */
const beginning = 0;

function counter<Label extends string>(registers: Registry[], name: string, help: string, label: Label) {
  return new Counter({ name, help, labelNames: [label], registers });
}

function histogram<Label extends string>(registers: Registry[], name: string, help: string, label: Label) {
  return new Histogram({ name, help, labelNames: [label], buckets: durations, registers });
}

/** What alarms watch begins at 0. */
function addLoopFailures(registers: Registry[]): void {
  new Counter({
    name: 'diag_loop_failures_total',
    help: 'Failures of what this process does again and again; each makes it pause.',
    labelNames: ['loop'],
    registers,
    collect() {
      this.reset();
      for (const [loop, count] of loopFailures()) this.inc({ loop }, count);
    },
  });
}

/** All gauges of a scrape are of one look at the queue. */
const lookForMs = 500;

/** What a gauge tells of one queue: its labels beside `queue`, and the value. */
type Sample = { readonly labels?: { readonly state: string }; readonly value: number };

function addQueueGauges(jobQueue: JobQueue, registers: Registry[]): void {
  let look = { at: -lookForMs, stats: Promise.resolve<Stats | undefined>(undefined) };
  const stats = () => {
    if (performance.now() - look.at > lookForMs)
      look = { at: performance.now(), stats: jobQueue.stats().catch(() => undefined) }; // told by diag_queue_up
    return look.stats;
  };
  const gauge = (name: string, help: string, read: (of: QueueStats) => readonly Sample[]) =>
    new Gauge({
      name,
      help,
      labelNames: ['queue', 'state'],
      registers,
      async collect() {
        // A queue that cannot be read has no value: 0 would say that nothing waits.
        this.reset();
        for (const [queue, found] of Object.entries((await stats()) ?? {}))
          for (const { labels, value } of read(found)) this.set({ queue, ...labels }, value);
      },
    });
  gauge(
    'diag_queue_oldest_waiting_seconds',
    'How long the oldest job that could run has waited for a worker: scale workers on it.',
    ({ oldestWaitingMs }) => [{ value: oldestWaitingMs / 1000 }],
  );
  gauge(
    'diag_queue_oldest_parked_seconds',
    'How long the oldest job has waited for its host: more workers do not help it.',
    ({ oldestParkedMs }) => [{ value: oldestParkedMs / 1000 }],
  );
  gauge('diag_queue_jobs', 'Jobs by state.', ({ waiting, parked, running }) =>
    Object.entries({ waiting, parked, running }).map(([state, value]) => ({ labels: { state }, value })),
  );
  new Gauge({
    name: 'diag_queue_up',
    help: '1 when the queue could be read at this scrape; at 0 the other gauges of the queue are absent.',
    registers,
    async collect() {
      this.set((await stats()) ? 1 : 0);
    },
  });
}

function countQueueEvents(jobQueue: JobQueue, registers: Registry[]): void {
  const events = new Counter({
    name: 'diag_queue_events_total',
    help: 'What went wrong in the queue, by what this process found: lost runs, jobs that nobody took or that expired, and jobs that were gone.',
    labelNames: ['queue', 'event'],
    registers,
  });
  // From 0, so that the first of them is an increase.
  for (const queue of queueNames) for (const event of queueEvents) events.inc({ queue, event }, 0);
  jobQueue.onEvent((queue, event, count) => events.inc({ queue, event }, count));
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
