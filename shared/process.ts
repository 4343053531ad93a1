import { openAdminServer } from './admin-server.ts';
import { type Backend, openBackend } from './backend.ts';
import { type Config, ConfigError, misspeltSettings, readConfig } from './config.ts';
import { makeDataFolderPrivate } from './data-folder.ts';
import { timeWaits } from './job-queue/time-waits.ts';
import { type Logger, openLogger } from './logger.ts';
import type { Metrics } from './metrics.ts';
import { describeMisspelling } from './misspelt-settings.ts';
import { type Able, type Checks, openReadiness, type ReadReadiness } from './readiness.ts';
import { openTracing } from './tracing/open.ts';
import type { Tracing } from './tracing/port.ts';

/** Exit status of a bad configuration (EX_CONFIG of sysexits.h). */
const exitConfig = 78;

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

export type ProcessOptions = {
  readonly name: string;
  readonly adminPort: number;
  /** Needs REDIS_URL and MONGODB_URL. */
  readonly isScaled: boolean;
  /** Longest that running work may go on once the process is told to stop. */
  readonly graceMs: number;
  /** Opens the parts in order; they are closed in the same order. */
  readonly open: (context: ProcessContext) => Promise<readonly Part[]>;
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

async function start({ name, adminPort, isScaled, graceMs, open }: ProcessOptions): Promise<void> {
  const config = readConfig();
  if (isScaled && config.REDIS_URL === undefined)
    throw new ConfigError(
      [
        `${name} needs REDIS_URL and MONGODB_URL. On one machine, npm start needs neither.`,
        ...misspeltSettings().map(describeMisspelling),
      ].join('\n  '),
    );
  const log = openLogger(config.LOG_LEVEL);
  for (const misspelling of misspeltSettings()) log.warn(misspelling, 'variable is not a setting');
  process.umask(0o077);
  makeDataFolderPrivate(config.DATA_DIR, log);
  const { openMetrics } = await import('./metrics.ts');
  const tracing = await openTracing(config, name, log);
  const opened = await openBackend(config, log, tracing);
  const metrics = openMetrics(opened.jobQueue, opened.reportStore);
  const jobQueue = timeWaits(opened.jobQueue, config.QUEUE_SECONDS * 1000, (queue, waitedS) =>
    metrics.jobStarted(queue, waitedS),
  );
  const backend = { ...opened, jobQueue };
  const parts = await open({ config, log, backend, metrics, tracing });
  const readiness = openReadinessOf(backend, parts, log);
  metrics.watchReadiness(readiness);
  if (tracing) metrics.watchTracing(tracing);
  const place = { host: config.ADMIN_HOST, port: config.ADMIN_PORT, defaultPort: adminPort };
  const admin = await openAdminServer(place, { readiness, metrics }, log).catch(
    asConfigError('ADMIN_PORT', config.ADMIN_PORT),
  );
  stopOnSignals(async () => {
    admin.drain();
    for (const part of parts) await part.close(graceMs);
    await backend.close(0);
    await tracing?.close();
    await admin.close();
  }, log);
  log.info(
    Object.assign(
      { process: name, mode: backend.mode, adminPort: admin.port },
      ...parts.map(({ says }) => says),
    ) as object,
    'ready',
  );
}

function openReadinessOf(
  { jobQueue, reportStore, agreement }: Backend,
  parts: readonly Part[],
  log: Logger,
): ReadReadiness {
  const pings = {
    queue: () => jobQueue.ping(),
    store: () => reportStore.ping(),
    // A shard that is away makes the process degraded, and leaves it ready: the others go on.
    ...(jobQueue.pingShards ? { shards: jobQueue.pingShards.bind(jobQueue) } : {}),
    ...(agreement ? { settings: () => agreement.firstLook.then(() => agreement.state()) } : {}),
  };
  const ables = parts.map((part) => ({
    ...part,
    canWork: (checks: Checks) => agreement?.refusal() === undefined && part.canWork(checks),
  }));
  return openReadiness(pings, ables, log);
}

/** Turns a port that is taken or forbidden, or a host that is none of this machine, into a ConfigError that names its setting. @param setting PORT or ADMIN_PORT */
export function asConfigError(setting: string, port: number | undefined) {
  return (error: unknown): never => {
    const {
      code = '',
      syscall,
      hostname,
      address,
    } = error as NodeJS.ErrnoException & {
      readonly hostname?: string;
      readonly address?: string;
    };
    const host = setting.replace('PORT', 'HOST');
    if (syscall === 'getaddrinfo') throw new ConfigError(`${host}: "${hostname}" has no address (${code})`);
    if (code === 'EADDRNOTAVAIL' || code === 'EINVAL' || code === 'EAFNOSUPPORT')
      throw new ConfigError(`${host}: "${address}" is no address of this machine (${code})`);
    if (code === 'EADDRINUSE') throw new ConfigError(`${setting}: port ${port} is taken by another process`);
    if (code === 'EACCES') throw new ConfigError(`${setting}: cannot listen there (${code})`);
    throw error;
  };
}

/** npm passes a signal on that a terminal or a supervisor has already sent to the whole process group: both are one request to stop. */
const sameRequestMs = 1000;

/** Runs `stop` once on SIGTERM or SIGINT and ends the process; a second request to stop ends it at once. */
function stopOnSignals(stop: () => Promise<void>, log: Logger): void {
  let stoppingSince: number | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    if (stoppingSince !== undefined) {
      if (performance.now() - stoppingSince > sameRequestMs) process.exit(1);
      return;
    }
    stoppingSince = performance.now();
    log.info({ signal }, 'stopping');
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'stopping failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}
