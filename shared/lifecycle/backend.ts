import type { Redis } from 'ioredis';
import type { BackendAnswer } from '../backends/backend-answer.ts';
import { databasePath } from '../backends/sqlite.ts';
import { catalogue } from '../catalogue/registry.ts';
import type { Ledger } from '../limits/pace/ledger.ts';
import { openMemoryLedger } from '../limits/pace/memory.ts';
import { openMemoryRateLimiter } from '../limits/rates/flexible.ts';
import { openMemoryStreamPlaces } from '../limits/streams/memory.ts';
import { openMemoryStrikes } from '../limits/strikes/memory.ts';
import { Problem } from '../model/problem.ts';
import type { AccessRecords } from '../ports/access-record.ts';
import type { AccountTurns } from '../ports/account-turns.ts';
import type { BatchStore } from '../ports/batch-store.ts';
import type { IdempotencyStore } from '../ports/idempotency.ts';
import type { JobQueue, Missed } from '../ports/job-queue.ts';
import type { RateLimiter } from '../ports/rate-limiter.ts';
import type { ReportStore } from '../ports/report-store.ts';
import type { StreamPlaces } from '../ports/stream-places.ts';
import type { Strikes } from '../ports/strikes.ts';
import type { TokenStore } from '../ports/token-store.ts';
import type { Tracing } from '../ports/tracing.ts';
import type { WatchStore } from '../ports/watch-store.ts';
import { openMemoryJobQueue } from '../queue/memory.ts';
import { pagesOfCaller } from '../queue/unavailable.ts';
import { type Config, ConfigError } from '../settings/config.ts';
import { withHistory } from '../stores/reports/with-history.ts';
import type { Logger } from '../telemetry/logger.ts';
import { watchOutages } from '../telemetry/outages.ts';
import { traceTurns } from '../telemetry/tracing/trace-turns.ts';
import { openAccountStores } from './account-stores.ts';
import type { Agreement } from './agreement/agreement.ts';

/** The ports, opened. */
export type Backend = {
  /** `embedded`: one process. `scaled`: Redis and MongoDB, any number of processes. */
  readonly mode: 'embedded' | 'scaled';
  readonly jobQueue: JobQueue;
  readonly reportStore: ReportStore;
  readonly rateLimiter: RateLimiter;
  readonly tokenStore: TokenStore;
  /** The account of the pace of all runs, of which each process that runs some takes portions. */
  readonly pace: Ledger;
  readonly strikes: Strikes;
  readonly streamPlaces: StreamPlaces;
  /** The record for complaints. */
  readonly access: AccessRecords;
  /** The Idempotency-Keys of requests that make something. */
  readonly idempotency: IdempotencyStore;
  readonly batches: BatchStore;
  readonly watches: WatchStore;
  readonly accountTurns: AccountTurns;
  /** Whether this process has the settings of the others; absent where there are no others. */
  readonly agreement?: Agreement;
  /** Makes what the stores beside that of reports need before their first call; else it would be made while callers wait for the same server. */
  readonly prepare?: () => Promise<true | string>;
  close(graceMs: number): Promise<void>;
};

/** Jobs that may wait in one process; each is about 2 kB of memory. */
const waitingLimit = 100_000;

/** What the process is that opens them. */
export type ProcessKind = { readonly hasNoCallers?: boolean };

/** Opens the adapters that the settings want; the heavy ones are loaded only then. Redis and MongoDB may be away: what needs them says so. */
export async function openBackend(
  config: Config,
  log: Logger,
  tracing?: Tracing,
  of: ProcessKind = {},
): Promise<Backend> {
  // Beside the loading of what it takes to use them, which takes half a second.
  const [examineQueue, examineStore] = await examinersOf(config);
  const parts = traced(
    config.REDIS_URL !== undefined && config.MONGODB_URL !== undefined
      ? await openScaled(config, { redis: config.REDIS_URL, mongo: config.MONGODB_URL, ...of }, log)
      : await openEmbedded(config, log),
    tracing,
  );
  const jobQueue = watchOutages(parts.jobQueue, {
    part: 'queue',
    code: 'queue_unavailable',
    log,
    ...examineQueue,
  });
  const reportStore = watchOutages(parts.reportStore, {
    part: 'store',
    code: 'store_unavailable',
    log,
    ...examineStore,
  });
  return {
    ...parts,
    jobQueue: jobQueue.port,
    reportStore: withHistory(reportStore.port),
    async close(graceMs) {
      for (const watched of [jobQueue, reportStore]) watched.close();
      await parts.jobQueue.close(graceMs);
      parts.pace.close();
      await closeStores(parts);
    },
  };
}

async function closeStores(parts: Parts): Promise<void> {
  const { rateLimiter, reportStore, tokenStore, access, idempotency, batches, watches, accountTurns } = parts;
  const all = [rateLimiter, reportStore, tokenStore, access, idempotency, batches, watches, accountTurns];
  await Promise.all(all.map((one) => one.close()));
}

type Parts = Omit<Backend, 'close'>;
type Examiner = { readonly examine?: () => Promise<ExaminedBackend> };
type ExaminedBackend = { readonly setting: string } & BackendAnswer;

async function examinersOf({ REDIS_URL, MONGODB_URL }: Config): Promise<readonly [Examiner, Examiner]> {
  if (REDIS_URL === undefined || MONGODB_URL === undefined) return [{}, {}];
  const [{ lookAtRedis }, { lookAtMongo }] = await Promise.all([
    import('../backends/look-at-redis.ts'),
    import('../backends/look-at-mongo.ts'),
  ]);
  return [
    startExaminer(async () => ({ setting: 'REDIS_URL', ...(await lookAtRedis(REDIS_URL)) })),
    startExaminer(async () => ({ setting: 'MONGODB_URL', ...(await lookAtMongo(MONGODB_URL)) })),
  ];
}

/** Looks for the first time now: who asks first gets what came of that. */
function startExaminer(examine: () => Promise<ExaminedBackend>): Examiner {
  let first: Promise<ExaminedBackend> | undefined = examine();
  return {
    examine: () => {
      const found = first ?? examine();
      first = undefined;
      return found;
    },
  };
}

function traced(parts: Parts, tracing: Tracing | undefined): Parts {
  const system = parts.mode === 'scaled' ? 'bullmq' : 'memory';
  return tracing ? { ...parts, jobQueue: traceTurns(parts.jobQueue, tracing, system) } : parts;
}

async function openEmbedded(config: Config, log: Logger): Promise<Parts> {
  const { openSqliteReportStore } = await import('../stores/reports/sqlite.ts');
  const path = databasePath(config.DATA_DIR, 'reports');
  const jobQueue = openMemoryJobQueue({
    hostConcurrency: config.HOST_CONCURRENCY,
    hostWaitingLimit: hostWaitingLimitOf(config),
    waitingLimit,
    ...pageLimitOf(config),
  });
  const listeners = new Set<(missed: Missed) => void>();
  // Reports may have been deleted by hand: what this process remembers of them is void.
  const onForeignWrite = () => {
    for (const listener of listeners) listener('missed');
  };
  return {
    mode: 'embedded',
    jobQueue: {
      ...jobQueue,
      onDone(listener) {
        listeners.add(listener);
        const unsubscribe = jobQueue.onDone(listener);
        return () => {
          listeners.delete(listener);
          unsubscribe();
        };
      },
    },
    reportStore: openSqliteReportStore(path, { log, limitBytes: limitBytesOf(config), onForeignWrite }),
    rateLimiter: openMemoryRateLimiter(),
    tokenStore: await openTokenStore(config, log),
    pace: openMemoryLedger(),
    strikes: openMemoryStrikes(),
    streamPlaces: openMemoryStreamPlaces(),
    access: await openAccess(config, log),
    ...(await openAccountStores(config, log)),
  };
}

async function openScaled(
  config: Config,
  urls: ProcessKind & { readonly redis: string; readonly mongo: string },
  log: Logger,
): Promise<Parts> {
  const [
    { openBullmqJobQueue },
    { impatientAlone, openRedis },
    { openMongoReportStore },
    { openRedisLedger },
    { openAgreement, workInAgreement },
    { listAgreedSettings },
  ] = await Promise.all([
    import('../queue/open.ts'),
    import('../backends/redis.ts'),
    import('../stores/reports/mongo.ts'),
    import('../limits/pace/redis.ts'),
    import('./agreement/agreement.ts'),
    import('./agreement/agreed-settings.ts'),
  ]);
  const jobQueue = openBullmqJobQueue({ ...queueOptionsOf(config, urls.redis), log });
  const reportStore = ofMongoUrl(() =>
    openMongoReportStore(urls.mongo, {
      ...storeLimitsOf(config),
      log,
      isPatient: urls.hasNoCallers === true,
    }),
  );
  const redis = openRedis(urls.redis, impatientAlone, log);
  const agreement = openAgreement(redis, listAgreedSettings(config, identityOf(reportStore)), log);
  const [access, accountStores] = [await openAccess(config, log), await openAccountStores(config, log)];
  return {
    mode: 'scaled',
    agreement,
    prepare: () =>
      prepareAll([access, accountStores.idempotency, accountStores.batches, accountStores.watches]),
    jobQueue: workInAgreement(jobQueue, agreement),
    reportStore,
    tokenStore: await openTokenStore(config, log),
    pace: openRedisLedger(openRedis(urls.redis, impatientAlone, log), log),
    ...(await openSharedLimits(redis, log)),
    access,
    ...accountStores,
  };
}

// One after the other: they are made in one database, by several processes at once.
async function prepareAll(stores: readonly { prepare?(): Promise<void> }[]): Promise<true | string> {
  try {
    for (const store of stores) await store.prepare?.();
    return true;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { sayMongoFault } = await import('../backends/mongo-errors.ts');
    return `the indexes of MongoDB cannot be made: ${sayMongoFault(error)}`;
  }
}

async function openSharedLimits(
  redis: Redis,
  log: Logger,
): Promise<Pick<Parts, 'rateLimiter' | 'strikes' | 'streamPlaces'>> {
  const [{ openRedisRateLimiter }, { openRedisStrikes }, { openRedisStreamPlaces }] = await Promise.all([
    import('../limits/rates/redis.ts'),
    import('../limits/strikes/redis.ts'),
    import('../limits/streams/redis.ts'),
  ]);
  return {
    rateLimiter: openRedisRateLimiter(redis, log),
    strikes: openRedisStrikes(redis, log),
    streamPlaces: openRedisStreamPlaces(redis, log),
  };
}

function storeLimitsOf(config: Config) {
  return { limitBytes: limitBytesOf(config), longestFreshMs: longestFreshMsOf(config) };
}

function queueOptionsOf(config: Config, url: string) {
  return {
    url,
    hostConcurrency: config.HOST_CONCURRENCY,
    hostWaitingLimit: hostWaitingLimitOf(config),
    ...pageLimitOf(config),
  };
}

// A store that is away is reported by its own port; its id is compared when it is back.
function identityOf(reportStore: ReportStore): () => Promise<string | undefined> {
  return async () => reportStore.identity?.().catch(() => undefined);
}

/** Opens the store of tokens alone, for the command line as for the service. */
export async function openTokenStore(config: Config, log: Logger): Promise<TokenStore> {
  const { REDIS_URL, MONGODB_URL, DATA_DIR } = config;
  if (REDIS_URL !== undefined && MONGODB_URL !== undefined) {
    const [{ openMongoTokenStore }, { openRedisAnnouncements }] = await Promise.all([
      import('../stores/tokens/mongo.ts'),
      import('../stores/tokens/announce.ts'),
    ]);
    return ofMongoUrl(() => openMongoTokenStore(MONGODB_URL, openRedisAnnouncements(REDIS_URL, log), log));
  }
  const { openSqliteTokenStore } = await import('../stores/tokens/sqlite.ts');
  return openSqliteTokenStore(databasePath(DATA_DIR, 'tokens'), log);
}

/** Opens the record for complaints alone, for the command line as for the service. */
export async function openAccess({ MONGODB_URL, DATA_DIR }: Config, log: Logger): Promise<AccessRecords> {
  if (MONGODB_URL !== undefined) {
    const { openMongoAccess } = await import('../stores/access/mongo.ts');
    return openMongoAccess(MONGODB_URL, log);
  }
  const { openSqliteAccess } = await import('../stores/access/sqlite.ts');
  return openSqliteAccess(databasePath(DATA_DIR, 'access'), log);
}

// The driver alone knows which options and hosts it takes. What it quotes of the URL may hold the password.
function ofMongoUrl<T>(open: () => T): T {
  try {
    return open();
  } catch (error) {
    const isOfUrl = (error as NodeJS.ErrnoException).code === 'ERR_INVALID_URL';
    if (!(error instanceof Error) || !(isOfUrl || /^Mongo|^URIError$/.test(error.name))) throw error;
    throw new ConfigError(`MONGODB_URL: ${error.message.replace(/\/\/[^@\s]*@/g, '//…@')}`);
  }
}

function limitBytesOf({ STORE_MAX_MB }: Config): number {
  return STORE_MAX_MB * 1_000_000;
}

// Clocks of processes may differ a little.
const clocksMs = 60_000;

function longestFreshMsOf({ FRESH_SECONDS: everyS = 0 }: Config): number {
  return Math.max(everyS, ...catalogue.map(({ freshForS }) => freshForS)) * 1000 + clocksMs;
}

/** Jobs of a host of which nothing is known yet that can have their turn within QUEUE_SECONDS, at about a second each; more are refused at once instead of expiring. */
function hostWaitingLimitOf({ QUEUE_SECONDS, HOST_CONCURRENCY }: Config): number {
  return QUEUE_SECONDS * HOST_CONCURRENCY;
}

function pageLimitOf({ RATE_LIMIT }: Config): { readonly pageLimit?: number } {
  return RATE_LIMIT ? { pageLimit: pagesOfCaller } : {};
}
