import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe } from 'vitest';
import { openBullmqJobQueue } from '../../shared/job-queue/bullmq/open.ts';
import { openMemoryJobQueue } from '../../shared/job-queue/memory.ts';
import type { Logger } from '../../shared/logger.ts';
import { hasRedis, startRedis, type TestRedis } from '../kit/redis.ts';
import { jobQueueContract } from './job-queue.contract.ts';

const quiet: Logger = {
  error: console.error,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
};

describe('memory job queue', () => {
  jobQueueContract(async (limits) => openMemoryJobQueue({ ...limits, waitingLimit: 100_000 }));
});

describe.skipIf(!hasRedis)('BullMQ job queue', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());
  jobQueueContract(async (limits) => {
    const client = new Redis(redis.url);
    await client.flushall();
    // Jobs may be submitted before a worker of the test takes them.
    await client.mset({
      'diag:worker:network': '1',
      'diag:worker:browser': '1',
      'diag:worker:composite': '1',
    });
    client.disconnect();
    const queue = openBullmqJobQueue({ url: redis.url, log: quiet, ...limits });
    while ((await queue.ping()) !== true) await new Promise((resolve) => setTimeout(resolve, 10));
    return queue;
  });
});
