import { EventEmitter } from 'node:events';
import { type Job as BullJob, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Logger } from '../../logger.ts';
import { type Job, type QueueName, queueNames } from '../../model/job.ts';
import { impatient, keyPrefix, openRedis, patient } from '../../redis.ts';
import {
  type Done,
  type JobQueue,
  type JobState,
  type Missed,
  type Progress,
  type QueueStats,
  type QueueWorker,
  type Submitted,
} from '../port.ts';
import { unserved } from '../unavailable.ts';
import { type Outcome, openBullmqCrew } from './crew.ts';
import { startDenial } from './denial.ts';
import { subscribeDone } from './done.ts';
import { type Gate, openGate } from './gate.ts';
import { handOver, promote, type Queues } from './hand-over.ts';
import { judgeRedis } from './judge-redis.ts';
import { sendTogether, withinTime } from './within-time.ts';

export type BullmqQueueOptions = {
  readonly url: string;
  readonly hostConcurrency: number;
  readonly lineLimit: number;
  readonly log: Logger;
};

/** The queue over Redis: BullMQ holds every job, the gate only the order of each host's line. Any number of processes. */
export function openBullmqJobQueue({ url, hostConcurrency, lineLimit, log }: BullmqQueueOptions): JobQueue {
  const asking = openSide(openRedis(url, impatient, log), { hostConcurrency, lineLimit });
  const hearing = openRedis(url, { ...patient, enableOfflineQueue: false }, log);
  const events = new EventEmitter<{ done: [Done | Missed] }>().setMaxListeners(0);
  subscribeDone(hearing, log, (done) => events.emit('done', done));
  const crews = new Set<QueueWorker>();
  /** The last word of each queue. */
  const denials = new Map<QueueName, QueueWorker>();
  let working: Side | undefined;

  return {
    submit: (job, lineLimit) => withinTime(asking.redis, () => submit(asking, job, lineLimit)),
    onDone(listener) {
      events.on('done', listener);
      return () => events.off('done', listener);
    },
    look: (queue, jobId) => withinTime(asking.redis, () => look(asking, queue, jobId)),
    work(queue, concurrency, run, gaveUp) {
      working ??= openSide(openRedis(url, patient, log), { hostConcurrency, lineLimit });
      const crew = openBullmqCrew({ ...working, log, queue, concurrency, run, gaveUp });
      crews.add(crew);
      return crew;
    },
    deny(queue, fix) {
      working ??= openSide(openRedis(url, patient, log), { hostConcurrency, lineLimit });
      void denials.get(queue)?.close(0);
      denials.set(queue, startDenial(working.redis, queue, fix));
    },
    stats: () => withinTime(asking.redis, () => statsOfAll(asking)),
    ping: () => judgeRedis(asking.redis),
    async close(graceMs) {
      await Promise.all([...crews, ...denials.values()].map((crew) => crew.close(graceMs)));
      for (const side of [asking, working]) if (side) await closeSide(side);
      hearing.disconnect();
      events.removeAllListeners();
    },
  };
}

/** A connection with the queues and the gate over it: one for asking, which fails at once, one for working, which waits. */
type Side = { readonly redis: Redis; readonly queues: Queues; readonly gate: Gate };

function openSide(
  redis: Redis,
  limits: { readonly hostConcurrency: number; readonly lineLimit: number },
): Side {
  const open = (name: QueueName) => {
    const queue = new Queue<Job>(name, {
      connection: redis,
      prefix: `${keyPrefix}:bull`,
      streams: { events: { maxLen: 100 } },
    });
    queue.on('error', () => undefined); // said once by the connection itself
    return queue;
  };
  return {
    redis,
    gate: openGate(redis, limits),
    queues: { network: open('network'), browser: open('browser'), composite: open('composite') },
  };
}

async function closeSide({ redis, queues }: Side): Promise<void> {
  await Promise.all(queueNames.map((name) => queues[name].close().catch(() => undefined))); // Redis may be gone already
  redis.disconnect();
}

async function submit({ redis, queues, gate }: Side, job: Job, lineLimit?: number): Promise<Submitted> {
  const place = job.queue === 'composite' ? await gate.admit(job.queue) : await gate.reserve(job, lineLimit);
  if (place === 'full') return { state: 'full', jobId: job.jobId };
  if (place === 'unserved') throw unserved(await gate.denied(job.queue), job.queue);
  const delay = place === 0 ? {} : { delay: Math.max(1, job.startBy - Date.now()) };
  sendTogether(redis);
  const added = await queues[job.queue].add(job.check, job, {
    attempts: 1,
    ...delay,
    jobId: job.jobId,
    deduplication: { id: job.jobKey },
  });
  if (added.id !== job.jobId) {
    // Equal work was there before: what was taken for this job goes on, and the earlier one is helped along.
    await handOver(queues, gate, job.host, await gate.release(job, {}));
    const earlier = { ...job, jobId: added.id ?? '' };
    await repair({ queues, gate }, earlier);
    return { state: 'joined', jobId: earlier.jobId };
  }
  if (place === 0) return { state: 'admitted', jobId: job.jobId };
  // A slot may have come free between the two: nobody else would wake this job for it.
  const again = await gate.reserve(job);
  if (again === 0) {
    await promote(queues[job.queue], job.jobId);
    return { state: 'admitted', jobId: job.jobId };
  }
  return { state: 'parked', jobId: job.jobId, position: typeof again === 'number' ? again : place };
}

// A process may have died between taking a slot and waking the job that it was for.
async function repair({ queues, gate }: Pick<Side, 'queues' | 'gate'>, job: Job): Promise<void> {
  if (job.queue === 'composite' || (await queues[job.queue].getJobState(job.jobId)) !== 'delayed') return;
  if ((await gate.reserve(job)) === 0) await promote(queues[job.queue], job.jobId);
}

async function look({ queues, gate }: Side, queue: QueueName, jobId: string): Promise<JobState> {
  const bullJob = (await queues[queue].getJob(jobId)) as BullJob<Job> | undefined;
  if (!bullJob) return { state: 'unknown' };
  const state = await bullJob.getState();
  const { data: job, returnvalue } = bullJob;
  switch (state) {
    case 'active':
      return { state: 'running', progress: readProgress(bullJob.progress), job };
    case 'completed':
      return { state: readOutcome(returnvalue), job };
    case 'failed':
      return { state: 'failed', job };
    case 'unknown':
      return { state: 'unknown' };
    case 'delayed':
    case 'prioritized':
    case 'waiting':
    case 'waiting-children':
      return { state: 'waiting', position: Math.max(1, await gate.position(job)), job };
  }
}

function readOutcome(returned: unknown): Outcome {
  return returned === 'expired' || returned === 'failed' ? returned : 'done';
}

function readProgress(progress: unknown): Progress {
  return typeof progress === 'object' && progress !== null && 'done' in progress
    ? (progress as Progress)
    : { done: 0, total: 1, current: '' };
}

async function statsOfAll({ queues }: Side): Promise<Record<QueueName, QueueStats>> {
  const [network, browser, composite] = await Promise.all(queueNames.map((name) => statsOf(queues[name])));
  const none: QueueStats = { waiting: 0, parked: 0, running: 0, oldestWaitingMs: 0 };
  return { network: network ?? none, browser: browser ?? none, composite: composite ?? none };
}

async function statsOf(queue: Queue): Promise<QueueStats> {
  const [counts, [oldest]] = await Promise.all([
    queue.getJobCounts('wait', 'delayed', 'active'),
    queue.getJobs(['wait'], 0, 0, true),
  ]);
  const { wait = 0, delayed = 0, active = 0 } = counts;
  return {
    waiting: wait,
    parked: delayed,
    running: active,
    oldestWaitingMs: oldest ? Date.now() - oldest.timestamp : 0,
  };
}
