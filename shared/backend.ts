import { join } from 'node:path';
import type { Config } from './config.ts';
import { openMemoryJobQueue } from './job-queue/memory.ts';
import type { JobQueue } from './job-queue/port.ts';
import { openMemoryRateLimiter } from './rate-limiter/memory.ts';
import type { RateLimiter } from './rate-limiter/port.ts';
import type { ReportStore } from './report-store/port.ts';
import { openSqliteReportStore } from './report-store/sqlite.ts';

/** The three ports, opened. */
export type Backend = {
  readonly jobQueue: JobQueue;
  readonly reportStore: ReportStore;
  readonly rateLimiter: RateLimiter;
};

/** Jobs that may wait in one process; each is about 2 kB of memory. */
const waitingLimit = 100_000;

/** Jobs of one host that can have their turn within QUEUE_SECONDS, at about a second each; more are refused at once instead of expiring. */
function lineLimitOf({ QUEUE_SECONDS, HOST_CONCURRENCY }: Config): number {
  return QUEUE_SECONDS * HOST_CONCURRENCY;
}

/** Opens the adapters of a single process. */
export function openEmbeddedBackend(config: Config): Backend {
  return {
    jobQueue: openMemoryJobQueue({
      hostConcurrency: config.HOST_CONCURRENCY,
      lineLimit: lineLimitOf(config),
      waitingLimit,
    }),
    reportStore: openSqliteReportStore(
      config.DATA_DIR === ':memory:' ? ':memory:' : join(config.DATA_DIR, 'reports.sqlite'),
    ),
    rateLimiter: openMemoryRateLimiter(),
  };
}
