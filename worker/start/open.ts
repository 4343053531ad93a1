import { availableParallelism } from 'node:os';
import type { Backend } from '#shared/backend';
import { reportPrint } from '#shared/catalogue/report-print';
import type { Config } from '#shared/config';
import { openJobKeys } from '#shared/job-keys';
import { openOnceEach } from '#shared/job-queue/once-each';
import type { JobQueue, QueueWorker } from '#shared/job-queue/port';
import type { Logger } from '#shared/logger';
import type { Metrics } from '#shared/metrics';
import type { QueueName } from '#shared/model/job';
import { noPace } from '#shared/pace/memory';
import { openPlaces } from '#shared/places';
import type { Tracing } from '#shared/tracing/port';
import { openWaiting, type Waiting } from '#shared/waiting/waiting';
import { noJobs } from '../checks/jobs.ts';
import { printLimits } from '../print/print-html.ts';
import { openPrinter, type Printer } from '../print/printer.ts';
import type { NoBrowser } from '../probes/browser/find-browser.ts';
import type { ProbeFactory } from '../probes/open.ts';
import { openJobs } from '../run/jobs.ts';
import { type Judging, openJudging } from '../run/judge-aside.ts';
import { judgeJob } from '../run/judge-job.ts';
import { openRunner } from '../run/run-job.ts';
import { findCheckOf } from './find-check.ts';
import { browserSettingsOf, prepareProbesOf } from './probe-settings.ts';
import { type BrowserTries, browserTries, watchBrowser } from './watch-browser.ts';

export type OpenWorker = QueueWorker & {
  /** What it cannot do, by part. */
  readonly readiness: () => Readonly<Record<string, true | string>>;
  /** What it works with, by part. */
  readonly about: () => Readonly<Record<string, object>>;
};

export type WorkerContext = {
  readonly config: Config;
  readonly backend: Pick<Backend, 'jobQueue' | 'reportStore' | 'pace'>;
  readonly log: Logger;
  readonly metrics?: Metrics;
  readonly tracing?: Tracing | undefined;
  /** Shorter ones for tests. */
  readonly browserTries?: Pick<BrowserTries, 'startMs' | 'againMs'>;
};

/** Takes jobs from the queues that the settings name, until it is closed. */
export function openWorker(context: WorkerContext): OpenWorker {
  const { config, log } = context;
  const { jobQueue, reportStore, pace } = context.backend;
  const probes = prepareProbesOf(config, config.RATE_LIMIT ? pace : noPace);
  const waiting = openWaiting({ jobQueue, reportStore, log, onDone: () => undefined });
  const judging = openJudging(config.HSTS_PRELOAD_FILE);
  const runner = openRunnerOf(context, { probes, waiting, judging });
  const judged = ofJudgedJobs(runner, openPrinterOf(context), context);
  // Every worker that touches the network also puts reports together: that touches nothing.
  const queues = config.WORKER_QUEUES.flatMap((name): QueueName[] =>
    name === 'network' ? ['network', 'composite'] : [name],
  );
  const openCrew = (queue: QueueName) =>
    jobQueue.work(queue, concurrencyOf(queue, config), judged.run, judged.gaveUp);
  const crews = new Map(queues.map((queue) => [queue, openCrew(queue)]));
  // A crew that serves the queue outweighs what was said while there was none.
  const onTurn = (fault: NoBrowser | undefined) => {
    if (!fault) return void crews.set('browser', openCrew('browser'));
    jobQueue.deny('browser', fault.fix);
    const crew = crews.get('browser');
    crews.delete('browser');
    crew?.close(0).catch((error: unknown) => log.error({ err: error }, 'page loads not stopped'));
  };
  const announced = watchAnnouncements(crews);
  const watch = crews.has('browser')
    ? watchBrowser(browserSettingsOf(config), log, { ...(context.browserTries ?? browserTries), onTurn })
    : undefined;
  return {
    readiness: () => ({ ...watch?.readiness(), announced: announced() }),
    about: () => {
      const browser = watch?.about();
      return browser ? { browser } : {};
    },
    async close(graceMs) {
      watch?.close();
      await Promise.all([...crews.values()].map((crew) => crew.close(graceMs)));
      await runner.close();
      await judging.close();
      waiting.close();
      probes.close();
    },
  };
}

/** Gives the reading: true from when all crews were announced once. A caller that sees a ready worker must not be refused for want of one. */
function watchAnnouncements(crews: ReadonlyMap<QueueName, QueueWorker>): () => true | string {
  let wasAnnounced = false;
  return () => {
    const unheard = [...crews].filter(([, crew]) => crew.isAnnounced?.() === false).map(([queue]) => queue);
    wasAnnounced ||= unheard.length === 0;
    return wasAnnounced || `other processes do not know yet that this one serves ${unheard.join(', ')}`;
  };
}

type Runner = ReturnType<typeof openRunner>;
type RunnerParts = { readonly probes: ProbeFactory; readonly waiting: Waiting; readonly judging: Judging };

function openRunnerOf(
  { config, backend, log, metrics, tracing }: WorkerContext,
  { probes, waiting, judging }: RunnerParts,
): Runner {
  const { jobQueue, reportStore } = backend;
  const shared = { reportStore, jobKeyOf: openJobKeys(config), publicPath: config.PUBLIC_URL ?? '' };
  const visits = openPlaces(Math.max(1, Math.floor(config.WORKER_CONCURRENCY / 2)));
  const jobsSettings = { ...shared, jobQueue, waiting, visits, queueSeconds: config.QUEUE_SECONDS };
  return openRunner({
    ...shared,
    probes,
    judging,
    jobsOf: (job, time) => (job.queue === 'composite' ? openJobs(jobsSettings, job, time) : noJobs),
    queueSeconds: config.QUEUE_SECONDS,
    findCheck: findCheckOf(config),
    log,
    tracing,
    now: () => sharedNow(jobQueue),
    onDone: (check, state, seconds) => metrics?.checkDone(check, state, seconds),
    freshForS: config.FRESH_SECONDS,
    keepForS: config.REPORT_TTL_DAYS * 86_400,
    reportIds: config.REPORT_IDS,
    evidenceForS: config.EVIDENCE_HOURS * 3600,
  });
}

function openPrinterOf({ config, backend, log, metrics }: WorkerContext): Printer {
  const { browser, noSandbox } = browserSettingsOf(config);
  return openPrinter({
    reportStore: backend.reportStore,
    print: { browser, noSandbox, ...printLimits },
    log,
    now: () => sharedNow(backend.jobQueue),
    onDone: (check, state, seconds) => metrics?.checkDone(check, state, seconds),
  });
}

function sharedNow(jobQueue: Pick<JobQueue, 'clockOffsetMs'>): number {
  return Date.now() + jobQueue.clockOffsetMs();
}

/** Runs only what the specs of the checks know; nothing is kept of another job, and nothing is asked for it. */
function ofJudgedJobs(
  { run, gaveUp }: Runner,
  printer: Printer,
  { config, log }: WorkerContext,
): Pick<Runner, 'run' | 'gaveUp'> {
  const jobKeyOf = openJobKeys(config);
  const onceEach = openOnceEach();
  return {
    async run(given, ...more) {
      if (given.check === reportPrint.name) return printer.run(given, ...more);
      const judged = judgeJob(given, jobKeyOf);
      if ('job' in judged) return run(judged.job, ...more);
      const { jobId } = given;
      onceEach(judged.fault, () =>
        log.warn({ jobId, fault: judged.fault }, 'job refused: it does not fit its check'),
      );
      return 'failed';
    },
    async gaveUp(given, cause) {
      if (given.check === reportPrint.name) return printer.gaveUp(given, cause);
      const judged = judgeJob(given, jobKeyOf);
      if ('job' in judged) await gaveUp(judged.job, cause);
    },
  };
}

/** Jobs that only wait for others. */
const compositeConcurrency = 500;

// A page load keeps a core busy; a check waits for the network.
function concurrencyOf(queue: QueueName, { WORKER_CONCURRENCY }: Config): number {
  if (queue === 'composite') return compositeConcurrency;
  return queue === 'browser' ? Math.max(1, Math.floor(availableParallelism() / 2)) : WORKER_CONCURRENCY;
}
