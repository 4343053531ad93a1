import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import type { Job as BullJob } from 'bullmq';
import type { Redis } from 'ioredis';
import { type Job, jobVersion, type QueueName, randomId } from '../../model/job.ts';
import { type GaveUp, NotBegun, type RunJob } from '../../ports/job-queue.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { openOnceEach } from '../../telemetry/once-each.ts';
import { patiently } from '../redis-calls.ts';
import { isTurn, openProgressTeller, readPayload, readTurn, tellProgress } from '../scheduler/look.ts';
import type { Begun, ReadyJob, Run, Scheduler } from '../scheduler/scheduler.ts';
import type { RunIsolation } from './run-isolation.ts';
import { openRunSlot } from './run-slot.ts';

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
/** A run that lasts so long gets its number; one that ends before needs none, which spares a script. */
const beginAfterMs = 1000;

const otherRun = () => new Error('another run of this job has begun');

/** One turn of a job, in this worker. */
type Going = {
  readonly abort: AbortController;
  /** As the scheduler knows it, once what was asked of it is answered. */
  run: () => Promise<Run>;
  /** Gives the run its number, once. Aborts it where another turn is the right one. */
  begin: () => Promise<Begun | undefined>;
};

/** Opens them. A run goes from `runOne` (who is beside it) to `takeUp` (is it still its turn?), `runAndEnd` (what became of it) and `runInPlace` (the run itself). */
export function openRuns(settings: RunSettings): Runs {
  const { scheduler, queue, isolation } = settings;
  const going = new Map<string, Going>();
  const { track, ended } = openTrack();
  const onceEach = openOnceEach();
  const runOne = async (bullJob: BullJob<ReadyJob>) => {
    const { id = '', data, stalledCounter } = bullJob;
    const lost = data.lost + stalledCounter;
    let isAlone = false;
    const one = openGoing(scheduler, { ...data, stalls: stalledCounter, isAlone: () => isAlone });
    const onCompany = async () => {
      isAlone = false;
      const run = await one.run();
      if (run.run > 0) await scheduler.beside(run);
    };
    // What only waits for other jobs kills no worker.
    const isolated =
      queue === 'composite' ? undefined : await isolation.enter(lost >= lostBeforeAlone, onCompany);
    isAlone = isolated?.isAlone ?? false;
    // BullMQ gave a job again that this worker still runs: it had lost that one's lock.
    going.get(id)?.abort.abort(otherRun());
    going.set(id, one);
    try {
      await takeUp({ ...settings, onceEach }, one, { ready: data, lost });
    } finally {
      if (going.get(id) === one) going.delete(id);
      isolated?.leave();
    }
  };
  return {
    run: (bullJob) => track(runOne(bullJob)),
    ended,
    async doubt(bullIds) {
      for (const { run, abort } of bullIds.flatMap((id) => going.get(id) ?? []))
        if (!(await scheduler.holds(await run()))) abort.abort(otherRun());
    },
  };
}

function openGoing(
  scheduler: Scheduler,
  { isAlone, stalls, ...ready }: ReadyJob & { readonly stalls: number; isAlone: () => boolean },
): Going {
  const abort = new AbortController();
  const token = randomId();
  let run = 0;
  let beginning: Promise<Begun | undefined> | undefined;
  const begin = async () => {
    const begun = await scheduler.begin(ready, { token, isAlone: isAlone(), stalls });
    if (begun) run = begun.run;
    else abort.abort(otherRun());
    return begun;
  };
  return {
    abort,
    async run() {
      await beginning?.catch(() => undefined); // then it has none
      return { jobId: ready.id, hand: ready.hand, run };
    },
    begin: () => (beginning ??= begin()),
  };
}

type Handed = { readonly ready: ReadyJob; readonly lost: number };
type TakingUp = RunSettings & { readonly onceEach: ReturnType<typeof openOnceEach> };

/** Does a run whose turn has come, and tells the scheduler what became of it. */
async function takeUp(settings: TakingUp, one: Going, handed: Handed): Promise<void> {
  const { redis, scheduler, queue, log, onceEach, stop } = settings;
  const { id: jobId, hand } = handed.ready;
  const seen = await patiently(stop, () => readTurn(redis, jobId));
  // Another turn is the right one, or the job has ended.
  if (!seen || seen.record.hand !== hand || !isTurn(seen.record)) return;
  const read = readPayload(seen, jobId);
  if ('fault' in read) {
    const { fault } = read;
    onceEach(fault, () => log.warn({ jobId, queue, fault }, 'job dropped: its payload is malformed'));
    await scheduler.end(await one.run(), 'failed', 0);
    return;
  }
  const begun = seen.record.at === 'held' && handed.lost === 0 ? undefined : await one.begin();
  if (one.abort.signal.aborted) return;
  // A newer API may ask for what only a newer worker can do.
  if (read.value.v > jobVersion) return scheduler.back(await one.run(), newerMs);
  await runAndEnd(settings, one, { job: read.value, begun, mayBeStored: seen.record.stored === true });
}

type Start = {
  readonly job: Job;
  readonly begun: Begun | undefined;
  readonly mayBeStored: boolean;
};

async function runAndEnd(settings: TakingUp, one: Going, start: Start): Promise<void> {
  const { scheduler, gaveUp, stop } = settings;
  const { job, begun } = start;
  const startMs = performance.now();
  try {
    if (begun?.isLost === true) throw new Error(`lost its worker ${begun.lost} times`);
    const failed = await runInPlace(settings, one, start);
    await scheduler.end(await one.run(), failed ?? 'done', Math.round(performance.now() - startMs));
  } catch (error) {
    // Another run of this job has begun: what this one found is not asked for.
    if (one.abort.signal.aborted) return;
    if (stop.aborted) return scheduler.back(await one.run(), 0);
    if (error instanceof NotBegun)
      return scheduler.back(await one.run(), Math.round(postponedMs * (1 + Math.random())));
    await gaveUp(job, error);
    await scheduler.end(await one.run(), 'failed', 0);
  }
}

async function runInPlace(
  settings: RunSettings,
  one: Going,
  { job, begun, mayBeStored }: Start,
): Promise<'failed' | undefined> {
  const { redis, run, stop } = settings;
  const signal = AbortSignal.any([stop, one.abort.signal]);
  const place = openPlace(settings, one, job.jobId);
  const progress = openProgressTeller((latest) => tellProgress(redis, job, latest));
  const lost = begun?.lost ?? 0;
  const timer = setTimeout(() => void one.begin().catch(() => undefined), beginAfterMs); // only a worker that stops gives it up
  try {
    signal.throwIfAborted();
    return await run(
      job,
      { attempt: lost + 1, mayBeStored: mayBeStored || lost > 0, slot: place.slot },
      signal,
      progress.tell,
    );
  } finally {
    // From here on the run is known as it is: its end must not meet a number that it has not heard of.
    clearTimeout(timer);
    progress.end();
    place.end();
  }
}

/** The place that a run has over all workers, which it gives to others while it waits for something. */
function openPlace({ scheduler, spare, log, stop }: RunSettings, one: Going, jobId: string) {
  let isGiven = false;
  let giving: Promise<void> = Promise.resolve();
  const count = (given: boolean) => {
    if (given !== isGiven) spare.add(given ? 1 : -1);
    isGiven = given;
  };
  const giveUp = async () => {
    if (await one.begin()) await scheduler.give(await one.run());
  };
  const slot = openRunSlot({
    canGive: () => spare.hasRoom(),
    give() {
      count(true);
      giving = giveUp().catch((error: unknown) => {
        if (!stop.aborted) log.warn({ err: error, jobId }, 'slot could not be released');
      });
    },
    async take(signal) {
      await giving;
      for (;;) {
        signal.throwIfAborted();
        const isBack = await scheduler.take(await one.run());
        if (isBack === undefined) one.abort.abort(otherRun());
        one.abort.signal.throwIfAborted();
        if (isBack === true) return count(false);
        await delay(askAgainMs, undefined, { signal }).catch(() => signal.throwIfAborted());
      }
    },
  });
  return { slot, end: () => count(false) };
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
