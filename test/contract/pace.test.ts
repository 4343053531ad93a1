import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { randomId } from '#shared/model/job';
import { openMemoryPace } from '#shared/pace/memory';
import { openRedisPace } from '#shared/pace/redis';
import { describeCluster } from '../kit/describe-cluster.ts';
import { freeze } from '../kit/freeze.ts';
import { openReadyRedis, quietLog } from '../kit/ready-redis.ts';
import { hasRedis, startRedis, type TestRedis } from '../kit/redis.ts';
import { paceContract } from './pace.contract.ts';

describe('memory pace', () => {
  paceContract(async () => openMemoryPace());

  test('a burst waits for nothing, whatever fraction of a millisecond the clock shows', async () => {
    for (let now = 1; now < 1e6; now += 997.0937) {
      const pace = openMemoryPace(() => now);
      expect([await pace.take('a', 10, { perSecond: 10, burst: 10 }, 0), now]).toEqual([0, now]);
    }
  });

  test('what was taken is there again at its rate', async () => {
    let now = 1_000_000;
    const pace = openMemoryPace(() => now);
    const rate = { perSecond: 2, burst: 10 };
    expect(await pace.take('a', 10, rate, 0)).toBe(0);
    now += 1500;
    expect(await pace.take('a', 3, rate, 0)).toBe(0);
    expect(await pace.take('a', 1, rate, 0)).toBeNull();
    now += 60_000;
    expect(await pace.take('a', 10, rate, 0)).toBe(0);
    expect(await pace.take('a', 1, rate, 0)).toBeNull();
  });
});

describe.skipIf(!hasRedis)('Redis pace', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());
  const open = async () => openRedisPace(await openReadyRedis(redis.url), quietLog);
  paceContract(open);

  test('two processes keep one pace; each keeps it alone while Redis does not answer', async () => {
    const rate = { perSecond: 1, burst: 5 };
    const [a, b] = [await open(), await open()];
    const key = randomId();
    expect(await a.take(key, 4, rate, 0)).toBe(0);
    expect(await b.take(key, 4, rate, 0)).toBeNull();
    await freeze(redis.process);
    expect(await a.take(key, 5, rate, 0)).toBe(0);
    expect(await a.take(key, 5, rate, 0)).toBeNull();
    redis.process?.kill('SIGCONT');
    await Promise.all([a.close(), b.close()]);
  });
});

describeCluster('Redis pace', (cluster) => {
  paceContract(async () => openRedisPace(await openReadyRedis(cluster().url), quietLog));
});
