import { Redis } from 'ioredis';
import { queueNames } from '#shared/model/job';
import type { JobQueue } from '#shared/ports/job-queue';
import { openBullmqJobQueue } from '#shared/queue/open';
import { jobsKey } from '#shared/queue/scheduler/keys';
import type { Logger } from '#shared/telemetry/logger';
import type { TestRedis } from './redis.ts';

export const quiet: Logger = {
  error: console.error,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
};

type Limits = {
  readonly hostConcurrency: number;
  readonly hostWaitingLimit: number;
  readonly pageLimit?: number;
};

/** Opens a queue over an emptied Redis, in which all queues count as served: jobs may be submitted before a worker of the test takes them. */
export async function openBullmqQueue(redis: TestRedis, limits: Limits): Promise<JobQueue> {
  const client = new Redis(redis.url);
  await client.flushall();
  // A worker that has no slots.
  for (const queue of queueNames)
    await client.zadd(jobsKey('alive', queue), Date.now() + 3_600_000, 'none of the test');
  client.disconnect();
  const queue = openBullmqJobQueue({ url: redis.url, log: quiet, ...limits });
  while ((await queue.ping()) !== true) await new Promise((resolve) => setTimeout(resolve, 10));
  return queue;
}
