import { setTimeout as delay } from 'node:timers/promises';
import { type Job as BullJob, Worker } from 'bullmq';
import { isRedisAway, refusalOf } from '../../backends/redis.ts';
import { randomId } from '../../model/job.ts';
import type { QueueWorker, Slots } from '../../ports/job-queue.ts';
import { poolRules, runsMost } from '../turn-rules.ts';
import { bullPrefix } from './keys.ts';
import { openRuns, type RunSettings } from './run.ts';
import {
  openScheduler,
  type ReadyJob,
  type ReadyQueues,
  type Scheduler,
  type SchedulerLimits,
} from './scheduler.ts';

export type QueueWorkerSettings = SchedulerLimits &
  Omit<RunSettings, 'scheduler' | 'stop' | 'spare'> & {
    readonly queues: ReadyQueues;
    readonly slots: Slots;
  };

/** A job that loses its worker is run again this long after. Browsers may starve the loop for longer. */
const locks = {
  network: { lockDuration: 6000, stalledInterval: 2000 },
  composite: { lockDuration: 6000, stalledInterval: 2000 },
  browser: { lockDuration: 15_000, stalledInterval: 5000 },
} as const;

/** Which job is at fault for the runs that it lost is the scheduler's to say; BullMQ ends a job only after so many. */
const stallsMost = 20;
/** A Redis that refuses work is left alone for so long. */
const refusedPauseMs = 1000;
const afterAbortMs = 1000;
/** So long a worker that stops waits until the others know. */
const leaveMs = 300;

/** Takes jobs of one queue from BullMQ, which has those whose turn has come. */
export function openQueueWorker(settings: QueueWorkerSettings): QueueWorker {
  const { redis, queue, slots, log } = settings;
  const force = new AbortController();
  const scheduler = openScheduler(redis, { ...settings, doStep: (step) => patiently(force.signal, step) });
  const connection = redis.duplicate();
  connection.on('error', () => undefined); // told once by the connection it was copied from
  // More than it has slots, as slots are counted over all workers; and one more for each run that has given its place to others.
  const least = slots.most * poolRules[queue].over;
  let given = 0;
  const spare = {
    hasRoom: () => least + given < slots.most * runsMost,
    add(change: number) {
      given += change;
      worker.concurrency = least + given;
    },
  };
  const runs = openRuns({ ...settings, scheduler, spare, stop: force.signal });
  const worker = new Worker<ReadyJob>(queue, (job: BullJob<ReadyJob>) => runs.run(job), {
    connection,
    prefix: bullPrefix,
    concurrency: least,
    maxStalledCount: stallsMost,
    removeOnComplete: { count: 0 },
    removeOnFail: { count: 0 },
    ...locks[queue],
  });
  worker.on('lockRenewalFailed', (jobIds) => {
    runs
      .doubt(jobIds)
      .catch((error: unknown) => log.debug({ err: error, queue }, 'runs without a lock not looked up'));
  });
  const rest = restWhenRefused(worker, settings);
  const heartbeat = startHeartbeat(scheduler, settings);
  return {
    isAnnounced: () => heartbeat.isHeard(),
    async close(graceMs) {
      rest.stop();
      const left = within(leaveMs, heartbeat.stop());
      // Not worker.close(): it waits for running jobs without an end, and cannot be hurried afterwards.
      await within(graceMs, worker.pause(true));
      await left;
      await within(graceMs, runs.ended());
      force.abort(new Error('the worker is stopping'));
      await within(afterAbortMs, runs.ended());
      await within(afterAbortMs, worker.close(true));
      // BullMQ closes only what it has opened.
      connection.disconnect();
    },
  };
}

const heartbeatMs = 2000;

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

const retryMs = 1000;

/** Does something with Redis, again each second while Redis refuses work: a job is not at fault for that. Rejects with any other error, and with the signal's reason. */
export async function patiently<T>(signal: AbortSignal, act: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (!isRedisAway(error) || signal.aborted) throw error;
    }
    await delay(retryMs, undefined, { signal });
  }
}

/** BullMQ asks a Redis that refuses work again at once, and again: here it pauses. Each kind of error is logged when it begins. */
function restWhenRefused(
  worker: Worker<ReadyJob>,
  { queue, log }: Pick<QueueWorkerSettings, 'queue' | 'log'>,
): { stop(): void } {
  let last = '';
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  worker.on('active', () => {
    last = '';
  });
  worker.on('error', (error) => {
    const kind = refusalOf(error) ?? error.message.replaceAll(/\d+/g, '');
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
