import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Queue, QueueEvents } from 'bullmq';
import { Redis } from 'ioredis';
import { type Job, jobVersion, randomId } from '#shared/model/job';
import { Problem } from '#shared/model/problem';
import { openBullmqJobQueue } from '#shared/queue/bullmq/open';
import { openLogger } from '#shared/telemetry/logger';
import { startRedis } from '../test/kit/redis.ts';
import type { Section } from './section.ts';
import { inLanes } from './slow-host.ts';
import { median } from './statistics.ts';

/** Rounds of so many jobs each, ours and theirs by turns: the loop's code grows warm for both, and the machine's moods meet both. */
const rounds = 7;
const jobsInRound = 1000;

/** Jobs that wait already when the next ones are measured. */
const waitingBefore = [0, 1000, 10_000, 100_000];
const measuredJobs = 1000;
const waitingRounds = 5;
/** Hosts whose slots are all taken, so that every job of theirs waits. */
const busyHosts = 100;

/** Redis's CPU and memory for a waiting job when none, 1 k, 10 k and 100 k wait already; and our CPU for one queued job that is waited for, against BullMQ's waitUntilFinished in the same run. */
export async function bench(): Promise<Section> {
  const redis = await startRedis();
  const admin = new Redis(redis.url, { maxRetriesPerRequest: null });
  try {
    const waiting = await measureWaiting(redis.url, admin);
    await admin.flushall();
    await admin.set('diag:worker:network', '1');
    const cpu = await compareCpu(redis.url);
    return {
      title: 'What a queued job costs',
      about: `CPU and memory of Redis for each of the next ${measuredJobs} jobs whose host has no room, medians of ${waitingRounds} rounds by turns with delayed jobs of a bare BullMQ queue that is as long; no worker takes any. CPU of the asking process for a job that it waits for: ours ${cpu.ours} µs, with BullMQ’s waitUntilFinished ${cpu.theirs} µs, ratio ${cpu.ratio}.`,
      columns: [
        'jobs that wait already',
        'Redis, µs',
        'bare BullMQ, µs',
        'ratio',
        'bytes',
        'bare BullMQ, bytes',
      ],
      rows: waiting,
      limits:
        'one script for each job, which contains BullMQ’s own. With a long queue, the rank of a job in the line of its host, which grows with the logarithm of the line, and reads of many hosts’ keys from memory that is in no cache.',
    };
  } finally {
    admin.disconnect();
    await redis.stop();
  }
}

/** Redis's CPU and memory for each of the next jobs, at several lengths of the queue; each length by turns with a bare queue that is as long. */
async function measureWaiting(url: string, admin: Redis): Promise<(string | number)[][]> {
  await admin.set('diag:worker:network', '1');
  const queue = await openReady(url);
  const bare = new Queue('bare', { connection: admin });
  await bare.waitUntilReady();
  const submitMany = (count: number) =>
    inLanes(count, 100, async (index) => {
      const job = makeJob(`h${index % busyHosts}.test`, `c${index % 7}`);
      // A busy machine may be late: the id of the job makes a second submit harmless.
      while (!(await queue.submit(job).catch(isProblem))) continue;
    });
  const delayMany = (count: number) => inLanes(count, 100, () => addDelayed(bare));
  await submitMany(busyHosts * 4);
  const rows: (string | number)[][] = [];
  let waiting = 0;
  for (const count of waitingBefore) {
    await submitMany(count - waiting);
    await delayMany(count - waiting);
    const [ours, theirs]: [Usage[], Usage[]] = [[], []];
    for (let round = 0; round < waitingRounds; round += 1) {
      ours.push(await usageOf(admin, () => submitMany(measuredJobs)));
      theirs.push(await usageOf(admin, () => delayMany(measuredJobs)));
    }
    waiting = count + waitingRounds * measuredJobs;
    rows.push(rowOf(count, ours, theirs));
    console.log(rows.at(-1)?.join(' | '));
  }
  await queue.close(0);
  return rows;
}

function rowOf(count: number, ours: readonly Usage[], theirs: readonly Usage[]): (string | number)[] {
  const [mine, bare] = [ours, theirs].map((all) => median(all.map(({ cpuUs }) => cpuUs / measuredJobs)));
  const bytes = [ours, theirs].map((all) => median(all.map((each) => each.bytes / measuredJobs)).toFixed(0));
  const [us = Number.NaN, bareUs = Number.NaN] = [mine, bare];
  return [count, us.toFixed(0), bareUs.toFixed(0), (us / bareUs).toFixed(2), ...bytes];
}

function isProblem(error: unknown): undefined {
  if (!(error instanceof Problem)) throw error;
}

/** The same job without a line of its host. */
async function addDelayed(bare: Queue): Promise<void> {
  const job = makeJob('a.test', 'c');
  const { jobId, jobKey } = job;
  await bare.add('x', job, { jobId, delay: 3_600_000, deduplication: { id: jobKey } });
}

type QueueBench = { run(): Promise<void>; close(): Promise<void> };

async function compareCpu(url: string): Promise<Record<'ours' | 'theirs' | 'ratio', number>> {
  const [ours, theirs] = [await openOurs(url), await openTheirs(url)];
  const rows: { ours: number; theirs: number; ratio: number }[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const row = { ours: await cpuOfRound(ours), theirs: await cpuOfRound(theirs) };
    // The first is to warm up.
    if (round > 0) rows.push({ ...row, ratio: Number((row.ours / row.theirs).toFixed(2)) });
  }
  await Promise.all([ours.close(), theirs.close()]);
  console.table(rows);
  const middle = (key: 'ours' | 'theirs' | 'ratio') => median(rows.map((row) => row[key]));
  const medians = { ours: middle('ours'), theirs: middle('theirs'), ratio: middle('ratio') };
  console.log(
    `CPU of this process for a queued job, medians: ours ${medians.ours} µs, waitUntilFinished ${medians.theirs} µs, ratio ${medians.ratio} (at most 0.50)`,
  );
  return medians;
}

async function cpuOfRound({ run }: QueueBench): Promise<number> {
  const cpu = process.cpuUsage();
  await inLanes(jobsInRound, 64, run);
  const { user, system } = process.cpuUsage(cpu);
  return Math.round((user + system) / jobsInRound);
}

async function openOurs(url: string): Promise<QueueBench> {
  const queue = await openReady(url);
  const worker = await startWorker('ours', url);
  const waiting = new Map<string, () => void>();
  queue.onDone((done) => done !== 'missed' && waiting.get(done.jobKey)?.());
  return {
    async run() {
      const job = makeJob(`h${Math.floor(Math.random() * 1000)}.test`, 'c');
      const done = new Promise<void>((resolve) => waiting.set(job.jobKey, resolve));
      while (!(await queue.submit(job).catch(isProblem))) continue;
      await done;
      waiting.delete(job.jobKey);
    },
    async close() {
      worker.kill();
      await queue.close(0);
    },
  };
}

/** A bare BullMQ queue with a worker that does nothing. */
export async function openTheirs(url: string): Promise<QueueBench> {
  const connection = new Redis(url, { maxRetriesPerRequest: null });
  const queue = new Queue('theirs', { connection });
  const events = new QueueEvents('theirs', { connection: connection.duplicate() });
  const worker = await startWorker('theirs', url);
  await events.waitUntilReady();
  queue.setMaxListeners(0);
  return {
    async run() {
      const job = makeJob('a.test', 'c');
      const added = await queue.add('x', job, {
        jobId: job.jobId,
        deduplication: { id: job.jobKey },
        removeOnComplete: { age: 600, count: 1000 },
      });
      await added.waitUntilFinished(events);
    },
    async close() {
      worker.kill();
      await Promise.all([events.close(), queue.close()]);
      connection.disconnect();
    },
  };
}

function startWorker(kind: 'ours' | 'theirs', url: string): Promise<ChildProcess> {
  const child = fork(fileURLToPath(new URL('queue-cost-worker.ts', import.meta.url)), [kind, url]);
  return new Promise((resolve) => {
    child.once('message', () => resolve(child));
  });
}

/** Opens a queue that takes jobs. */
export async function openReady(url: string) {
  const queue = openBullmqJobQueue({
    url,
    shards: 16,
    hostConcurrency: 4,
    lineLimit: 1_000_000,
    log: openLogger('error'),
  });
  while ((await queue.ping()) !== true) await new Promise((resolve) => setTimeout(resolve, 20));
  return queue;
}

/** A job that no worker of the bench looks into. */
export function makeJob(host: string, caller: string): Job {
  const id = randomId();
  return {
    v: jobVersion,
    queue: 'network',
    jobId: id,
    reportId: randomId(),
    jobKey: id.slice(0, 26),
    check: 'redirect-check',
    target: `http://${host}/${id}`,
    options: {},
    host,
    caller,
    wanted: { since: Date.now(), orFresh: true },
    startBy: Date.now() + 3_600_000,
    runLimitMs: 20_000,
  };
}

type Usage = { readonly cpuUs: number; readonly bytes: number };

/** What Redis has used for something, and keeps of it. */
async function usageOf(redis: Redis, act: () => Promise<void>): Promise<Usage> {
  const before = await readUsage(redis);
  await act();
  const { cpuUs, bytes } = await readUsage(redis);
  return { cpuUs: cpuUs - before.cpuUs, bytes: bytes - before.bytes };
}

async function readUsage(redis: Redis): Promise<Usage> {
  const text = await redis.info();
  const read = (name: string) => Number(new RegExp(`${name}:([\\d.]+)`).exec(text)?.[1]);
  return { cpuUs: (read('used_cpu_user') + read('used_cpu_sys')) * 1e6, bytes: read('used_memory') };
}
