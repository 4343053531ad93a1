import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { type Job as BullJob, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { openRedis, patient, refusalOf } from '../../backends/redis.ts';
import { type QueueName, randomId } from '../../model/job.ts';
import type { JobQueue, QueueWorker, Slots } from '../../ports/job-queue.ts';
import { patiently } from '../redis-calls.ts';
import { bullPrefix, jobsKey, wakeKey } from '../scheduler/keys.ts';
import {
  type BullmqQueueOptions,
  closeReadyQueues,
  type OnEvent,
  openReadyQueues,
  openScheduler,
  type ReadyJob,
  type ReadyQueues,
  type Scheduler,
  type SchedulerLimits,
  wakeWorkers,
} from '../scheduler/scheduler.ts';
import { overOf, runsMost } from '../scheduler/turn-rules.ts';
import { openRunIsolation } from './run-isolation.ts';
import { openRuns, type RunSettings } from './run.ts';

export type QueueWorkerSettings = SchedulerLimits &
  Omit<RunSettings, 'scheduler' | 'stop' | 'spare'> & {
    readonly queues: ReadyQueues;
    readonly slots: Slots;
    readonly onEvent: OnEvent;
  };

/** A job that loses its worker is run again this long after. Browsers may starve the loop for longer. */
const locks = {
  network: { lockDuration: 6000, stalledInterval: 2000 },
  composite: { lockDuration: 6000, stalledInterval: 2000 },
  browser: { lockDuration: 15_000, stalledInterval: 5000 },
} as const;

/** Which job is at fault for the runs that it lost is the scheduler's to say; BullMQ ends a job only after so many. */
const stallsMost = 20;
const afterAbortMs = 1000;
/** So long a worker that stops waits until the others know. */
const leaveMs = 300;

/**
 * Takes jobs of one queue from BullMQ, which has those whose turn has come. It asks for each job itself (`getNextJob`) when it hears of one:
 * BullMQ's own loop asks two and a half times a job, as each job that is taken wakes another worker.
 */
export function openQueueWorker(settings: QueueWorkerSettings): QueueWorker {
  const { redis, queue, slots, log } = settings;
  const force = new AbortController();
  const scheduler = openScheduler(redis, { ...settings, doStep: (step) => patiently(force.signal, step) });
  const worker = new Worker<ReadyJob>(queue, null, {
    connection: redis,
    prefix: bullPrefix,
    maxStalledCount: stallsMost,
    ...locks[queue],
  });
  const tellOnce = openOnceInARow((error) => log.warn({ err: error, queue }, 'queue worker error'));
  worker.on('error', tellOnce.failed);
  // More than it has slots, as slots are counted over all workers; and one more for each run that has given its place to others.
  const room = openRoom(slots.most * overOf[queue], slots.most * runsMost);
  const runs = openRuns({ ...settings, scheduler, spare: room.spare, stop: force.signal });
  const locked = holdLocks(worker, {
    lockMs: locks[queue].lockDuration,
    onLost: (bullIds) => runs.doubt(bullIds),
    tellOnce,
  });
  const take = takeJobs(worker, {
    ...settings,
    room,
    tellOnce,
    run: (job) => locked.whileRunning(job, () => runs.run(job)),
  });
  worker.on('stalled', () => void wakeWorkers(redis, queue, 1));
  worker.startStalledCheckTimer().catch(tellOnce.failed);
  const heartbeat = startHeartbeat(scheduler, settings);
  return {
    isAnnounced: () => heartbeat.isHeard(),
    async close(graceMs) {
      const left = within(leaveMs, heartbeat.stop());
      await take.stop();
      await left;
      await within(graceMs, runs.ended());
      force.abort(new Error('the worker is stopping'));
      await within(afterAbortMs, runs.ended());
      locked.close();
      await within(afterAbortMs, worker.close(true));
    },
  };
}

type TellOnce = { readonly failed: (error: unknown) => void; readonly worked: () => void };

/** Each kind of error is told when it begins. */
function openOnceInARow(tell: (error: unknown) => void): TellOnce {
  let last = '';
  return {
    failed(error) {
      const kind = refusalOf(error) ?? String(error).replaceAll(/\d+/g, '');
      if (kind !== last) tell(error);
      last = kind;
    },
    worked() {
      last = '';
    },
  };
}

/** How many jobs a worker has at once. */
function openRoom(least: number, most: number) {
  const freed = new EventEmitter();
  let running = 0;
  let given = 0;
  return {
    /** Resolves when another job may be taken, or the signal aborts. */
    async free(signal: AbortSignal): Promise<void> {
      while (running >= least + given && !signal.aborted)
        await once(freed, 'freed', { signal }).catch(() => undefined); // the signal's reason
    },
    async occupied(work: () => Promise<void>): Promise<void> {
      running += 1;
      await work().finally(() => {
        running -= 1;
        freed.emit('freed');
      });
    },
    /** The runs that have given their places to others: the worker takes as many jobs more. */
    spare: {
      hasRoom: () => least + given < most,
      add(change: number) {
        given += change;
        if (change > 0) freed.emit('freed');
      },
    },
  };
}

type Locks = {
  readonly lockMs: number;
  readonly onLost: (bullIds: readonly string[]) => Promise<void>;
  readonly tellOnce: TellOnce;
};

/** Holds the locks of the jobs that run. Its timer goes by the monotonic clock. */
function holdLocks(worker: Worker<ReadyJob>, { lockMs, onLost, tellOnce }: Locks) {
  const held = new Map<string, string>();
  const renew = async () => {
    if (held.size === 0) return;
    const lost = await worker.extendJobLocks([...held.keys()], [...held.values()], lockMs);
    if (lost.length > 0) await onLost(lost);
  };
  const timer = setInterval(() => void renew().catch(tellOnce.failed), lockMs / 3);
  return {
    async whileRunning({ id = '', token = '' }: BullJob, work: () => Promise<void>): Promise<void> {
      held.set(id, token);
      // It may have been given to this worker again meanwhile: that lock stays.
      await work().finally(() => held.get(id) === token && held.delete(id));
    },
    close: () => clearInterval(timer),
  };
}

type Taking = Pick<QueueWorkerSettings, 'redis' | 'queue'> & {
  readonly room: ReturnType<typeof openRoom>;
  readonly run: (job: BullJob<ReadyJob>) => Promise<void>;
  readonly tellOnce: TellOnce;
};

/** Where nobody tells of a job, as the process that handed it out has died or its worker was lost, it is found after so long. */
const lookEveryS = 5;
/** A Redis that refuses work is left alone for so long. */
const refusedPauseMs = 1000;

/** Takes a job for each that it hears of, while there is room. */
function takeJobs(worker: Worker<ReadyJob>, { redis, queue, room, run, tellOnce }: Taking) {
  const stop = new AbortController();
  const hearing = redis.duplicate();
  hearing.on('error', () => undefined); // told once by the connection it was copied from
  /** Takes a job and runs it, if there is one; tells whether there was, before it has ended. */
  const takeOne = (): Promise<boolean> => {
    const { promise: isTaken, resolve, reject } = Promise.withResolvers<boolean>();
    const takeAndRun = async () => {
      const job = await worker.getNextJob(randomId(), { block: false });
      resolve(Boolean(job));
      if (!job) return;
      tellOnce.worked();
      await run(job);
      await job.moveToCompleted(null, job.token ?? '', false);
    };
    room.occupied(takeAndRun).catch((error: unknown) => {
      reject(error as Error);
      tellOnce.failed(error);
    });
    return isTaken;
  };
  /** Where nobody has told of one, there may be more. */
  const takeUntold = async () => {
    while (!stop.signal.aborted && (await takeOne())) await room.free(stop.signal);
  };
  const takeAll = async () => {
    let isTold = false;
    while (!stop.signal.aborted)
      try {
        await room.free(stop.signal);
        if (stop.signal.aborted) return;
        // Those that were told of are taken side by side.
        if (isTold) takeOne().catch(() => undefined); // it is told of there
        else await takeUntold();
        isTold = (await hearing.blpop(wakeKey(queue), lookEveryS)) !== null;
      } catch (error) {
        if (stop.signal.aborted) return;
        isTold = false;
        tellOnce.failed(error);
        await delay(refusedPauseMs, undefined, { signal: stop.signal }).catch(() => undefined); // it is stopped
      }
  };
  const taking = takeAll();
  return {
    async stop(): Promise<void> {
      stop.abort();
      hearing.disconnect();
      await within(leaveMs, taking);
      // What it may have heard of just now is for another worker.
      await within(leaveMs, wakeWorkers(redis, queue, 1));
    },
  };
}

const heartbeatMs = 3000;

/** Tells the scheduler that a worker lives, and how many slots it can use now. Each beat also does what a process that died should have done. */
function startHeartbeat(scheduler: Scheduler, { queue, slots, log }: QueueWorkerSettings) {
  const name = randomId();
  let isHeard = false;
  let isStopped = false;
  const beats = async () => {
    while (!isStopped) {
      await scheduler
        .beat(queue, name, slots.now())
        .then(() => (isHeard = true))
        .catch((error: unknown) => log.debug({ err: error, queue }, 'heartbeat not sent'));
      await delay(heartbeatMs, undefined, { ref: false });
    }
  };
  void beats();
  return {
    isHeard: () => isHeard,
    stop() {
      isStopped = true;
      return scheduler.beat(queue, name, -1);
    },
  };
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const { promise: end, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([work.catch(() => undefined), end]); // what is left open here ends with its connection
  clearTimeout(timer);
}

type Workers = Pick<JobQueue, 'work' | 'deny' | 'close'>;
type WorkersOptions = BullmqQueueOptions & { readonly onEvent: OnEvent };

/** The workers of the queues in this process, and what it tells of queues that it cannot serve. They share a connection, opened when the first of them needs it. */
export function openWorkers(options: WorkersOptions): Workers {
  const { url, log } = options;
  const opened = new Set<QueueWorker>();
  /** The last word of each queue. */
  const denials = new Map<QueueName, QueueWorker>();
  const isolation = openRunIsolation();
  let shared: { readonly redis: Redis; readonly queues: ReturnType<typeof openReadyQueues> } | undefined;
  const share = () => {
    if (shared) return shared;
    const redis = openRedis(url, patient, log);
    shared = { redis, queues: openReadyQueues(redis) };
    return shared;
  };
  return {
    work(queue, slots, run, gaveUp) {
      const given = typeof slots === 'number' ? { most: slots, now: () => slots } : slots;
      const queueWorker = openQueueWorker({
        ...options,
        ...share(),
        isolation,
        queue,
        slots: given,
        run,
        gaveUp,
      });
      opened.add(queueWorker);
      return queueWorker;
    },
    deny(queue, fix) {
      void denials.get(queue)?.close(0);
      denials.set(queue, startDenial(share().redis, queue, fix));
    },
    async close(graceMs) {
      await Promise.all([...opened, ...denials.values()].map((queueWorker) => queueWorker.close(graceMs)));
      if (!shared) return;
      await closeReadyQueues(shared.redis, shared.queues);
    },
  };
}

const repeatMs = heartbeatMs;
const aliveS = 9;

/** Tells every process, as long as this one lives, why it does not serve a queue that it should. */
function startDenial(redis: Redis, queue: QueueName, fix: string): QueueWorker {
  const tell = () => void redis.set(jobsKey('denied', queue), fix, 'EX', aliveS).catch(() => undefined); // said again in a moment
  tell();
  const timer = setInterval(tell, repeatMs);
  return { close: async () => clearInterval(timer) };
}
