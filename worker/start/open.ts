import { availableParallelism } from 'node:os';
import { reportPrint } from '#shared/catalogue/report-print';
import type { Backend } from '#shared/lifecycle/backend';
import type { QueueName } from '#shared/model/job';
import type { QueueWorker, Slots } from '#shared/ports/job-queue';
import type { Tracing } from '#shared/ports/tracing';
import { openJobKeys } from '#shared/queue/job-keys';
import type { Config } from '#shared/settings/config';
import { denyListOf } from '#shared/settings/deny-list';
import { openAccessWriter } from '#shared/stores/access/writer';
import { deniedWhy, hostOfTarget } from '#shared/targets/denied-names';
import type { Logger } from '#shared/telemetry/logger';
import type { Metrics } from '#shared/telemetry/metrics';
import { openOnceEach } from '#shared/telemetry/once-each';
import { printLimits } from '../print/print-html.ts';
import { openPrinter, type Printer } from '../print/printer.ts';
import type { NoBrowser } from '../probes/browser/find-browser.ts';
import { lookAtResolvers } from '../probes/dns/look-at-resolvers.ts';
import type { ProbeFactory } from '../probes/open.ts';
import type { PortState } from '../probes/smtp/port.ts';
import type { ExamineJob } from '../run/examine-job.ts';
import { judgeJob } from '../run/judge-job.ts';
import { openRunner, type Runner } from '../run/run-job.ts';
import { openWatcher, type Watcher, type WatcherSettings } from '../watches/open.ts';
import { browserSettingsOf } from './browser-settings.ts';
import { openExaminers } from './examiners.ts';
import { findCheckOf } from './find-check.ts';
import { isLab, prepareSendersOf } from './probe-settings.ts';
import { recordAccess } from './record-access.ts';
import { referenceData } from './reference-data.ts';
import { reportSettingsOf } from './report-settings.ts';
import { browserTries, type BrowserTries, watchBrowser } from './watch-browser.ts';
import { watchNetwork } from './watch-network.ts';

type OpenWorker = QueueWorker & {
  /** Resolves once it can run jobs. */
  readonly ready: Promise<void>;
  /** What it cannot do, by part. */
  readonly readiness: () => Readonly<Record<string, true | string>>;
  /** What it works with, by part. */
  readonly about: () => Readonly<Record<string, object>>;
};

type WorkerContext = {
  readonly config: Config;
  readonly backend: Pick<Backend, 'jobQueue' | 'reportStore' | 'pace' | 'strikes'> &
    Partial<Pick<Backend, 'access' | 'watches' | 'batches' | 'accountTurns' | 'tokenStore' | 'rateLimiter'>>;
  readonly log: Logger;
  readonly metrics?: Metrics;
  readonly tracing?: Tracing | undefined;
  /** Runs that touch a target are done in a process of their own; else in this one, as for a command that has one caller. */
  readonly isApart?: boolean;
  /** Shorter ones for tests. */
  readonly browserTries?: Pick<BrowserTries, 'startMs' | 'againMs'>;
};

/** Takes jobs from the queues that the settings name, until it is closed. */
export function openWorker(context: WorkerContext): OpenWorker {
  const { config, log } = context;
  const { jobQueue } = context.backend;
  const mailPort = watchMailPort(log, context.metrics);
  const network = watchNetwork(config, log, context.metrics);
  const examiners = openExaminers({ ...context, onMailPort: mailPort.note, onVantage: network.note });
  const now = () => jobQueue.nowMs();
  const writer = openAccessWriter(context.backend.access ?? noRecord, config.ACCESS_DAYS, log);
  const runner = openRunnerOf(context, recordAccess(examiners.examineJob, writer, now));
  void tellResolvers(config, log);
  context.metrics?.showTables(referenceData);
  const judged = ofJudgedJobs(runner, openPrinterOf(context), context);
  // Every worker that touches the network also puts reports together: that touches nothing.
  const queues = config.WORKER_QUEUES.flatMap((name): QueueName[] =>
    name === 'network' ? ['network', 'composite'] : [name],
  );
  const openQueueWorker = (queue: QueueName) =>
    jobQueue.work(queue, slotsOf(queue, context), judged.run, judged.gaveUp);
  const queueWorkers = new Map(queues.map((queue) => [queue, openQueueWorker(queue)]));
  // A worker that serves the queue outweighs what was said while there was none.
  const onTurn = (fault: NoBrowser | undefined) => {
    if (!fault) return void queueWorkers.set('browser', openQueueWorker('browser'));
    jobQueue.deny('browser', fault.fix);
    const queueWorker = queueWorkers.get('browser');
    queueWorkers.delete('browser');
    queueWorker?.close(0).catch((error: unknown) => log.error({ err: error }, 'could not stop page loads'));
  };
  const announced = watchAnnouncements(queueWorkers);
  const watcher = openWatcherOf(context, now);
  const watch = queueWorkers.has('browser')
    ? watchBrowser(browserSettingsOf(config), log, { ...(context.browserTries ?? browserTries), onTurn })
    : undefined;
  return {
    ready: examiners.ready,
    readiness: () => ({ ...watch?.readiness(), ...network.readiness(), announced: announced() }),
    about: () => {
      const [browser, smtp] = [watch?.about(), mailPort.about()];
      return { ...(browser ? { browser } : {}), ...(smtp ? { smtp } : {}), ...network.about() };
    },
    async close(graceMs) {
      watch?.close();
      await watcher?.close(graceMs);
      await Promise.all([...queueWorkers.values()].map((queueWorker) => queueWorker.close(graceMs)));
      await examiners.close();
      await writer.close();
    },
  };
}

/** Workers of the network also take the turns of watches. Without report ids there are none. */
function openWatcherOf({ config, backend, log }: WorkerContext, now: () => number): Watcher | undefined {
  const { jobQueue, reportStore, watches, batches, accountTurns, tokenStore, rateLimiter } = backend;
  if (!watches || !batches || !accountTurns || !tokenStore || !rateLimiter) return undefined;
  if (!config.REPORT_IDS) return undefined;
  if (!config.WORKER_QUEUES.includes('network')) return undefined;
  const probes = prepareSendersOf(config);
  const ports = { jobQueue, reportStore, watches, batches, accountTurns, tokenStore, rateLimiter };
  const watcher = openWatcher({ config, backend: ports, log, now, send: sendOf(probes) });
  return {
    async close(graceMs) {
      await watcher.close(graceMs);
      probes.close();
    },
  };
}

function sendOf(probes: ProbeFactory): WatcherSettings['send'] {
  return async (request, signal, admit) => {
    const opened = probes.open(signal);
    try {
      return await opened.sendVerified(request, admit);
    } finally {
      opened.close();
    }
  };
}

const noRecord = { keep: async () => undefined };

/** Gives the reading: true from when all workers were announced once. A caller that sees a ready worker must not be refused for want of one. */
function watchAnnouncements(queueWorkers: ReadonlyMap<QueueName, QueueWorker>): () => true | string {
  let wasAnnounced = false;
  return () => {
    const unheard = [...queueWorkers]
      .filter(([, queueWorker]) => queueWorker.isAnnounced?.() === false)
      .map(([queue]) => queue);
    wasAnnounced ||= unheard.length === 0;
    return wasAnnounced || `other processes do not know yet that this one serves ${unheard.join(', ')}`;
  };
}

function openRunnerOf(
  { config, backend, log, metrics, tracing }: WorkerContext,
  examineJob: ExamineJob,
): Runner {
  return openRunner({
    ...reportSettingsOf(config, () => backend.jobQueue.nowMs()),
    reportStore: backend.reportStore,
    examineJob,
    findCheck: findCheckOf(config),
    log,
    tracing,
    onDone: (check, state, seconds) => metrics?.checkDone(check, state, seconds),
  });
}

function openPrinterOf({ config, backend, log, metrics }: WorkerContext): Printer {
  const { browser, noSandbox } = browserSettingsOf(config);
  return openPrinter({
    reportStore: backend.reportStore,
    print: { browser, noSandbox, ...printLimits },
    publicPath: config.PUBLIC_URL ?? '',
    log,
    now: () => backend.jobQueue.nowMs(),
    onDone: (check, state, seconds) => metrics?.checkDone(check, state, seconds),
  });
}

/** Runs only what the specs of the checks know; nothing is kept of another job, and nothing is asked for it. */
function ofJudgedJobs(
  { run, gaveUp }: Runner,
  printer: Printer,
  { config, log }: WorkerContext,
): Pick<Runner, 'run' | 'gaveUp'> {
  const jobKeyOf = openJobKeys(config);
  const onceEach = openOnceEach();
  const denied = denyListOf(config);
  return {
    async run(given, ...more) {
      // The list may have changed since it was asked for.
      if (denied.covers(hostOfTarget(given.target))) {
        log.info({ jobId: given.jobId }, `job refused: its target ${deniedWhy}`);
        return 'failed';
      }
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
/** A store that is slow gets fewer runs: those that wait for it would let everybody wait. */
function slotsOf(queue: QueueName, { config, backend }: WorkerContext): Slots {
  const most = concurrencyOf(queue, config);
  const share = () => (queue === 'network' ? (backend.reportStore.runShare?.() ?? 1) : 1);
  return { most, now: () => Math.max(1, Math.round(most * share())) };
}

function concurrencyOf(queue: QueueName, { WORKER_CONCURRENCY }: Config): number {
  if (queue === 'composite') return compositeConcurrency;
  return queue === 'browser' ? Math.max(1, Math.floor(availableParallelism() / 2)) : WORKER_CONCURRENCY;
}

/** Asks each resolver once and tells of those that do not answer: the checks would only say of each target that it could not be resolved. */
async function tellResolvers(config: Config, log: Pick<Logger, 'error' | 'warn'>): Promise<void> {
  const { DNS_SERVERS } = config;
  const { answering, faults } = await lookAtResolvers(DNS_SERVERS, { isLab: isLab(config) });
  if (faults.length === 0) return;
  const fields = {
    setting: DNS_SERVERS ? 'DNS_SERVERS' : 'none: these are the servers of the system',
    faults,
  };
  if (answering.length === 0) log.error(fields, 'no resolver works');
  else log.warn(fields, 'a resolver does not work');
}

/** What a worker knows of its way to mail hosts. */
type MailPortWatch = {
  /** Takes what a run has seen; tells of each turn once. */
  readonly note: (state: PortState) => void;
  /** For the body of /readyz; undefined while nobody had to look. */
  readonly about: () => { readonly port25: PortState } | undefined;
};

/** Opens the watch over port 25: a network that blocks it makes every mail host look silent, and only the operator can change that. */
function watchMailPort(log: Logger, metrics: Pick<Metrics, 'mailPortSeen'> | undefined): MailPortWatch {
  let last: PortState | undefined;
  return {
    note(state) {
      metrics?.mailPortSeen(state);
      if (state === 'blocked' && last !== 'blocked')
        log.warn({}, 'port 25 is blocked: no mail host answers, not even one that should (smtp-check)');
      if (state === 'open' && last === 'blocked') log.info({}, 'port 25 is open again');
      last = state;
    },
    about: () => last && { port25: last },
  };
}
