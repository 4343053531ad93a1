// In a file of its own, beside the other: both mostly wait until the messages of processes that have ended run out.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasMongo } from '../kit/mongo.ts';
import { hasRedisCluster, startRedisCluster, type TestCluster } from '../kit/redis-cluster.ts';
import { type Fleet, get, openFleet } from './fleet.ts';
import { checksOf, messagesOf, readyz, refused, world } from './settings-told.ts';

describe.skipIf(!(hasRedisCluster && hasMongo))('processes over a cluster', () => {
  let cluster: TestCluster;
  let fleet: Fleet;
  beforeAll(async () => {
    cluster = await startRedisCluster();
    fleet = await openFleet({ ...world, cluster });
  }, 90_000);
  afterAll(async () => {
    await fleet?.close();
  });

  test('another REDIS_SHARDS is refused while the first is in force, and taken once all have stopped', async () => {
    const [api, worker] = await Promise.all([fleet.startApi(), fleet.startWorker()]);
    const more = { REDIS_SHARDS: '32' };
    const [nextApi, nextWorker] = await Promise.all([
      fleet.startApi(more, 'not-ready'),
      fleet.startWorker(more, 'not-ready'),
    ]);
    for (const member of [nextApi, nextWorker]) {
      await expect
        .poll(() => readyz(member))
        .toMatchObject({
          status: 'not-ready',
          checks: { settings: 'REDIS_SHARDS is "32" here and another value in the oldest process' },
        });
      await expect.poll(() => messagesOf(member)).toEqual([refused]);
    }
    // A busy machine's 503 is asked again.
    for (let count = 0; count < 8; count += 1) await fleet.ask(() => api, `http://t${count}.test/shards`, {});
    // A run is counted after its report is stored, which may be answered before.
    await expect.poll(() => checksOf(worker)).toBe(8);
    expect(await checksOf(nextWorker)).toBe(0);
    expect((await get(nextApi, 'http://t1.test/shards32')).status).toBe(503);
    for (const member of [api, worker]) member.process.kill('SIGTERM');
    for (const member of [nextApi, nextWorker])
      await expect.poll(() => readyz(member), { timeout: 60_000 }).toMatchObject({ status: 'ready' });
    await fleet.ask(() => nextApi, 'http://t1.test/shards32', {});
    await expect.poll(() => checksOf(nextWorker)).toBe(1);
  });
});
