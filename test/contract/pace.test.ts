import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openLeasedPace } from '#shared/limits/pace/leased';
import { openMemoryLedger, openMemoryPace } from '#shared/limits/pace/memory';
import { openRedisPace } from '#shared/limits/pace/redis';
import { randomId } from '#shared/model/job';
import type { Pace } from '#shared/ports/pace';
import { steadyNow } from '#shared/time/steady-time';
import { openPaceOfWorker } from '../../worker/supervise/pace-of-worker.ts';
import { describeCluster } from '../kit/describe-cluster.ts';
import { freeze } from '../kit/freeze.ts';
import { openReadyRedis, quietLog } from '../kit/ready-redis.ts';
import { hasRedis, startRedis, type TestRedis } from '../kit/redis.ts';
import { countThrough, order, paceContract } from './pace.contract.ts';

describe('memory pace', () => {
  paceContract(async () => openMemoryPace());

  test('a burst waits for nothing, whatever fraction of a millisecond the clock shows', async () => {
    for (let now = 1; now < 2e4; now += 997.0937) {
      const pace = openMemoryPace(() => now);
      const wanted = order('a', { rate: { perSecond: 10, burst: 10 }, since: now, until: now });
      const waits = await Promise.all(Array.from({ length: 10 }, () => pace.take(wanted)));
      expect([waits.every((waitMs) => waitMs === 0), now]).toEqual([true, now]);
      expect(await pace.take(wanted)).toBeNull();
      await pace.close();
    }
  });
});

describe('the pace of a runner process, whose worker keeps the account', () => {
  const openAside = () => {
    const ledger = openMemoryLedger();
    const told: string[] = [];
    const ofWorker = openPaceOfWorker(
      async (asks) => {
        told.push('asked');
        return ledger.lease('', asks);
      },
      (message) => {
        told.push(message.kind);
        if (message.kind === 'returned') void ledger.lease('', message.asks); // never rejects
      },
    );
    return { pace: openLeasedPace(ofWorker), told };
  };
  paceContract(async () => openAside().pace);

  test('what a busy run asks takes few messages, and what is left over comes back in one', async () => {
    const { pace, told } = openAside();
    const rate = { perSecond: 100, burst: 100 };
    for (let unit = 0; unit < 20; unit += 1) expect(await pace.take(order('a', { rate }))).toBe(0);
    expect(told.length).toBeLessThan(8);
    await expect.poll(() => told.at(-1)).toBe('returned');
    expect(told.filter((kind) => kind === 'returned')).toHaveLength(1);
    await pace.close();
  });

  test('of a large burst a run gets enough at its first question', async () => {
    const { pace, told } = openAside();
    const rate = { perSecond: 200, burst: 2000 };
    for (let unit = 0; unit < 30; unit += 1) expect(await pace.take(order('a', { rate }))).toBe(0);
    expect(told).toEqual(['asked']);
    await pace.close();
  });
});

test('what many keys leave over goes back together', async () => {
  const ledger = openMemoryLedger();
  const returned: number[] = [];
  const pace = openLeasedPace({
    ...ledger,
    async lease(lane, asks) {
      if (asks.every(({ wanted }) => wanted === 0)) returned.push(asks.length);
      return ledger.lease(lane, asks);
    },
  });
  for (const key of ['a', 'b', 'c', 'd', 'e']) {
    expect(await pace.take(order(key))).toBe(0);
    await delay(20);
  }
  await expect.poll(() => returned.reduce((sum, count) => sum + count, 0)).toBe(5);
  // One, where the machine is not busy: the first of them waits for the others.
  expect(returned.length).toBeLessThanOrEqual(2);
  await pace.close();
});

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

describeCluster('Redis pace', (cluster) => {
  paceContract(async () => openRedisPace(await openReadyRedis(cluster().url), quietLog));
});
