import { EventEmitter } from 'node:events';
import { type Job as BullJob, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Logger } from '../../logger.ts';
import { type Job, type QueueName, queueNames } from '../../model/job.ts';
import { impatient, openRedis, patient } from '../../redis.ts';
import { openOnceEach } from '../once-each.ts';
import {
  type Done,
  type JobQueue,
  type JobState,
  type Missed,
  type Progress,
  type QueueWorker,
} from '../port.ts';
import { readJob, readProgress } from '../read-message.ts';
import { openBullmqCrew } from './crew.ts';
import { startDenial } from './denial.ts';
import { subscribeDone } from './done.ts';
import { bullPrefix, openGate } from './gate.ts';
import { judgeRedis } from './judge-redis.ts';
import { type Losses, openLosses } from './losses.ts';
import { openPageLine } from './page-line.ts';
import { openStats } from './stats.ts';
import { type SubmitSide, submit } from './submit.ts';
import type { Outcome } from './turn.ts';
import { openWard } from './ward.ts';
import { withinTime } from './within-time.ts';

export type BullmqQueueOptions = {
  readonly url: string;
  readonly hostConcurrency: number;
  readonly lineLimit: number;
  /** Page loads that a caller may have unfinished; where left out they are not counted. */
  readonly pageLimit?: number;
  readonly log: Logger;
};

/** The queue over Redis: BullMQ holds every job, the gate only the order of each host's line. Any number of processes. */
export function openBullmqJobQueue(options: BullmqQueueOptions): JobQueue {
  const { url, log } = options;
  const asking = openSide(openRedis(url, impatient, log), options);
  const hearing = openRedis(url, { ...patient, enableOfflineQueue: false }, log);
  const events = new EventEmitter<{ done: [Done | Missed] }>().setMaxListeners(0);
  subscribeDone(hearing, log, (done) => events.emit('done', done));
  const readStats = openStats(asking.redis, asking.queues);
  const crews = new Set<QueueWorker>();
  const onceEach = openOnceEach();
  const ward = openWard();
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
      working ??= openSide(openRedis(url, patient, log), options);
      const crew = openBullmqCrew({ ...working, ward, log, onceEach, queue, concurrency, run, gaveUp });
      crews.add(crew);
      return crew;
    },
    deny(queue, fix) {
      working ??= openSide(openRedis(url, patient, log), options);
      void denials.get(queue)?.close(0);
      denials.set(queue, startDenial(working.redis, queue, fix));
    },
    stats: () => withinTime(asking.redis, readStats),
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
type Side = SubmitSide & { readonly losses: Losses };

function openSide(redis: Redis, limits: Omit<BullmqQueueOptions, 'url' | 'log'>): Side {
  const open = (name: QueueName) => {
    const queue = new Queue<Job>(name, {
      connection: redis,
      prefix: bullPrefix,
      streams: { events: { maxLen: 100 } },
    });
    queue.on('error', () => undefined); // said once by the connection itself
    return queue;
  };
  return {
    redis,
    gate: openGate(redis, limits),
    pages: openPageLine(redis, limits.pageLimit),
    pageLimit: limits.pageLimit,
    losses: openLosses(redis),
    queues: { network: open('network'), browser: open('browser'), composite: open('composite') },
  };
}

async function closeSide({ redis, queues }: Side): Promise<void> {
  await Promise.all(queueNames.map((name) => queues[name].close().catch(() => undefined))); // Redis may be gone already
  redis.disconnect();
}

async function look({ queues, gate }: Side, queue: QueueName, jobId: string): Promise<JobState> {
  const bullJob = (await queues[queue].getJob(jobId)) as BullJob<Job> | undefined;
  if (!bullJob) return { state: 'unknown' };
  const state = await bullJob.getState();
  const { returnvalue } = bullJob;
  const read = readJob(bullJob.data, { queue, jobId });
  if ('fault' in read) return { state: 'unknown' };
  const job = read.value;
  switch (state) {
    case 'active':
      return { state: 'running', progress: readProgress(bullJob.progress) ?? noProgress, job };
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

const noProgress: Progress = { done: 0, total: 1, current: '' };
