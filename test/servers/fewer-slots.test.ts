import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { jobsKey } from '#shared/queue/scheduler/keys';
import { openBullmqQueue } from '../kit/bullmq-queue.ts';
import { hasRedis, startRedis, type TestRedis } from '../kit/redis.ts';

describe.skipIf(!hasRedis)('a worker that can use fewer of its slots for a while', () => {
  let server: TestRedis;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.stop());

  test('tells so with its next beat, counts once, and leaves none behind', async () => {
    const queue = await openBullmqQueue(server, { hostConcurrency: 4, hostWaitingLimit: 100 });
    const redis = new Redis(server.url);
    let now = 20;
    const crew = queue.work(
      'network',
      { most: 20, now: () => now },
      async () => undefined,
      async () => undefined,
    );
    const told = async () => Number(await redis.get(jobsKey('slots', 'network')));
    const offers = () => redis.hvals(jobsKey('offers', 'network'));
    await expect.poll(told).toBe(20);
    now = 6;
    await expect.poll(told, { timeout: 40_000 }).toBe(6);
    expect(await offers()).toEqual(['6']);
    now = 20;
    await expect.poll(told, { timeout: 40_000 }).toBe(20);
    await crew.close(0);
    expect(await offers()).toEqual([]);
    await queue.close(0);
    redis.disconnect();
  });
});
