import { join } from 'node:path';
import type { Config } from './config.ts';
import { openMemoryJobQueue } from './job-queue/memory.ts';
import type { JobQueue } from './job-queue/port.ts';
import type { Logger } from './logger.ts';
import { openMemoryRateLimiter } from './rate-limiter/memory.ts';
import type { RateLimiter } from './rate-limiter/port.ts';
import type { ReportStore } from './report-store/port.ts';

/** The three ports, opened. */
export type Backend = {
  /** `embedded`: one process. `scaled`: Redis and MongoDB, any number of processes. */
  readonly mode: 'embedded' | 'scaled';
  readonly jobQueue: JobQueue;
  readonly reportStore: ReportStore;
  readonly rateLimiter: RateLimiter;
  close(graceMs: number): Promise<void>;
};

/** Jobs that may wait in one process; each is about 2 kB of memory. */
const waitingLimit = 100_000;

/** Opens the adapters that the settings want; the heavy ones are loaded only then. Redis and MongoDB may be away: what needs them says so. */
export async function openBackend(config: Config, log: Logger): Promise<Backend> {
  const parts =
    config.REDIS_URL !== undefined && config.MONGODB_URL !== undefined
      ? await openScaled(config, { redis: config.REDIS_URL, mongo: config.MONGODB_URL }, log)
      : await openEmbedded(config);
  return {
    ...parts,
    async close(graceMs) {
      await parts.jobQueue.close(graceMs);
      await Promise.all([parts.rateLimiter.close(), parts.reportStore.close()]);
    },
  };
}

type Parts = Omit<Backend, 'close'>;

async function openEmbedded(config: Config): Promise<Parts> {
  const { openSqliteReportStore } = await import('./report-store/sqlite.ts');
  const path = config.DATA_DIR === ':memory:' ? ':memory:' : join(config.DATA_DIR, 'reports.sqlite');
  return {
    mode: 'embedded',
    jobQueue: openMemoryJobQueue({
      hostConcurrency: config.HOST_CONCURRENCY,
      lineLimit: lineLimitOf(config),
      waitingLimit,
    }),
    reportStore: openSqliteReportStore(path),
    rateLimiter: openMemoryRateLimiter(),
  };
}

async function openScaled(
  config: Config,
  urls: { readonly redis: string; readonly mongo: string },
  log: Logger,
): Promise<Parts> {
  const [
    { openBullmqJobQueue },
    { impatient, openRedis },
    { openMongoReportStore },
    { openRedisRateLimiter },
  ] = await Promise.all([
    import('./job-queue/bullmq/open.ts'),
    import('./job-queue/bullmq/connection.ts'),
    import('./report-store/mongo.ts'),
    import('./rate-limiter/redis.ts'),
  ]);
  return {
    mode: 'scaled',
    jobQueue: openBullmqJobQueue({
      url: urls.redis,
      hostConcurrency: config.HOST_CONCURRENCY,
      lineLimit: lineLimitOf(config),
      log,
    }),
    reportStore: openMongoReportStore(urls.mongo, log),
    rateLimiter: openRedisRateLimiter(openRedis(urls.redis, impatient, log)),
  };
}

/** Jobs of one host that can have their turn within QUEUE_SECONDS, at about a second each; more are refused at once instead of expiring. */
function lineLimitOf({ QUEUE_SECONDS, HOST_CONCURRENCY }: Config): number {
  return QUEUE_SECONDS * HOST_CONCURRENCY;
}
