import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRedisPace } from '#shared/limits/pace/redis';
import { randomId } from '#shared/model/job';
import type { Pace } from '#shared/ports/pace';
import { steadyNow } from '#shared/time/steady-time';
import { countThrough, order, paceContract } from '../contract/pace.contract.ts';
import { freeze } from '../kit/freeze.ts';
import { openReadyRedis, quietLog } from '../kit/ready-redis.ts';
import { hasRedis, startRedis, type TestRedis } from '../kit/redis.ts';

describe.skipIf(!hasRedis)('Redis pace', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());
  const open = async () => openRedisPace(await openReadyRedis(redis.url), quietLog);
  paceContract(open);

  test('four processes keep one pace, and each has its part of it', async () => {
    const paces: Pace[] = await Promise.all([open(), open(), open(), open()]);
    const key = randomId();
    const rate = { perSecond: 40, burst: 40 };
    // Known to each other, as after some seconds of work.
    await Promise.all(paces.map((pace) => pace.take(order(randomId()))));
    const counts = await Promise.all(paces.map((pace) => countThrough([pace], 100, { key, rate }, 4000)));
    const through = counts.reduce((sum, count) => sum + count, 0);
    expect(through).toBeLessThanOrEqual((40 + 4 * 40) * 1.1);
    expect(through).toBeGreaterThanOrEqual(40 + 3 * 40);
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(through / 10);
    await Promise.all(paces.map((pace) => pace.close()));
  });

  test('what a process has not used within a second comes back, and is never used later', async () => {
    const [one, other] = [await open(), await open()];
    const key = randomId();
    const rate = { perSecond: 1, burst: 8 };
    // Two more than are waited for are in hand.
    expect(await one.take(order(key, { rate }))).toBe(0);
    await delay(2200);
    const through = await countThrough([one, other], 20, { key, rate }, 100);
    expect(through).toBe(8);
    await Promise.all([one.close(), other.close()]);
  });

  test('while Redis does not answer, each process keeps its part of the rate, and no burst that others may have used', async () => {
    const client = await openReadyRedis(redis.url);
    await client.flushall();
    client.disconnect();
    const paces = await Promise.all([open(), open()]);
    const key = randomId();
    const rate = { perSecond: 20, burst: 40 };
    for (const pace of paces) await pace.take(order(randomId()));
    // The second hears of the first when it begins, and the first of the second some seconds later.
    await delay(5200);
    await countThrough(paces, 40, { key, rate }, 500);
    await freeze(redis.process);
    const start = steadyNow();
    const through = await countThrough(paces, 200, { key, rate }, 4000);
    const tookS = (steadyNow() - start) / 1000;
    redis.process?.kill('SIGCONT');
    expect(through).toBeLessThanOrEqual(tookS * 20 * 1.1 + 2);
    expect(through).toBeGreaterThanOrEqual(20);
    await Promise.all(paces.map((pace) => pace.close()));
  }, 20_000);
});
