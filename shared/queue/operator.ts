import type { Redis } from 'ioredis';
import { isRedisAway, onceOnly, openRedis, readTimeMs } from '../backends/redis.ts';
import { type Job, type QueueName, queueNames, randomId, type ToldJob } from '../model/job.ts';
import { notStarted, type Progress, type QueueStats, type Submitted } from '../ports/job-queue.ts';
import { readStats, sayPaused } from './open.ts';
import { jobsKey } from './scheduler/keys.ts';
import {
  placeOf,
  readPayload,
  readProgress,
  readRecord,
  readTold,
  readTurn,
  stateOf,
  type Turn,
} from './scheduler/look.ts';
import {
  type BullmqQueueOptions,
  closeReadyQueues,
  openReadyQueues,
  openScheduler,
  type ReadyQueues,
} from './scheduler/scheduler.ts';
import { queueUnavailable } from './unavailable.ts';

/** A job as an operator sees it. */
export type OperatorJob = {
  readonly job: Job;
  readonly state: Circumstances['state'];
  readonly waitedMs: number;
};

/** One host: the jobs that hold its places, and how many wait for one. */
export type ObservedHost = {
  readonly host: string;
  readonly holders: readonly string[];
  readonly waitingNetwork: number;
  readonly waitingBrowser: number;
};

/** A check whose jobs no worker starts, and until when: Unix ms. */
export type Pause = { readonly check: string; readonly until: number };

/** No pause is longer: one that was forgotten ends by itself. */
export const pauseMostMs = 86_400_000;

/** What an operator sees of the queues and does with them; everything rejects with Problem `queue_unavailable` where Redis is away. */
export type Operator = {
  /** Pauses a check, or gives a pause that is there another end. */
  pause(check: string, forMs: number): Promise<Pause>;
  /** Ends a pause; false where there was none. */
  resume(check: string): Promise<boolean>;
  pauses(): Promise<readonly Pause[]>;
  stats(): Promise<Readonly<Record<QueueName, QueueStats>>>;
  /** The hosts at which jobs run or wait, those with most of them first. */
  hosts(most: number): Promise<readonly ObservedHost[]>;
  /** Jobs that run or wait, the oldest of each kind first; at most so many of each queue. */
  jobs(most: number): Promise<readonly OperatorJob[]>;
  /** Undefined for a job that never was, or that ended too long ago. */
  find(jobId: string): Promise<Circumstances | undefined>;
  /** Wakes a job that waits; starts one that has ended again, under new ids. Undefined where it ended well, and what it takes is not kept. */
  retry(seen: Circumstances, queueMs: number): Promise<Submitted | undefined>;
  /** Takes a job out of its queue, as expired; false where it runs or has ended. */
  drop(jobId: string): Promise<boolean>;
  close(): Promise<void>;
};

/** Opens the queues for an operator. Rejects with Problem `queue_unavailable` where Redis is away. */
export async function openOperator(options: BullmqQueueOptions): Promise<Operator> {
  const redis = openRedis(options.url, onceOnly, options.log);
  const queues = openReadyQueues(redis);
  const scheduler = openScheduler(redis, {
    ...options,
    queues,
    onEvent: () => undefined,
    doStep: (step) => step(),
  });
  const told =
    <Given extends readonly unknown[], T>(act: (...given: Given) => Promise<T>) =>
    async (...given: Given): Promise<T> => {
      try {
        return await act(...given);
      } catch (error) {
        throw isRedisAway(error) ? queueUnavailable(error) : error;
      }
    };
  const close = () => closeReadyQueues(redis, queues);
  try {
    await told(() => redis.ping())();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    pause: told((check: string, forMs: number) => pause(redis, check, forMs)),
    resume: told(async (check: string) => (await redis.hdel(jobsKey('pauses'), `check ${check}`)) === 1),
    pauses: told(() => listPauses(redis)),
    stats: told(() => readStats(redis)),
    hosts: told((most: number) => readHosts(redis, most)),
    jobs: told((most: number) => listJobs(redis, most)),
    find: told((jobId: string) => find(redis, queues, jobId)),
    async retry({ job, state }, queueMs) {
      const { jobId } = job;
      if (state === 'running') return { state: 'joined', jobId };
      if (state === 'waiting') {
        await told(() => scheduler.wake(jobId))();
        return { state: 'admitted', jobId };
      }
      if (!('jobKey' in job)) return undefined;
      const wanted = { since: Date.now(), orFresh: false };
      const startBy = Date.now() + queueMs;
      const again = { ...job, jobId: randomId(), reportId: randomId(), wanted, startBy };
      return told(() => scheduler.submit(again, undefined))();
    },
    drop: told((jobId: string) => scheduler.drop(jobId)),
    close,
  };
}

async function pause(redis: Redis, check: string, forMs: number): Promise<Pause> {
  const until = (await readTimeMs(redis)) + forMs;
  await redis.hset(jobsKey('pauses'), `check ${check}`, until);
  // The key outlives every pause in it, and no longer.
  await redis.pexpire(jobsKey('pauses'), pauseMostMs);
  return { check, until };
}

async function listPauses(redis: Redis): Promise<Pause[]> {
  const [now, all] = await Promise.all([readTimeMs(redis), redis.hgetall(jobsKey('pauses'))]);
  return Object.entries(all)
    .map(([name, until]) => ({ check: name.replace(/^check /, ''), until: Number(until) }))
    .filter(({ until }) => until > now);
}

const atOnce = 500;
/** What was handed out stands among those that wait until it has begun. */
const kinds = ['running', 'waits', 'parks'] as const;

async function listJobs(redis: Redis, most: number): Promise<OperatorJob[]> {
  const now = await readTimeMs(redis);
  const found: OperatorJob[] = [];
  for (const list of queueNames.flatMap((queue) => kinds.map((kind) => jobsKey(kind, queue)))) {
    const ids = await redis.zrange(list, '0', String(most - 1));
    for (let at = 0; at < ids.length; at += atOnce)
      found.push(...(await Promise.all(ids.slice(at, at + atOnce).map((id) => see(redis, id, now)))).flat());
  }
  return found;
}

async function see(redis: Redis, jobId: string, now: number): Promise<OperatorJob[]> {
  const seen = await readRecord(redis, jobId);
  if (!seen) return [];
  return [{ job: seen.job, state: stateOf(seen.record), waitedMs: now - seen.record.born }];
}

function jobOf(turn: Turn, jobId: string): Job | ToldJob | undefined {
  const read = readPayload(turn, jobId);
  return 'value' in read ? read.value : readTold(turn);
}

async function find(redis: Redis, queues: ReadyQueues, jobId: string): Promise<Circumstances | undefined> {
  const turn = await readTurn(redis, jobId);
  const job = turn && jobOf(turn, jobId);
  if (!turn || !job) return undefined;
  const { record } = turn;
  const [isStopped, now, served, denied, paused, place, holders, told] = await Promise.all([
    queues[record.pool].isPaused(),
    readTimeMs(redis),
    redis.zrange(jobsKey('alive', record.pool), '-1', '-1', 'WITHSCORES'),
    redis.get(jobsKey('denied', record.pool)),
    redis.hget(jobsKey('pauses'), `check ${job.check}`),
    placeOf(redis, record, jobId),
    redis.zrange(jobsKey('at', `host ${record.host}`), '0', '-1'),
    readProgress(redis, jobId),
  ]);
  const { at } = record;
  return {
    job,
    state: stateOf(record),
    waitsFor: at === 'host' || at === 'turn' ? at : at === 'held' ? 'worker' : 'time',
    progress: told ?? notStarted,
    pausedMs: Math.max(0, Number(paused ?? 0) - now),
    isServed: Number(served[1] ?? 0) > now,
    denied: denied ?? undefined,
    isStopped,
    place: place ?? 1,
    holders,
  };
}

const keysAtOnce = 1000;
/** Hosts that are looked at; jobs wait at more only while more than so many jobs run or wait. */
const hostsMost = 100_000;

async function readHosts(redis: Redis, most: number): Promise<ObservedHost[]> {
  const hosts = await findHosts(redis);
  const found: ObservedHost[] = [];
  for (let at = 0; at < hosts.length; at += keysAtOnce)
    found.push(...(await Promise.all(hosts.slice(at, at + keysAtOnce).map((host) => readHost(redis, host)))));
  const lengthOf = ({ holders, waitingNetwork, waitingBrowser }: ObservedHost) =>
    holders.length + waitingNetwork + waitingBrowser;
  return found
    .filter((host) => lengthOf(host) > 0)
    .sort((a, b) => lengthOf(b) - lengthOf(a))
    .slice(0, most);
}

async function readHost(redis: Redis, host: string): Promise<ObservedHost> {
  const [holders, waitingNetwork, waitingBrowser] = await Promise.all([
    redis.zrange(jobsKey('at', `host ${host}`), '0', '-1'),
    redis.zcard(jobsKey('host', 'network', host)),
    redis.zcard(jobsKey('host', 'browser', host)),
  ]);
  return { host, holders, waitingNetwork, waitingBrowser };
}

async function findHosts(redis: Redis): Promise<readonly string[]> {
  const prefixes = [jobsKey('at', 'host '), jobsKey('host', 'network', ''), jobsKey('host', 'browser', '')];
  const hosts = new Set<string>();
  let cursor = '0';
  do {
    const [next, found] = await redis.scan(cursor, 'MATCH', `${jobsKey('')}*host*`, 'COUNT', keysAtOnce);
    for (const key of found) {
      const prefix = prefixes.find((start) => key.startsWith(start));
      if (prefix !== undefined) hosts.add(key.slice(prefix.length));
    }
    cursor = next;
  } while (cursor !== '0' && hosts.size < hostsMost);
  return [...hosts];
}

/** Everything that decides whether a job runs now; of one that has ended well only what was told of it is left. */
export type Circumstances = {
  readonly job: Job | ToldJob;
  readonly state: 'waiting' | 'running' | 'done' | 'failed' | 'expired';
  /** What a job that waits does: for its host, for its caller's turn, for a worker that takes it, or it sleeps. */
  readonly waitsFor: 'host' | 'turn' | 'worker' | 'time';
  readonly progress: Progress;
  /** How long its check is held back, ms; 0 where it is not. */
  readonly pausedMs: number;
  /** A worker that serves its queue is alive. */
  readonly isServed: boolean;
  /** Its queue is paused in BullMQ. */
  readonly isStopped: boolean;
  /** What must be done for a queue that a worker should serve and cannot. */
  readonly denied: string | undefined;
  /** Its place among those that wait for its host, or among its caller's jobs; 1 is next. */
  readonly place: number;
  /** Jobs that hold the places of its host. */
  readonly holders: readonly string[];
};

/** Says in one or two sentences why a job waits, or what became of it. */
export function sayWhy(seen: Circumstances): string {
  const { job, state, progress } = seen;
  if (state === 'running') {
    const { done, total, current } = progress;
    return `It runs: ${done} of ${total} questions are answered${current === '' ? '' : `, now ${current}`}.`;
  }
  if (state === 'expired') return 'It expired: its turn did not come within QUEUE_SECONDS.';
  if (state === 'failed')
    return 'It ended as failed. Its report says why, and the log of the worker has the error.';
  if (state === 'done') return `It is done. Its report is ${job.reportId}.`;
  return sayWait(seen);
}

function sayWait(seen: Circumstances): string {
  const { job, waitsFor, pausedMs, isServed, isStopped, denied, place, holders } = seen;
  const { queue, host, check } = job;
  if (pausedMs > 0)
    return `The check ${check} is paused for another ${Math.ceil(pausedMs / 1000)} s. "diag queue resume ${check}" ends that.`;
  if (waitsFor === 'host')
    return `It waits for its host ${host}, at place ${place}. The places of this host are held by ${holders.join(', ') || 'nobody: the next job that ends there hands them on'}.`;
  if (denied !== undefined && !isServed) return `No worker can serve the queue ${queue}. ${denied}`;
  if (!isServed) return `No worker serves the queue ${queue}. Start one.`;
  if (isStopped) return sayPaused(queue);
  if (waitsFor === 'turn')
    return `It waits for its caller's turn, at place ${place} of its caller's jobs: callers share the slots of the workers of the queue ${queue}.`;
  if (waitsFor === 'worker') return `It may run: a worker of the queue ${queue} has it, or takes it next.`;
  return `It sleeps, as something that it needs was away, and is tried again within seconds. "diag queue retry ${job.jobId}" tries it now.`;
}
