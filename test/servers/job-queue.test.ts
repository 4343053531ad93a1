import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lookAtRedis } from '#shared/backends/look-at-redis';
import type { Done, RunJob } from '#shared/ports/job-queue';
import { openBullmqJobQueue } from '#shared/queue/open';
import { jobsKey } from '#shared/queue/scheduler/keys';
import {
  jobQueueContract,
  listRefusals,
  makeJob,
  type OpenQueue,
  refusals,
} from '../contract/job-queue.contract.ts';
import { turnsContract } from '../contract/turns.contract.ts';
import { openBullmqQueue, quiet } from '../kit/bullmq-queue.ts';
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

const limits = { hostConcurrency: 4, hostWaitingLimit: 100 };

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
    await client.unlink(jobsKey('job', lost.jobId));
    held.resolve();
    await expect.poll(() => queue.submit(makeJob({ jobKey: 'k' }))).toMatchObject({ state: 'admitted' });
    client.disconnect();
    await queue.close(0);
    await redis.stop();
  },
);

async function countCalls(client: Redis, command: string): Promise<number> {
  const stats = await client.info('commandstats');
  return Number(new RegExp(`^cmdstat_${command}:calls=(\\d+)`, 'm').exec(stats)?.[1] ?? 0);
}

test.skipIf(!hasRedis)(
  'a queue that no worker serves anywhere is refused at once, with the reason',
  async () => {
    const redis = await startRedis();
    const queue = openBullmqJobQueue({ url: redis.url, log: quiet, ...limits });
    await expect.poll(() => queue.ping()).toBe(true);
    expect(await listRefusals(queue)).toEqual(refusals);
    await redis.stop();
  },
);

/** A run that lasts until it is stopped, and why it was. */
function holdRun() {
  const why: string[] = [];
  const run: RunJob = (_job, _start, signal) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        why.push(String(signal.reason));
        reject(signal.reason as Error);
      });
    });
  return { run, why };
}

test.skipIf(!hasRedis)(
  'a run whose job another worker has begun stops, and frees nothing',
  async () => {
    const redis = await startRedis();
    const [frozen, other] = [
      await openBullmqQueue(redis, limits),
      openBullmqJobQueue({ url: redis.url, log: quiet, ...limits }),
    ];
    const ended: Done[] = [];
    frozen.onDone((done) => done !== 'missed' && ended.push(done));
    const held = holdRun();
    // One page load is all that this worker takes: the second run is the other's.
    frozen.work('browser', 1, held.run, async () => undefined);
    const job = makeJob({ queue: 'browser', runLimitMs: 60_000 });
    await expect.poll(() => frozen.submit(job)).toMatchObject({ state: 'admitted' });
    const client = new Redis(redis.url);
    const record = async () =>
      JSON.parse((await client.hget(jobsKey('job', job.jobId), 'r')) ?? '{}') as { runs?: number };
    await expect.poll(record, { timeout: 10_000 }).toMatchObject({ runs: 1 });
    const second = Promise.withResolvers<undefined>();
    other.work(
      'browser',
      1,
      () => second.promise,
      async () => undefined,
    );
    // As when the process of the first had stood still: its lock has ended.
    await client.unlink(`diag:ready:browser:${job.jobId}.1:lock`);
    await expect.poll(record, { timeout: 40_000 }).toMatchObject({ runs: 2 });
    await expect
      .poll(() => held.why, { timeout: 20_000 })
      .toEqual([expect.stringContaining('another run of this job')]);
    expect(await client.zcard(jobsKey('at', `host ${job.host}`))).toBe(1);
    expect(ended).toEqual([]);
    second.resolve(undefined);
    await expect.poll(() => ended.map(({ state }) => state)).toEqual(['done']);
    expect(await client.zcard(jobsKey('at', `host ${job.host}`))).toBe(0);
    client.disconnect();
    await Promise.all([frozen.close(0), other.close(0)]);
    await redis.stop();
  },
  90_000,
);

test.skipIf(!hasRedis)(
  'a worker that is given a job again which it still runs stops the first run, and keeps the second',
  async () => {
    const redis = await startRedis();
    const queue = await openBullmqQueue(redis, limits);
    const ended: Done[] = [];
    queue.onDone((done) => done !== 'missed' && ended.push(done));
    const held = holdRun();
    const second = Promise.withResolvers<undefined>();
    const run: RunJob = (job, start, ...rest) =>
      start.attempt === 1 ? held.run(job, start, ...rest) : second.promise;
    queue.work('network', 1, run, async () => undefined);
    const job = makeJob({ runLimitMs: 60_000 });
    await expect.poll(() => queue.submit(job)).toMatchObject({ state: 'admitted' });
    const client = new Redis(redis.url);
    const lock = `diag:ready:network:${job.jobId}.1:lock`;
    await expect.poll(() => client.exists(lock), { timeout: 10_000 }).toBe(1);
    await client.unlink(lock);
    await expect
      .poll(() => held.why, { timeout: 20_000 })
      .toEqual([expect.stringContaining('another run of this job')]);
    // For longer than a lock lasts that nobody renews.
    await new Promise((resolve) => setTimeout(resolve, 8000));
    expect(await client.exists(lock)).toBe(1);
    second.resolve(undefined);
    await expect.poll(() => ended.map(({ state }) => state)).toEqual(['done']);
    expect(await client.zcard(jobsKey('at', `host ${job.host}`))).toBe(0);
    client.disconnect();
    await queue.close(0);
    await redis.stop();
  },
  60_000,
);

test.skipIf(!hasRedis)('a server of a Redis Cluster is told as one, and takes no jobs', async () => {
  const redis = await startRedis({ isOfCluster: true });
  const queue = openBullmqJobQueue({ url: redis.url, log: quiet, ...limits });
  await expect
    .poll(() => queue.ping(), { timeout: 10_000 })
    .toMatch(/^a Redis Cluster cannot hold the queue/);
  expect(await lookAtRedis(redis.url)).toMatchObject({ cause: expect.stringMatching(/^a Redis Cluster/) });
  await expect(queue.submit(makeJob())).rejects.toMatchObject({ code: 'queue_unavailable' });
  await queue.close(0);
  await redis.stop();
});

test.skipIf(!hasRedis)(
  'who asks for a job that runs or waits for its host takes no script',
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
    const look = () => queue.look(running.jobId);
    await expect.poll(look, { timeout: 30_000 }).toMatchObject({ progress: { done: 1, current: 'mine' } });
    const before = await countCalls(client, 'evalsha');
    for (let count = 0; count < looks; count += 1) {
      expect(await look()).toMatchObject({ state: 'running' });
      expect(await queue.look(parked.jobId)).toMatchObject({ state: 'waiting', position: 1 });
      expect(await queue.look('never-was')).toEqual({ state: 'unknown' });
    }
    // Those of the worker itself.
    expect((await countCalls(client, 'evalsha')) - before).toBeLessThan(looks);
    expect(await client.pttl(jobsKey('progress', running.jobId))).toBeGreaterThan(0);
    held.resolve();
    await expect.poll(look, { timeout: 30_000 }).toMatchObject({ state: 'done' });
    client.disconnect();
    await queue.close(0);
    await redis.stop();
  },
  60_000,
);

const looks = 50;
