import { makeDataFolderPrivate } from '../backends/data-folder.ts';
import { lockDataFolder } from '../backends/data-lock.ts';
import { diskState, onDiskFault } from '../backends/disk-faults.ts';
import type { Able, Checks, ReadReadiness } from '../model/readiness.ts';
import type { Tracing } from '../ports/tracing.ts';
import { namesCollector, nodeOptions } from '../settings/child-environment.ts';
import { type Config, ConfigError, exitConfig, misspeltSettings, readConfig } from '../settings/config.ts';
import { denyListOf } from '../settings/deny-list.ts';
import { describeMisspelling } from '../settings/misspelt-settings.ts';
import { type Logger, openLogger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { timeWaits } from '../telemetry/time-waits.ts';
import { type AdminSources, openAdminServer } from './admin-server.ts';
import { type Backend, openBackend } from './backend.ts';
import { asConfigError } from './listen.ts';
import { openReadiness } from './readiness.ts';
import { settleWhenIdle } from './settle.ts';
import { stopOnSignals } from './stop-on-signals.ts';

/** A part of the process: what it adds to readiness, and how it is closed. */
export type Part = Able & {
  /** Fields for the `ready` line. */
  readonly says: object;
  close(graceMs: number): Promise<void>;
};

export type ProcessContext = {
  readonly config: Config;
  readonly log: Logger;
  readonly backend: Backend;
  readonly metrics: Metrics;
  readonly tracing: Tracing | undefined;
};

type ProcessOptions = {
  readonly name: string;
  readonly adminPort: number;
  /** Needs REDIS_URL and MONGODB_URL. */
  readonly isScaled: boolean;
  /** Longest that running work may go on once the process is told to stop. */
  readonly graceMs: number;
  /** Opens the parts in order; they are closed in the same order. */
  open(context: ProcessContext): Promise<readonly Part[]>;
};

/** Runs a process of the service: settings, log, backend, parts, admin port, and an orderly end on SIGTERM or SIGINT. Bad settings exit with 78. */
export async function runProcess(options: ProcessOptions): Promise<void> {
  try {
    await start(options);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(exitConfig);
  }
}

async function start(options: ProcessOptions): Promise<void> {
  const { name, isScaled, graceMs } = options;
  const config = readConfig();
  if (isScaled && config.REDIS_URL === undefined)
    throw new ConfigError(
      [
        `${name} needs REDIS_URL and MONGODB_URL. On one machine, npm start needs neither.`,
        ...misspeltSettings().map(describeMisspelling),
      ].join('\n  '),
    );
  process.umask(0o077);
  const log = openLogger(config.LOG_LEVEL);
  warnOfMisspelt(log);
  tellDenyList(config, log);
  makeDataFolderPrivate(config.DATA_DIR, log);
  // With Redis and MongoDB nothing is kept there that two processes may not share.
  const unlock = config.REDIS_URL === undefined ? lockDataFolder(config.DATA_DIR) : undefined;
  onDiskFault((fault) => {
    if (fault) log.error({ err: fault.cause, file: fault.file }, 'a file of DATA_DIR cannot be written');
    else log.info({}, 'all files of DATA_DIR can be written again');
  });
  const context = await openContext(name, config, log);
  const { backend, metrics, tracing } = context;
  const parts = await options.open(context);
  const readiness = openReadinessOf(context, parts);
  metrics.watchReadiness(readiness);
  const says = Object.assign({ mode: backend.mode }, ...parts.map((part) => part.says)) as object;
  const close = async () => {
    for (const part of parts) await part.close(graceMs);
    await backend.close(0);
    await tracing?.close();
    unlock?.();
  };
  settleWhenIdle();
  const admin = await openAdmin({ readiness, metrics }, options, context);
  stopOnSignals(async () => {
    admin.drain();
    await close();
    await admin.close();
  }, log);
  log.info({ process: name, ...says, adminPort: admin.port }, 'ready');
}

/** Spans where an SDK was loaded before the service, which takes an option of Node: only then its interface is loaded, a hundred modules. */
async function openTraces({ TRACE_INCOMING }: Config, log: Logger): Promise<Tracing | undefined> {
  const hasLoaded = /(?:^|\s)(?:--import|--require|-r)\b/.test(nodeOptions());
  const opened = hasLoaded ? await import('../telemetry/tracing/open.ts') : undefined;
  const tracing = opened?.openTracing(TRACE_INCOMING);
  // A setting of the SDK, not of ours: who has it wants traces, and would miss them without a word.
  if (!tracing && namesCollector())
    log.warn({}, 'no traces are sent: start with node --import ./deploy/tracing/register.js');
  return tracing;
}

async function openContext(name: string, config: Config, log: Logger): Promise<ProcessContext> {
  const { openMetrics } = await import('../telemetry/metrics.ts');
  const tracing = await openTraces(config, log);
  const opened = await openBackend(config, log, tracing, { hasNoCallers: name === 'worker' });
  const metrics = openMetrics(opened.jobQueue, opened.reportStore);
  const jobQueue = timeWaits(opened.jobQueue, config.QUEUE_SECONDS * 1000, (queue, waitedS) =>
    metrics.jobStarted(queue, waitedS),
  );
  return { config, log, backend: { ...opened, jobQueue }, metrics, tracing };
}

function openAdmin(sources: AdminSources, { adminPort }: ProcessOptions, { config, log }: ProcessContext) {
  const place = {
    host: config.ADMIN_HOST,
    port: config.ADMIN_PORT,
    defaultPort: adminPort,
    publicUrl: config.PUBLIC_URL,
  };
  return openAdminServer(place, sources, log).catch(asConfigError('ADMIN_PORT', config.ADMIN_PORT));
}

function openReadinessOf({ config, backend, log }: ProcessContext, parts: readonly Part[]): ReadReadiness {
  const { jobQueue, reportStore, agreement } = backend;
  const pings = {
    // What is kept beside the reports: batches, watches, tokens, the record of runs. What needs none of them goes on.
    ...(backend.mode === 'embedded' ? { disk: async () => diskState() } : {}),
    queue: () => jobQueue.ping(),
    // The next call is to find all that it needs.
    store: async () => {
      const state = await reportStore.ping();
      return state === true ? ((await backend.prepare?.()) ?? true) : state;
    },
    // Callers are still answered; a worker takes no jobs.
    ...(jobQueue.clockState ? { clock: async () => jobQueue.clockState?.() ?? true } : {}),
    // Callers are still told that their jobs wait.
    ...(jobQueue.deliveryState ? { delivery: async () => (await jobQueue.deliveryState?.()) ?? true } : {}),
    // Checks go on by the list that was read last.
    ...(config.TARGET_DENY_NAMES_FILE === undefined
      ? {}
      : { denied: async () => denyListOf(config).state() }),
    ...(agreement ? { settings: () => agreement.firstLook.then(() => agreement.state()) } : {}),
  };
  const ables = parts.map((part) => ({
    ...part,
    canWork: (checks: Checks) => agreement?.refusal() === undefined && part.canWork(checks),
  }));
  return openReadiness(pings, ables, log);
}

const lookEveryMs = 5000;

/** Looks at the file of names that are not checked, and logs each change and each fault of it. Nothing is looked at where no file is named. */
function tellDenyList(config: Config, log: Pick<Logger, 'info' | 'error'>): void {
  if (config.TARGET_DENY_NAMES_FILE === undefined) return;
  const list = denyListOf(config);
  let [revision, state] = [list.revision(), list.state()];
  setInterval(() => {
    const [nextRevision, nextState] = [list.revision(), list.state()];
    if (nextState !== true && nextState !== state)
      log.error({ reason: nextState }, 'could not reload the deny list');
    if (nextRevision !== revision || (nextState === true && state !== true))
      log.info({ names: list.count() }, 'deny list reloaded');
    [revision, state] = [nextRevision, nextState];
  }, lookEveryMs).unref();
}

/** Logs the variables that look like settings and have no effect; of several processes of one service, one does so. */
function warnOfMisspelt(log: Pick<Logger, 'warn'>): void {
  for (const misspelling of misspeltSettings()) log.warn(misspelling, 'variable is not a setting');
}
