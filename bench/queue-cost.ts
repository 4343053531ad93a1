import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Queue, QueueEvents } from 'bullmq';
import { Redis } from 'ioredis';
import { openBullmqJobQueue } from '#shared/job-queue/bullmq/open';
import { openLogger } from '#shared/logger';
import { type Job, jobVersion, randomId } from '#shared/model/job';
import { startRedis } from '../test/kit/redis.ts';
import { inLanes } from './slow-host.ts';

/** Rounds of so many jobs each, ours and theirs by turns: the loop's code grows warm for both, and the machine's moods meet both. */
const rounds = 7;
const jobsInRound = 1000;

/** Redis's time and memory for a waiting job at 1 k, 10 k, 100 k; and our CPU for one queued job that is waited for, against BullMQ's waitUntilFinished in the same run. */
export async function bench(): Promise<void> {
  const redis = await startRedis();
  const admin = new Redis(redis.url);
  try {
    for (const count of [1000, 10_000, 100_000]) await measureWaiting(redis.url, admin, count);
    await admin.flushall();
    await admin.set('diag:worker:network', '1');
    await compareCpu(redis.url);
  } finally {
    admin.disconnect();
    await redis.stop();
  }
}

async function measureWaiting(url: string, admin: Redis, count: number): Promise<void> {
  await admin.flushall();
  await admin.set('diag:worker:network', '1');
  const queue = await openReady(url);
  const before = await usage(admin);
  // A hundred callers, a thousand hosts: most jobs wait for their host.
  await inLanes(
    count,
    100,
    async (index) => void (await queue.submit(makeJob(`h${index % 1000}.test`, `c${index % 100}`))),
  );
  const after = await usage(admin);
  const perJob = {
    us: ((after.cpuUs - before.cpuUs) / count).toFixed(0),
    bytes: ((after.bytes - before.bytes) / count).toFixed(0),
  };
  console.log(
    `${count} jobs waiting: ${perJob.us} µs of Redis and ${perJob.bytes} bytes a job (flat, at most 1,300 bytes)`,
  );
  await queue.close(0);
}

type Side = { run(): Promise<void>; close(): Promise<void> };

async function compareCpu(url: string): Promise<void> {
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
    rows.map((row) => row[key]).toSorted((one, other) => one - other)[Math.floor(rounds / 2)];
  console.log(
    `CPU of this process for a queued job, medians: ours ${middle('ours')} µs, waitUntilFinished ${middle('theirs')} µs, ratio ${middle('ratio')} (at most 0.50)`,
  );
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
      await queue.submit(job);
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
