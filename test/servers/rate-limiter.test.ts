import { setTimeout as after } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRedisRateLimiter } from '#shared/limits/rates/redis';
import { randomId } from '#shared/model/job';
import { rateLimiterContract } from '../contract/rate-limiter.contract.ts';
import { freeze } from '../kit/freeze.ts';
import { openReadyRedis, quietLog } from '../kit/ready-redis.ts';
import { hasRedis, startRedis, type TestRedis } from '../kit/redis.ts';

describe.skipIf(!hasRedis)('Redis rate limiter', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());
  const open = async () => openRedisRateLimiter(await openReadyRedis(redis.url), quietLog);
  rateLimiterContract(open);

  test('two processes count as one, and each counts alone while Redis is away', async () => {
    const quota = { policy: 'scans', points: 5, windowS: 60 } as const;
    const [a, b] = [await open(), await open()];
    const caller = randomId();
    await a.take(quota, caller, 3);
    expect(await b.take(quota, caller, 3)).toMatchObject({ allowed: false, remaining: 2 });
    await freeze(redis.process);
    const start = performance.now();
    expect(await a.take(quota, caller, 5)).toMatchObject({ allowed: true });
    expect(await a.take(quota, caller, 1)).toMatchObject({ allowed: false });
    expect(performance.now() - start).toBeLessThan(4000);
    redis.process?.kill('SIGCONT');
    await Promise.all([a.close(), b.close()]);
  });

  test('a value in Redis that is no count lets nobody through unlimited', async () => {
    const quota = { policy: 'scans', points: 2, windowS: 60 } as const;
    const limiter = await open();
    const client = await openReadyRedis(redis.url);
    const [caller, other] = [randomId(), randomId()];
    await client.set(`diag:limit:scans:2:60:${caller}`, 'no number');
    await client.lpush(`diag:limit:scans:2:60:${other}`, 'a list');
    for (const one of [caller, other]) {
      const takes = [];
      for (let index = 0; index < 4; index += 1) takes.push((await limiter.take(quota, one, 1)).allowed);
      expect(takes).toEqual([true, true, false, false]);
      expect((await limiter.look(quota, one)).remaining).toBe(0);
    }
    client.disconnect();
    await limiter.close();
  });

  test('points that a frozen Redis was charged are given back when it is there again', async () => {
    const quota = { policy: 'scans', points: 5, windowS: 60 } as const;
    const [a, b] = [await open(), await open()];
    const caller = randomId();
    await a.take(quota, caller, 1);
    const early = await a.take(quota, caller, 1);
    await freeze(redis.process);
    // Sent, and not answered: Redis does it when it wakes.
    const late = await a.take(quota, caller, 1);
    await after(1000);
    await a.giveBack(quota, caller, 1, early);
    await a.giveBack(quota, caller, 1, late);
    redis.process?.kill('SIGCONT');
    await expect.poll(async () => (await b.look(quota, caller)).remaining, { timeout: 30_000 }).toBe(4);
    await after(500);
    expect((await b.look(quota, caller)).remaining).toBe(4);
    await Promise.all([a.close(), b.close()]);
  });
});
