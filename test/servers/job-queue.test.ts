import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBullmqJobQueue } from '#shared/queue/bullmq/open';
import {
  jobQueueContract,
  listRefusals,
  makeJob,
  type OpenQueue,
  refusals,
} from '../contract/job-queue.contract.ts';
import { turnsContract } from '../contract/turns.contract.ts';
import { openBullmqQueue, quiet, shards } from '../kit/bullmq-queue.ts';
import { hasRedis, startRedis, type TestRedis } from '../kit/redis.ts';

describe.skipIf(!hasRedis)('BullMQ job queue', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());
  const open: OpenQueue = async (limits) => openBullmqQueue(redis, limits);
  jobQueueContract(open);
  turnsContract(open);
});

const limits = { hostConcurrency: 4, lineLimit: 100 };

test.skipIf(!hasRedis)(
  'a run over Redis needs no look in the store before its key has ended once',
  async () => {
    const redis = await startRedis();
    const queue = await openBullmqQueue(redis, limits);
    const told: boolean[] = [];
    queue.work(
      'network',
      1,
      async (_job, { mayBeStored }) => void told.push(mayBeStored),
      async () => undefined,
    );
    for (const count of [1, 2]) {
      await expect.poll(() => queue.submit(makeJob({ jobKey: 'k' }))).toMatchObject({ state: 'admitted' });
      await expect.poll(() => told.length).toBe(count);
    }
    expect(told).toEqual([false, true]);
    await queue.close(0);
    await redis.stop();
  },
);

test.skipIf(!hasRedis)(
  'of many workers that wait, one asks for a job by a script; the others only look',
  async () => {
    const redis = await startRedis();
    const first = await openBullmqQueue(redis, limits);
    const others = [1, 2].map(() => openBullmqJobQueue({ url: redis.url, shards, log: quiet, ...limits }));
    let ended = 0;
    for (const queue of [first, ...others])
      queue.work(
        'network',
        5,
        async () => void (ended += 1),
        async () => undefined,
      );
    const client = new Redis(redis.url);
    const before = await countFetches(client);
    for (let count = 1; count <= jobsOneByOne; count += 1) {
      await expect.poll(() => first.submit(makeJob())).toMatchObject({ state: 'admitted' });
      await expect.poll(() => ended).toBe(count);
    }
    // One as a job is taken, one in the script that ends it. Two workers may look at the same moment, and see the same job.
    expect((await countFetches(client)) - before).toBeLessThan(2.5 * jobsOneByOne);
    client.disconnect();
    for (const queue of [first, ...others]) await queue.close(0);
    await redis.stop();
  },
);

test.skipIf(!hasRedis)(
  'work that lost its data while it waited does not stand in the way of equal work',
  async () => {
    const redis = await startRedis();
    const queue = await openBullmqQueue(redis, limits);
    const client = new Redis(redis.url);
    const held = Promise.withResolvers<void>();
    const begun: string[] = [];
    queue.work(
      'network',
      1,
      async ({ jobKey }) => {
        begun.push(jobKey);
        if (jobKey === 'held') await held.promise;
      },
      async () => undefined,
    );
    await expect.poll(() => queue.submit(makeJob({ jobKey: 'held' }))).toMatchObject({ state: 'admitted' });
    await expect.poll(() => begun).toEqual(['held']);
    const lost = makeJob({ jobKey: 'k' });
    await queue.submit(lost);
    await client.unlink(`diag:bull:network:${lost.jobId}`);
    held.resolve();
    await expect.poll(() => client.zscore('diag:bull:network:completed', lost.jobId)).not.toBeNull();
    await expect.poll(() => queue.submit(makeJob({ jobKey: 'k' }))).toMatchObject({ state: 'admitted' });
    client.disconnect();
    await queue.close(0);
    await redis.stop();
  },
);

test.skipIf(!hasRedis)(
  'jobs that were admitted before any slots were known do not block those that wait for their host',
  { timeout: 90_000 },
  async () => {
    const redis = await startRedis();
    const queue = await openBullmqQueue(redis, { hostConcurrency: 2, lineLimit: 100 });
    // Two are admitted, and two wait for the host; the others take the slots of the worker before the two do.
    for (let count = 0; count < 4; count += 1) await queue.submit(makeJob({ host: 'one.test' }));
    const client = new Redis(redis.url);
    await client.set('diag:turns:network:slots', 2, 'PX', 60_000);
    for (const host of ['a.test', 'b.test']) await queue.submit(makeJob({ host }));
    client.disconnect();
    let ended = 0;
    queue.work(
      'network',
      2,
      async () => void (await delay(50), (ended += 1)),
      async () => undefined,
    );
    await expect.poll(() => ended, { timeout: 60_000 }).toBe(6);
    await queue.close(0);
    await redis.stop();
  },
);

const jobsOneByOne = 20;

/** How often BullMQ's scripts tried to fetch a job: nothing else uses this command. */
async function countFetches(client: Redis): Promise<number> {
  return countCalls(client, 'rpoplpush');
}

async function countCalls(client: Redis, command: string): Promise<number> {
  const stats = await client.info('commandstats');
  return Number(new RegExp(`^cmdstat_${command}:calls=(\\d+)`, 'm').exec(stats)?.[1] ?? 0);
}

test.skipIf(!hasRedis)(
  'a queue that no worker serves anywhere is refused at once, with the reason',
  async () => {
    const redis = await startRedis();
    const queue = openBullmqJobQueue({ url: redis.url, shards, log: quiet, ...limits });
    await expect.poll(() => queue.ping()).toBe(true);
    expect(await listRefusals(queue)).toEqual(refusals);
    await redis.stop();
  },
);

test.skipIf(!hasRedis)(
  'who asks for a job that runs or waits for its host takes no script, and reads what any version of a worker told',
  async () => {
    const redis = await startRedis();
    const queue = await openBullmqQueue(redis, { ...limits, hostConcurrency: 1 });
    const client = new Redis(redis.url);
    const held = Promise.withResolvers<void>();
    queue.work(
      'network',
      5,
      async (_job, _start, _signal, report) => {
        report({ done: 1, total: 3, current: 'mine' });
        await held.promise;
      },
      async () => undefined,
    );
    const [running, parked] = [makeJob(), makeJob()];
    await expect.poll(() => queue.submit(running)).toMatchObject({ state: 'admitted' });
    await queue.submit(parked);
    const look = () => queue.look('network', running.jobId);
    await expect.poll(look, { timeout: 30_000 }).toMatchObject({ progress: { done: 1, current: 'mine' } });
    const before = await countCalls(client, 'evalsha');
    for (let count = 0; count < looks; count += 1) {
      expect(await look()).toMatchObject({ state: 'running' });
      expect(await queue.look('network', parked.jobId)).toMatchObject({ state: 'waiting', position: 1 });
      expect(await queue.look('network', 'never-was')).toEqual({ state: 'unknown' });
    }
    // Those of the worker itself.
    expect((await countCalls(client, 'evalsha')) - before).toBeLessThan(looks);
    const key = `diag:progress:${running.jobId}`;
    expect(await client.pttl(key)).toBeGreaterThan(0);
    await client.unlink(key);
    const told = JSON.stringify({ done: 2, total: 3, current: 'older' });
    await client.hset(`diag:bull:network:${running.jobId}`, 'progress', told);
    expect(await look()).toMatchObject({ progress: { done: 2, current: 'older' } });
    held.resolve();
    await expect.poll(look, { timeout: 30_000 }).toMatchObject({ state: 'done' });
    client.disconnect();
    await queue.close(0);
    await redis.stop();
  },
  60_000,
);

const looks = 50;
