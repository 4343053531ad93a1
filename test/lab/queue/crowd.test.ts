import { afterAll, describe } from 'vitest';
import type { JobQueue } from '#shared/ports/job-queue';
import { queueLimits, testCrowd } from '../../contract/job-queue.contract.ts';
import { openBullmqQueue } from '../../kit/bullmq-queue.ts';
import { hasRedis, startRedis } from '../../kit/redis.ts';

describe.skipIf(!hasRedis)('BullMQ job queue', () => {
  const closers: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const close of closers.toReversed()) await close();
  });
  const open = async (): Promise<JobQueue> => {
    const redis = await startRedis();
    closers.push(redis.stop);
    const queue = await openBullmqQueue(redis, queueLimits);
    closers.push(() => queue.close(0));
    return queue;
  };
  testCrowd(open, 4000);
});
