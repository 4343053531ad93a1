import type { Job as BullJob } from 'bullmq';
import { isRedisAway, onceOnly, openRedis } from '../../backends/redis.ts';
import { drawJobId, type Job, type QueueName, queueNames, randomId } from '../../model/job.ts';
import { type Done, notStarted, type QueueStats, type Submitted } from '../../ports/job-queue.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { readJob, readProgress } from '../read-message.ts';
import { queueUnavailable } from '../unavailable.ts';
import { handOver, promote } from './hand-over.ts';
import { type ObservedHostLine, readLines } from './lines.ts';
import { mergePauses, type PauseStore } from './pauses.ts';
import {
  closeQueuesByShard,
  openQueuesByShard,
  type ShardQueues,
  type ShardLimits,
  type QueuesByShard,
} from './shard-queues.ts';
import { listShards, ofHost, ofJobId } from './shards.ts';
import { openSharedClock } from './shared-clock.ts';
import { openStats } from './stats.ts';
import { submit } from './submit.ts';
import { type Circumstances } from './why.ts';

/** A job as an operator sees it. */
export type OperatorJob = {
  readonly job: Job;
  readonly state: Circumstances['state'];
  readonly waitedMs: number;
};

/** What an operator sees of the queues and does with them; everything rejects with Problem `queue_unavailable` where Redis is away. */
export type Operator = {
  readonly pauses: Omit<PauseStore, 'of'>;
  /** Unix ms of the shared clock. */
  nowMs(): number;
  stats(): Promise<Readonly<Record<QueueName, QueueStats>>>;
  /** The lines of all hosts that have one, the longest first. */
  lines(most: number): Promise<readonly ObservedHostLine[]>;
  /** Jobs that run or wait, the oldest of each kind first; at most so many of each queue. */
  jobs(most: number): Promise<readonly OperatorJob[]>;
  /** Undefined for a job that never was, or that ended too long ago. */
  find(jobId: string): Promise<Circumstances | undefined>;
  /** Wakes a job that waits; starts one that has ended again, under new ids. */
  retry(seen: Circumstances, queueMs: number): Promise<Submitted>;
  /** Takes a job out of its queue and its line, as expired; false where it runs or has ended. */
  drop(job: Job): Promise<boolean>;
  close(): Promise<void>;
};

export type OperatorOptions = ShardLimits & {
  readonly url: string;
  readonly shards: number;
  readonly log: Logger;
};

/** Opens the queues for an operator. Rejects with Problem `queue_unavailable` where Redis is away. */
export async function openOperator({
  url,
  shards: count,
  log,
  ...limits
}: OperatorOptions): Promise<Operator> {
  const redis = openRedis(url, onceOnly, log);
  const clock = openSharedClock(redis, log);
  const shards = listShards(url, count);
  const queuesByShard = openQueuesByShard(redis, shards, limits, clock);
  const told =
    <Given extends readonly unknown[], T>(act: (...given: Given) => Promise<T>) =>
    async (...given: Given): Promise<T> => {
      try {
        return await act(...given);
      } catch (error) {
        throw isRedisAway(error) ? queueUnavailable(error) : error;
      }
    };
  const nowMs = () => clock.nowMs();
  const close = async () => {
    clock.close();
    await closeQueuesByShard(queuesByShard);
  };
  try {
    await told(() => redis.ping())();
  } catch (error) {
    await close();
    throw error;
  }
  await clock.known;
  return {
    pauses: mergePauses(queuesByShard.map((shardQueues) => shardQueues.pauses)),
    nowMs,
    stats: told(openStats(redis, queuesByShard)),
    lines: told((most: number) => readLines({ redis, shards }, nowMs(), most)),
    jobs: told((most: number) => listJobs(queuesByShard, nowMs(), most)),
    find: told((jobId: string) => find(ofJobId(queuesByShard, jobId), jobId, nowMs())),
    retry: told((seen: Circumstances, queueMs: number) =>
      retry(ofHost(queuesByShard, seen.job.host), seen, nowMs() + queueMs),
    ),
    drop: told((job: Job) => drop(ofHost(queuesByShard, job.host), job)),
    close,
  };
}

const liveStates = {
  active: 'running',
  waiting: 'waiting',
  prioritized: 'waiting',
  delayed: 'waiting',
} as const;

async function listJobs(queuesByShard: QueuesByShard, nowMs: number, most: number): Promise<OperatorJob[]> {
  const found: OperatorJob[] = [];
  for (const queue of queueNames) {
    for (const [name, state] of Object.entries(liveStates)) {
      const jobs = await Promise.all(
        queuesByShard.map(({ queues }) =>
          queues[queue].getJobs([name as keyof typeof liveStates], 0, most - 1, true),
        ),
      );
      const seen = jobs.flat().flatMap((job) => readSeen(job, { queue, state, nowMs }));
      // Of one shard they are in order already.
      if (queuesByShard.length > 1) seen.sort((a, b) => b.waitedMs - a.waitedMs);
      found.push(...seen.slice(0, most));
    }
  }
  return found;
}

type JobPosition = Pick<OperatorJob, 'state'> & { readonly queue: QueueName; readonly nowMs: number };

// BullMQ gives undefined for a job that ended since its id was read.
function readSeen(bullJob: BullJob | undefined, { queue, state, nowMs }: JobPosition): OperatorJob[] {
  const read = readJob(bullJob?.data, { queue, jobId: bullJob?.id });
  return bullJob && 'value' in read ? [{ job: read.value, state, waitedMs: nowMs - bullJob.timestamp }] : [];
}

async function find(
  shardQueues: ShardQueues,
  jobId: string,
  nowMs: number,
): Promise<Circumstances | undefined> {
  for (const queue of queueNames) {
    const bullJob = (await shardQueues.queues[queue].getJob(jobId)) as BullJob | undefined;
    const read = readJob(bullJob?.data, { queue, jobId });
    if (bullJob && 'value' in read) return see(shardQueues, { bullJob, job: read.value, nowMs });
  }
  return undefined;
}

type LocatedJob = { readonly bullJob: BullJob; readonly job: Job; readonly nowMs: number };

async function see(
  { redis, keys, queues, gate, pauses, board }: ShardQueues,
  { bullJob, job, nowMs }: LocatedJob,
): Promise<Circumstances> {
  const { queue, jobId, host } = job;
  const { wait = '', prioritized = '', delayed = '' } = queues[queue].keys;
  const [state, pause, served, denied, place, turn, holders, fromEnd, rank, length, wake, told] =
    await Promise.all([
      bullJob.getState(),
      pauses.of(job, nowMs),
      redis.exists(keys.worker(queue)),
      gate.denied(queue),
      gate.position(job),
      gate.waitsForTurn(job),
      redis.zrangebyscore(`${keys.host(host)}:slots`, nowMs, '+inf'),
      redis.lpos(wait, jobId),
      redis.zrank(prioritized, jobId),
      redis.llen(wait),
      redis.zscore(delayed, jobId),
      board.read(jobId),
    ]);
  return {
    job,
    state: stateOf(state, bullJob.returnvalue),
    nowMs,
    progress: told ?? readProgress(bullJob.progress) ?? notStarted,
    pause,
    isServed: served === 1,
    denied,
    place,
    waitsForTurn: turn,
    hasSlot: holders.includes(`${queue} ${jobId}`),
    holders,
    ahead: fromEnd === null ? (rank ?? 0) : length - fromEnd - 1,
    // BullMQ keeps the time of a delayed job beside 12 bits of order.
    wakesAt: wake === null ? undefined : Math.floor(Number(wake) / 4096),
  };
}

function stateOf(state: string, returned: unknown): Circumstances['state'] {
  if (state === 'active') return 'running';
  if (state === 'failed') return 'failed';
  if (state !== 'completed') return 'waiting';
  return returned === 'expired' || returned === 'failed' ? returned : 'done';
}

async function retry(
  shardQueues: ShardQueues,
  { job, state, nowMs }: Circumstances,
  startBy: number,
): Promise<Submitted> {
  if (state === 'running') return { state: 'joined', jobId: job.jobId };
  if (state !== 'waiting') {
    const wanted = { notBefore: nowMs, acceptFresh: false };
    return submit(shardQueues, { ...job, jobId: drawJobId(job.host), reportId: randomId(), wanted, startBy });
  }
  const place = await shardQueues.gate.reserve(job);
  if (typeof place === 'number' && place > 0) return { state: 'parked', jobId: job.jobId, position: place };
  await promote(shardQueues.queues[job.queue], job.jobId);
  return { state: 'admitted', jobId: job.jobId };
}

async function drop({ queues, gate, pages }: ShardQueues, job: Job): Promise<boolean> {
  const { jobKey, jobId, queue, host } = job;
  const bullJob = (await queues[queue].getJob(jobId)) as BullJob | undefined;
  const state = await bullJob?.getState();
  if (!bullJob || state === 'active' || state === 'completed' || state === 'failed') return false;
  // A worker may take it in this moment: then it is locked, and this returns 0.
  if ((await queues[queue].remove(jobId)) === 0) return false;
  if (queue === 'browser') await pages.leave(job);
  const done: Done = { jobKey, jobId, queue, host, state: 'expired', tookMs: 0 };
  await handOver(queues, gate, await gate.release(job, { ended: { jobKey, message: JSON.stringify(done) } }));
  return true;
}
