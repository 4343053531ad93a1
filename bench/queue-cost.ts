import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Queue, QueueEvents } from 'bullmq';
import { Redis } from 'ioredis';
import { openBullmqJobQueue } from '#shared/job-queue/bullmq/open';
import { openLogger } from '#shared/logger';
import { type Job, jobVersion, randomId } from '#shared/model/job';
import { Problem } from '#shared/model/problem';
import { startRedis } from '../test/kit/redis.ts';
import type { Section } from './section.ts';
import { inLanes } from './slow-host.ts';

/** Rounds of so many jobs each, ours and theirs by turns: the loop's code grows warm for both, and the machine's moods meet both. */
const rounds = 7;
const jobsInRound = 1000;

/** Jobs that wait already when the next ones are measured. */
const waitingBefore = [0, 1000, 10_000, 100_000];
const measuredJobs = 1000;
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
      about: `Redis for each of ${measuredJobs} jobs whose host has no room, beside a delayed job of a bare BullMQ queue; no worker takes any.`,
      columns: ['', 'Redis, µs', 'bare BullMQ, µs', 'bytes'],
      rows: [
        ...waiting,
        [
          `CPU of the asking process for a job that is waited for: ours ${cpu.ours} µs, waitUntilFinished ${cpu.theirs} µs`,
          cpu.ratio,
          '',
          '',
        ],
      ],
      limits: 'two scripts and a look at the place in line for each job, one of the scripts BullMQ’s own.',
    };
  } finally {
    admin.disconnect();
    await redis.stop();
  }
}

async function measureWaiting(url: string, admin: Redis): Promise<(string | number)[][]> {
  await admin.set('diag:worker:network', '1');
  const queue = await openReady(url);
  const submitMany = (count: number) =>
    inLanes(count, 100, async (index) => {
      const job = makeJob(`h${index % busyHosts}.test`, `c${index % 7}`);
      // A busy machine may be late: the id of the job makes a second submit harmless.
      while (!(await queue.submit(job).catch(isProblem))) continue;
    });
  await submitMany(busyHosts * 4);
  const rows: (string | number)[][] = [];
  let waiting = 0;
  for (const count of waitingBefore) {
    await submitMany(count - waiting);
    const before = await usage(admin);
    await submitMany(measuredJobs);
    const after = await usage(admin);
    waiting = count + measuredJobs;
    const us = ((after.cpuUs - before.cpuUs) / measuredJobs).toFixed(0);
    const bytes = ((after.bytes - before.bytes) / measuredJobs).toFixed(0);
    const plain = await measurePlain(admin);
    console.log(
      `${count} jobs wait, the next: ${us} µs of Redis and ${bytes} bytes each; a bare delayed job of BullMQ ${plain} µs`,
    );
    rows.push([`${count} wait`, us, plain, bytes]);
  }
  await queue.close(0);
  return rows;
}

function isProblem(error: unknown): undefined {
  if (!(error instanceof Problem)) throw error;
}

/** The same jobs without a line of their hosts. */
async function measurePlain(admin: Redis): Promise<string> {
  const jobs = Array.from({ length: measuredJobs }, () => makeJob('a.test', 'c'));
  const bare = new Queue('bare', { connection: admin });
  await bare.waitUntilReady();
  const before = await usage(admin);
  await inLanes(measuredJobs, 100, async (index) => {
    const job = jobs[index];
    if (!job) return;
    const { jobId, jobKey } = job;
    await bare.add('x', job, { jobId, delay: 3_600_000, deduplication: { id: jobKey } });
  });
  const after = await usage(admin);
  return ((after.cpuUs - before.cpuUs) / measuredJobs).toFixed(0);
}

type Side = { run(): Promise<void>; close(): Promise<void> };

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
  const middle = (key: 'ours' | 'theirs' | 'ratio') =>
    rows.map((row) => row[key]).toSorted((one, other) => one - other)[Math.floor(rounds / 2)] ?? 0;
  const medians = { ours: middle('ours'), theirs: middle('theirs'), ratio: middle('ratio') };
  console.log(
    `CPU of this process for a queued job, medians: ours ${medians.ours} µs, waitUntilFinished ${medians.theirs} µs, ratio ${medians.ratio} (at most 0.50)`,
  );
  return medians;
}

async function cpuOfRound({ run }: Side): Promise<number> {
  const cpu = process.cpuUsage();
  await inLanes(jobsInRound, 64, run);
  const { user, system } = process.cpuUsage(cpu);
  return Math.round((user + system) / jobsInRound);
}

async function openOurs(url: string): Promise<Side> {
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
export async function openTheirs(url: string): Promise<Side> {
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

async function usage(redis: Redis): Promise<{ cpuUs: number; bytes: number }> {
  const text = await redis.info();
  const read = (name: string) => Number(new RegExp(`${name}:([\\d.]+)`).exec(text)?.[1]);
  return { cpuUs: (read('used_cpu_user') + read('used_cpu_sys')) * 1e6, bytes: read('used_memory') };
}
