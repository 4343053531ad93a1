import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bullPrefix, jobsKey } from '#shared/queue/scheduler/keys';
import { announced, makeJob } from '../contract/job-queue.contract.ts';
import { openBullmqQueue } from '../kit/bullmq-queue.ts';
import { hasRedis, startRedis, type TestRedis } from '../kit/redis.ts';

const count = 5;

describe.skipIf(!hasRedis)(
  'a queue that somebody has paused in BullMQ, as a button of bull-board does',
  () => {
    let redis: TestRedis;
    beforeAll(async () => {
      redis = await startRedis();
    });
    afterAll(() => redis.stop());

    test(
      'is told of, and its jobs expire in time, each of them once in BullMQ',
      { timeout: 90_000 },
      async () => {
        const queue = await openBullmqQueue(redis, { hostConcurrency: 10, hostWaitingLimit: 100 });
        const client = new Redis(redis.url);
        const bull = new Queue('network', { connection: { url: redis.url }, prefix: bullPrefix });
        const ended: string[] = [];
        const events: string[] = [];
        queue.onDone((done) => done !== 'missed' && ended.push(done.state));
        queue.onEvent((name, event) => events.push(`${name} ${event}`));
        const run = async () => undefined;
        await announced(queue.work('network', count, run, run));
        expect(await queue.deliveryState?.()).toBe(true);
        await bull.pause();
        for (let at = 0; at < count; at += 1)
          await queue.submit(makeJob({ host: `h${at}.test`, startBy: Date.now() + 25_000 }));
        // One lease ends before their time is up, and one after.
        await expect.poll(() => events.length, { timeout: 30_000 }).toBe(count);
        expect(new Set(events)).toEqual(new Set(['network handed-again']));
        expect((await queue.stats()).network.oldestWaitingMs).toBeGreaterThan(14_000);
        const waiting = async () => (await queue.stats()).network.waiting;
        await expect.poll(waiting, { timeout: 10_000 }).toBe(count);
        await expect
          .poll(() => ended, { timeout: 40_000 })
          .toEqual(Array.from({ length: count }, () => 'expired'));
        const counts = Object.values(await bull.getJobCounts());
        expect(counts.reduce((sum, each) => sum + each, 0)).toBe(count);
        expect(await queue.deliveryState?.()).toContain("BullMQ's queue network is paused");
        // What is left there is nobody's any more.
        await bull.resume();
        await queue.submit(makeJob({ host: 'after.test' }));
        await expect.poll(() => ended.at(-1), { timeout: 20_000 }).toBe('done');
        expect(ended.length).toBe(count + 1);
        await expect.poll(() => client.zcard(jobsKey('at', 'network')), { timeout: 20_000 }).toBe(0);
        await bull.close();
        client.disconnect();
        await queue.close(0);
      },
    );
  },
);
