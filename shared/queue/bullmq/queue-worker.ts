import { setImmediate } from 'node:timers/promises';
import { createRedisBackend, type Job as BullJob, type Processor, Worker } from 'bullmq';
import { isCluster, isRedisAway, refusalOf } from '../../backends/redis.ts';
import type { Job, QueueName } from '../../model/job.ts';
import type { QueueWorker, Slots } from '../../ports/job-queue.ts';
import { runsMost, turnRules } from '../turn-rules.ts';
import { endTogether, openEndings } from './end-together.ts';
import { ourScripts } from './gate.ts';
import { startHeartbeat } from './heartbeat.ts';
import { holdLock } from './hold-lock.ts';
import type { JobAlarms } from './job-alarms.ts';
import { joinScripts } from './joint-scripts.ts';
import { findStalledInTurn, lookFirst } from './look-first.ts';
import type { QueuesByShard, ShardQueues } from './shard-queues.ts';
import { type EndTogether, openShardWorkers, type SlotLimit } from './shard-workers.ts';
import type { Spare } from './turn-slot.ts';
import { giveUp, type JobOutcome, takeTurn, type TurnSettings } from './turn.ts';

type QueueWorkerSettings = Omit<TurnSettings, keyof ShardQueues | 'spare' | 'endings'> & {
  readonly queuesByShard: QueuesByShard;
  readonly slots: Slots;
  /** Of a cluster. */
  readonly jobAlarms: JobAlarms | undefined;
};

/** A job that loses its worker is run again this long after. Browsers may starve the loop for longer. */
const locks = {
  network: { lockDuration: 6000, stalledInterval: 2000 },
  composite: { lockDuration: 6000, stalledInterval: 2000 },
  browser: { lockDuration: 15_000, stalledInterval: 5000 },
} as const;

/** Which job is at fault for the runs that it lost is judged in lost-runs.ts; BullMQ ends a job only after so many. */
const stallsMost = 20;
/** How long, and how many of each queue, finished jobs are kept for callers that poll them; each takes about 1.3 kB. BullMQ's default keeps them all. */
const keepFinished = { age: 600, count: 10_000 };
/** A Redis that refuses work is left alone for so long. */
const refusedPauseMs = 1000;
const afterAbortMs = 1000;
/** So long a worker that stops waits until the others know. */
const leaveMs = 300;

/** Takes jobs of one queue from BullMQ, from all shards, each when its host has room and its caller's turn has come. */
export function openQueueWorker(given: QueueWorkerSettings): QueueWorker {
  const { queuesByShard, log } = given;
  const { spare, limit } = openRoom(given.queue, given.slots.most);
  const settings = { ...given, spare, endings: openEndings() };
  const stop = new AbortController();
  const force = new AbortController();
  const { track, ended } = openTrack();
  const run = (shardQueues: ShardQueues): Processor<Job, JobOutcome> => {
    const take = takeLocked({ ...settings, ...shardQueues }, force.signal);
    return (job, token) => track(take(job, token));
  };
  const ending = { ...settings, signal: force.signal, track };
  const end: EndTogether = (backend, redis, shardQueues) =>
    endTogether(joinScripts(backend, redis, ourScripts), { ...ending, ...shardQueues });
  const { workers, disconnect } = openWorkersOf({ ...settings, limit, end }, run, stop.signal);
  const rests = workers.map((worker, index) => {
    const shardQueues = queuesByShard[index] ?? queuesByShard[0];
    worker.on('failed', (job, error) => {
      track(giveUp({ ...settings, ...shardQueues }, job, error)).catch((reason: unknown) =>
        log.error({ err: reason, jobId: job?.id }, 'end of a failed job not recorded'),
      );
    });
    return restWhenRefused(worker, settings);
  });
  const heartbeat = startHeartbeat(settings);
  const all = (act: (worker: Worker<Job, JobOutcome>) => Promise<void>) => Promise.all(workers.map(act));
  return {
    isAnnounced: () => heartbeat.isHeard(),
    async close(graceMs) {
      for (const rest of rests) rest.stop();
      const left = within(leaveMs, heartbeat.stop());
      // Not worker.close(): it waits for running jobs without an end, and cannot be hurried afterwards.
      await within(
        graceMs,
        all((worker) => worker.pause(true)),
      );
      await left;
      stop.abort();
      await within(graceMs, ended());
      force.abort(new Error('the worker is stopping'));
      await within(afterAbortMs, ended());
      await within(
        afterAbortMs,
        all((worker) => worker.close(true)),
      );
      disconnect();
    },
  };
}

/** What a worker that stops waits for. */
function openTrack() {
  const busy = new Set<Promise<unknown>>();
  return {
    track: <T>(work: Promise<T>): Promise<T> => {
      const done: Promise<unknown> = work.catch(() => undefined).finally(() => busy.delete(done));
      busy.add(done);
      return work;
    },
    /** A run that has ended is ended in BullMQ next: that counts as well. */
    ended: async (): Promise<void> => {
      do {
        await Promise.all(busy);
        await setImmediate();
      } while (busy.size > 0);
    },
  };
}

function takeLocked(settings: TurnSettings, signal: AbortSignal) {
  const { log, queue } = settings;
  const lockMs = locks[queue].lockDuration;
  return (job: BullJob<Job>, token = '') =>
    holdLock(job, { token, lockMs, log }, () => takeTurn(settings, job, token, signal));
}

type Ends = { readonly end: EndTogether };
type Opened = { readonly workers: readonly Worker<Job, JobOutcome>[]; readonly disconnect: () => void };

function openWorkersOf(
  { queuesByShard, queue, limit, jobAlarms, end }: QueueWorkerSettings & Pick<Room, 'limit'> & Ends,
  run: (shardQueues: ShardQueues) => Processor<Job, JobOutcome>,
  signal: AbortSignal,
): Opened {
  const [shardQueues] = queuesByShard;
  const usual = {
    maxStalledCount: stallsMost,
    removeOnComplete: keepFinished,
    removeOnFail: keepFinished,
    ...locks[queue],
    // By holdLock instead.
    skipLockRenewal: true,
    ...(shardQueues.telemetry ? { telemetry: shardQueues.telemetry.bullmq } : {}),
  };
  if (jobAlarms) {
    const options = { queue, limit, usual, jobAlarms, signal, end };
    return { workers: openShardWorkers(queuesByShard, options, run), disconnect: () => undefined };
  }
  if (isCluster(shardQueues.redis)) throw new TypeError('the workers of a cluster need what wakes them');
  const connection = shardQueues.redis.duplicate();
  connection.on('error', () => undefined); // told once by the connection it was copied from
  const options = { ...usual, concurrency: limit.now(), connection, prefix: shardQueues.keys.bull };
  const worker = new Worker<Job, JobOutcome>(queue, run(shardQueues), options, (...asked) => {
    const backend = end(createRedisBackend(...asked), connection, shardQueues);
    const { keys } = shardQueues.queues[queue];
    const { wait = '', prioritized = '', delayed = '' } = keys;
    const places = { wait, prioritized, delayed };
    const fetch = lookFirst(connection, places, backend.moveToActive.bind(backend));
    // A worker that waits for jobs takes one more after it was told to pause: that one would be handed back in the moment of the end.
    backend.moveToActive = async (...words) => (signal.aborted ? [null, undefined, 0, 0] : fetch(...words));
    const find = backend.moveStalledJobsToWait.bind(backend);
    backend.moveStalledJobsToWait = findStalledInTurn(connection, keys['stalled-check'] ?? '', find);
    return backend;
  });
  limit.onChange((count) => {
    worker.concurrency = count;
  });
  // BullMQ closes only what it has opened.
  return { workers: [worker], disconnect: () => connection.disconnect() };
}

type QueueLog = Pick<QueueWorkerSettings, 'log'> & { readonly queue: QueueName };

/** BullMQ asks a Redis that refuses work again at once, and again: here it pauses. Each kind of error is logged when it begins. */
function restWhenRefused(worker: Worker<Job, JobOutcome>, { queue, log }: QueueLog): { stop(): void } {
  let last = '';
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  worker.on('active', () => {
    last = '';
  });
  worker.on('error', (error) => {
    const kind = refusalOf(error) ?? error.message;
    if (kind !== last) log.warn({ err: error, queue }, 'queue worker error');
    last = kind;
    if (timer !== undefined || isStopped || !isRedisAway(error)) return;
    void worker.pause(true).catch(() => undefined); // it only marks the worker
    timer = setTimeout(() => {
      timer = undefined;
      void worker
        .resume()
        .catch((reason: unknown) => log.error({ err: reason, queue }, 'worker not resumed'));
    }, refusedPauseMs);
  });
  return {
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const { promise: end, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([work.catch(() => undefined), end]); // what is left open here ends with its connection
  clearTimeout(timer);
}

/** How many jobs a worker has at once. */
type Room = {
  readonly spare: Spare;
  readonly limit: SlotLimit;
};

/** How many jobs a worker takes: more than it has slots, as slots are counted over all workers; and one more for each run that has given up its slot. */
function openRoom(queue: QueueName, concurrency: number): Room {
  const least = concurrency * turnRules[queue].all;
  const most = concurrency * runsMost;
  const listeners = new Set<(concurrency: number) => void>();
  let given = 0;
  return {
    limit: { now: () => least + given, onChange: (listener) => void listeners.add(listener) },
    spare: {
      hasRoom: () => least + given < most,
      add(change) {
        given += change;
        for (const listener of listeners) listener(least + given);
      },
    },
  };
}
