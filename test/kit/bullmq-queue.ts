import { Redis } from 'ioredis';
import { openBullmqJobQueue } from '#shared/job-queue/bullmq/open';
import type { JobQueue } from '#shared/job-queue/port';
import type { Logger } from '#shared/logger';
import type { TestRedis } from './redis.ts';

export const quiet: Logger = {
  error: console.error,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
};

/** Opens a queue over an emptied Redis, in which all queues count as served: jobs may be submitted before a worker of the test takes them. */
export async function openBullmqQueue(
  redis: TestRedis,
  limits: { readonly hostConcurrency: number; readonly lineLimit: number; readonly pageLimit?: number },
): Promise<JobQueue> {
  const client = new Redis(redis.url);
  await client.flushall();
  await client.mset({
    'diag:worker:network': '1',
    'diag:worker:browser': '1',
    'diag:worker:composite': '1',
  });
  client.disconnect();
  const queue = openBullmqJobQueue({ url: redis.url, log: quiet, ...limits });
  while ((await queue.ping()) !== true) await new Promise((resolve) => setTimeout(resolve, 10));
  return queue;
}
