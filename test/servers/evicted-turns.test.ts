import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Gate, openGate } from '#shared/queue/bullmq/gate';
import { keysBelow } from '#shared/queue/bullmq/keys';
import { hasRedis, startRedis, type TestRedis } from '../kit/redis.ts';

// A Redis that others fill may evict any key of ours. What is left must not count for ever.

const slots = 4;
const shards = 1;
type Job = Parameters<Gate['reserve']>[0] & { readonly caller: string };

function jobOf(caller: string, index: number): Job {
  const jobId = `${caller}-${index}`;
  return {
    queue: 'network',
    jobId,
    host: `${jobId}.test`,
    caller,
    levels: [`net ${caller}`],
    isAnonymous: caller !== 'known',
    runLimitMs: 20_000,
  };
}

describe.skipIf(!hasRedis)('turns at the workers, of which Redis evicts', () => {
  let server: TestRedis;
  let redis: Redis;
  let shard = 0;
  beforeAll(async () => {
    server = await startRedis();
    redis = new Redis(server.url);
  });
  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });

  const keyNames = ['places', 'held', 'waiting', 'counts', 'own:*', 'line:*', 'spent:*', '*'];
  test.for(keyNames)('%s: every job has its turn, and nobody is left with a slot', async (name) => {
    shard += 1;
    const keys = keysBelow(`diag-evicted-${shard}`);
    const gate = openGate(redis, keys, { hostConcurrency: 4, lineLimit: 100, shards });
    const beat = () => gate.beat('network', `one ${slots}`, slots);
    await beat();
    const jobs = ['a', 'b', 'known'].flatMap((caller) =>
      Array.from({ length: 8 }, (_, index) => jobOf(caller, index)),
    );
    const running: Job[] = [];
    const waiting = new Set<Job>();
    for (const job of jobs) {
      if ((await gate.reserve(job)) === 0) running.push(job);
      else waiting.add(job);
    }
    expect(running.length).toBeGreaterThanOrEqual(slots);
    expect(waiting.size).toBeGreaterThan(0);
    const evicted = await redis.keys(`${keys.turns}:network:${name}`);
    expect(evicted.length).toBeGreaterThan(0);
    await redis.del(evicted);
    // As workers do: runs end, and a job that waits is looked at again after a while.
    for (let rounds = 0; rounds < jobs.length && running.length + waiting.size > 0; rounds += 1) {
      for (const job of running.splice(0)) await gate.release(job, {});
      await beat();
      for (const job of waiting) {
        if (!(await gate.start(job, 1))) continue;
        waiting.delete(job);
        running.push(job);
      }
    }
    expect([...waiting].map(({ jobId }) => jobId)).toEqual([]);
    await beat();
    for (const caller of ['a', 'b', 'known'])
      expect(await gate.jobsOf('network', jobOf(caller, 0))).toEqual({ running: 0, waiting: 0 });
    const counts = await redis.hgetall(`${keys.turns}:network:counts`);
    delete counts['arrivals'];
    expect(Object.entries(counts).filter(([, count]) => count !== '0')).toEqual([]);
    const left = ['held', 'waiting', 'places'].map((list) => `${keys.turns}:network:${list}`);
    expect(await redis.exists(left)).toBe(0);
    // A caller who comes now has its share.
    for (let index = 0; index < slots; index += 1) expect(await gate.reserve(jobOf('late', index))).toBe(0);
  });
});
