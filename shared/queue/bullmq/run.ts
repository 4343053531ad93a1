import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import type { Job as BullJob } from 'bullmq';
import type { Redis } from 'ioredis';
import { type Job, jobVersion, type QueueName, randomId } from '../../model/job.ts';
import { type GaveUp, NotBegun, type RunJob } from '../../ports/job-queue.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { openOnceEach } from '../once-each.ts';
import { readJob } from '../read-message.ts';
import { openRunSlot } from '../run-slot.ts';
import { openProgressTeller, tellProgress } from './progress.ts';
import type { RunIsolation } from './run-isolation.ts';
import type { Begun, ReadyJob, Run, Scheduler } from './scheduler.ts';

export type RunSettings = {
  readonly redis: Redis;
  readonly isolation: RunIsolation;
  readonly log: Logger;
  readonly queue: QueueName;
  readonly run: RunJob;
  readonly gaveUp: GaveUp;
  readonly scheduler: Scheduler;
  /** Aborts when this worker stops, and has waited long enough. */
  readonly stop: AbortSignal;
  /** The runs of a worker that have given their places to others: the worker takes as many jobs more. */
  readonly spare: { hasRoom(): boolean; add(change: number): void };
};

/** The runs of a worker. */
export type Runs = {
  run(bullJob: BullJob<ReadyJob>): Promise<void>;
  /** BullMQ may have given these jobs to others: a run whose job another one has begun stops. */
  doubt(bullIds: readonly string[]): Promise<void>;
  /** Resolves when no run is left. */
  ended(): Promise<void>;
};

/** A run that could not begin is tried again after so long, and up to twice that: not all of them at once. */
const postponedMs = 2000;
/** A job of a newer version is tried again after so long, by whichever worker has it then. */
const newerMs = 3000;
/** A run that waits for its place asks again after so long: no worker can be woken in the middle of a run. */
const askAgainMs = 200;
/** After so many lost runs the next one is alone in its process: then it is known whether it kills its worker. */
const lostBeforeAlone = 2;

type Going = { readonly run: Run; readonly abort: AbortController };

/** Opens them. */
export function openRuns(settings: RunSettings): Runs {
  const { scheduler } = settings;
  const going = new Map<string, Going>();
  const { track, ended } = openTrack();
  const onceEach = openOnceEach();
  const begin = async (bullJob: BullJob<ReadyJob>) => {
    const { data } = bullJob;
    const mustBeAlone = data.lost + bullJob.stalledCounter >= lostBeforeAlone;
    const current: { run?: Run } = {};
    // What only waits for other jobs kills no worker.
    const isolated =
      settings.queue === 'composite'
        ? { isAlone: false, leave: () => undefined }
        : await settings.isolation.enter(mustBeAlone, async () => {
            if (current.run) await scheduler.beside(current.run);
          });
    try {
      const begun = await scheduler.begin(data, randomId(), isolated.isAlone);
      if (!begun) return;
      current.run = { jobId: data.id, run: begun.run };
      const abort = new AbortController();
      going.set(bullJob.id ?? '', { run: current.run, abort });
      await settle({ ...settings, onceEach }, { run: current.run, begun, abort });
    } finally {
      going.delete(bullJob.id ?? '');
      isolated.leave();
    }
  };
  return {
    run: (bullJob) => track(begin(bullJob)),
    ended,
    async doubt(bullIds) {
      for (const { run, abort } of bullIds.flatMap((id) => going.get(id) ?? []))
        if (!(await scheduler.holds(run))) abort.abort(new Error('another run of this job has begun'));
    },
  };
}

type OneRun = { readonly run: Run; readonly begun: Begun; readonly abort: AbortController };

/** Does a run that has begun, and tells the scheduler what became of it. */
async function settle(
  settings: RunSettings & { readonly onceEach: ReturnType<typeof openOnceEach> },
  one: OneRun,
): Promise<void> {
  const { scheduler, queue, log, gaveUp, onceEach } = settings;
  const { run, begun } = one;
  const read = readJob(parse(begun.payload), { queue, jobId: run.jobId });
  if ('fault' in read) {
    const { fault } = read;
    onceEach(fault, () =>
      log.warn({ jobId: run.jobId, queue, fault }, 'job dropped: its payload is malformed'),
    );
    await scheduler.end(run, 'failed', 0);
    return;
  }
  const job = read.value;
  // A newer API may ask for what only a newer worker can do.
  if (job.v > jobVersion) return scheduler.back(run, newerMs);
  const startMs = performance.now();
  try {
    if (begun.isLost) throw new Error(`lost its worker ${begun.lost} times`);
    const failed = await examine(settings, job, one);
    await scheduler.end(run, failed ?? 'done', Math.round(performance.now() - startMs));
  } catch (error) {
    // Another run of this job has begun: what this one found is not asked for.
    if (one.abort.signal.aborted) return;
    if (settings.stop.aborted) return scheduler.back(run, 0);
    if (error instanceof NotBegun) return scheduler.back(run, Math.round(postponedMs * (1 + Math.random())));
    await gaveUp(job, error);
    await scheduler.end(run, 'failed', 0);
  }
}

async function examine(settings: RunSettings, job: Job, one: OneRun): Promise<'failed' | undefined> {
  const { redis, run, stop } = settings;
  const { begun, abort } = one;
  const signal = AbortSignal.any([stop, abort.signal]);
  const place = openPlace(settings, one);
  const progress = openProgressTeller((latest) => tellProgress(redis, job, latest));
  const start = { attempt: begun.lost + 1, mayBeStored: begun.mayBeStored, slot: place.slot };
  try {
    signal.throwIfAborted();
    return await run(job, start, signal, progress.tell);
  } finally {
    progress.end();
    place.end();
  }
}

/** The place that a run has over all workers, which it gives to others while it waits for something. */
function openPlace({ scheduler, spare, log, stop }: RunSettings, { run, abort }: OneRun) {
  let isGiven = false;
  let giving: Promise<void> = Promise.resolve();
  const count = (given: boolean) => {
    if (given !== isGiven) spare.add(given ? 1 : -1);
    isGiven = given;
  };
  const slot = openRunSlot({
    canGive: () => spare.hasRoom(),
    give() {
      count(true);
      giving = scheduler.give(run).catch((error: unknown) => {
        if (!stop.aborted) log.warn({ err: error, jobId: run.jobId }, 'slot not given up');
      });
    },
    async take(signal) {
      await giving;
      for (;;) {
        signal.throwIfAborted();
        const isBack = await scheduler.take(run);
        if (isBack === undefined) abort.abort(new Error('another run of this job has begun'));
        abort.signal.throwIfAborted();
        if (isBack === true) return count(false);
        await delay(askAgainMs, undefined, { signal }).catch(() => signal.throwIfAborted());
      }
    },
  });
  return { slot, end: () => count(false) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // its payload is malformed
  }
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
