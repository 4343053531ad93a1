import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { type Job, randomId } from '../../model/job.ts';
import { Problem } from '../../model/problem.ts';
import type { Done, JobQueue, Missed, Submitted } from '../../ports/job-queue.ts';
import type { ReportStore } from '../../ports/report-store.ts';
import type { Logger } from '../../telemetry/logger.ts';
import {
  endWaits,
  failWaits,
  giveReport,
  noteJoined,
  type Pending,
  type Waiter,
  type WaitOutcome,
  widestWanted,
} from './pending.ts';

export type RunWaits = {
  /** True while this process waits for this key: joining costs nothing. */
  isPending(jobKey: string): boolean;
  /**
   * Submits the job, or joins this process's equal submit, and waits for a report.
   * Rejects with the Problem of a queue or store that is away, with the reason of the signal, or with that of `withdrawn`.
   */
  wait(job: Job, how: Wait): Promise<WaitOutcome>;
  /** Somebody waits now for what this process waits for in the background. */
  lift(jobKey: string): void;
  /** The job that this process waits for under a key, once it was submitted. */
  jobIdOf(jobKey: string): string | undefined;
  /** The unfinished job that a plain request of this process started or joined: until it ends, the store has nothing fresh under its key. */
  openJob(jobKey: string): string | undefined;
  /** GETs that wait now. */
  waits(): number;
  /** Ends all waits as `later`, and those that come after it as soon as they are submitted. */
  close(): void;
};

export type Wait = {
  /** 0 or less: only until the job is submitted. */
  readonly waitMs: number;
  /** Ends the wait; the job goes on. */
  readonly signal: AbortSignal;
  /** Its reason, a Problem, ends the wait and the interest in the job. Where nobody else wants it, it leaves the queue; one that runs is waited for. */
  readonly withdrawn?: AbortSignal | undefined;
};

export type WaitingOptions = {
  readonly jobQueue: JobQueue;
  readonly reportStore: ReportStore;
  readonly log: Logger;
  /** Called for every job that ends, with or without waiters here. */
  readonly onDone: (done: Done | Missed) => void;
};

const tickMs = 1000;
/** A key pending for longer is also looked up in the queue: its job may be lost. */
const doubtAfterMs = 3000;

/** About 4 MB. A job that is forgotten here is found by its key in the queue. */
const openJobLimit = 16_384;

type WaitingContext = Omit<WaitingOptions, 'onDone'> & {
  readonly pending: Map<string, Pending>;
  readonly openJobs: LRUCache<string, string>;
};

/** The one place that waits, for both kinds of queue: `done` says only "look now", and a look each second makes a lost `done` cost a second. */
export function openWaiting({ onDone, ...ports }: WaitingOptions): RunWaits {
  const pending = new Map<string, Pending>();
  let isClosed = false;
  const openJobs = new LRUCache<string, string>({ max: openJobLimit });
  const context: WaitingContext = { ...ports, pending, openJobs };
  // The store or the queue may be away for a while: the next tick looks again, and each wait has an end of its own.
  const warn = (error: unknown) => {
    const level = error instanceof Problem ? 'debug' : 'error';
    ports.log[level]({ err: error }, 'could not look up reports for waiting requests');
  };
  const noteJoiner = (entry: Pending, job: Job) =>
    noteJoined(entry, job) && void lift(context, entry).catch(warn);
  const timer = setInterval(() => void tick(context).catch(warn), tickMs).unref();
  const unsubscribe = ports.jobQueue.onDone((done) => {
    onDone(done);
    if (done === 'missed') openJobs.clear();
    else openJobs.delete(done.jobKey);
    hear(context, done).catch(warn);
  });
  return {
    isPending: (jobKey) => pending.has(jobKey),
    wait(job, how) {
      const over = [how.signal, how.withdrawn].find((signal) => signal?.aborted === true);
      if (over) return Promise.reject(over.reason as Error);
      const known = pending.get(job.jobKey);
      const entry = known ?? newPending(job);
      pending.set(job.jobKey, entry);
      if (known) noteJoiner(known, job);
      // Registered before the submit: a job may end before its submit has returned.
      const outcome = addWaiter(context, entry, job, isClosed ? { ...how, waitMs: 0 } : how).finally(() =>
        forgetIfDone(context, entry),
      );
      if (!known) start(context, entry);
      return outcome;
    },
    lift(jobKey) {
      const entry = pending.get(jobKey);
      if (entry) noteJoiner(entry, { ...entry.job, jobId: randomId(), isBackground: false });
    },
    jobIdOf: (jobKey) => pending.get(jobKey)?.submitted?.jobId,
    openJob: (jobKey) => openJobs.get(jobKey),
    waits: () => [...pending.values()].reduce((sum, { waiters }) => sum + waiters.size, 0),
    close() {
      isClosed = true;
      clearInterval(timer);
      unsubscribe();
      for (const entry of pending.values()) endSoon(entry);
    },
  };
}

function endSoon(entry: Pending): void {
  if (entry.submitted) endWaits(entry, 'later');
  // Its answer has the id that the caller polls with; a submit that fails ends its waits by itself.
  else void entry.submission.then(() => endWaits(entry, 'later')).catch(() => undefined);
}

function newPending(job: Job): Pending {
  const { promise: submission } = Promise.withResolvers<Submitted>();
  return {
    job,
    submission,
    told: [],
    submitted: undefined,
    waiters: new Set(),
    callers: new Set([job.caller]),
    isBackground: job.isBackground === true,
    joined: [],
    interests: new Set(),
    asked: performance.now(),
  };
}

function start(context: WaitingContext, entry: Pending): void {
  entry.submission = submit(context, entry);
  entry.submission.then(
    ({ state }) => state === 'full' && endWaits(entry, 'later'),
    (error: unknown) => failWaits(entry, error),
  );
}

async function submit(
  { jobQueue, reportStore, openJobs }: WaitingContext,
  entry: Pending,
): Promise<Submitted> {
  entry.asked = performance.now();
  // A report that cannot be kept is worth no visit to the target.
  const fault = reportStore.fault();
  if (fault) throw fault;
  const { jobKey, wanted } = entry.job;
  entry.told = [entry.job];
  const submitted = await jobQueue.submit(entry.job);
  entry.submitted = submitted;
  if (submitted.state !== 'full' && wanted.orFresh) openJobs.set(jobKey, submitted.jobId);
  return submitted;
}

/** So often a job that seems to wait for others is looked at before it is left to them. */
const withdrawTries = 3;

/** Ends one interest in a job. Its wait ends, unless the job runs already, whose report comes soon. */
async function withdraw(
  context: WaitingContext,
  entry: Pending,
  waiter: Waiter,
  reason: unknown,
): Promise<void> {
  entry.interests.delete(waiter);
  const job = entry.interests.size === 0 ? await leaveQueue(context, entry, waiter) : 'stays';
  if (job === 'runs') return;
  waiter.fail(reason);
  // Somebody came while it left.
  if (job === 'left' && entry.waiters.size > 0) start(context, entry);
}

/** Removes a job from the queue if this process has no other waiter. It stays if another process waits for it. */
async function leaveQueue(
  { jobQueue, openJobs }: WaitingContext,
  entry: Pending,
  waiter: Waiter,
): Promise<'left' | 'stays' | 'runs'> {
  // A submit that fails ends its waits by itself.
  const submitted = await entry.submission.catch(() => undefined);
  for (let tries = 0; submitted && tries < withdrawTries && entry.waiters.has(waiter);) {
    try {
      if (await withdrawAll(jobQueue, entry)) {
        openJobs.delete(entry.job.jobKey);
        return 'left';
      }
      const { state } = await jobQueue.look(submitted.jobId);
      if (state !== 'waiting') return 'runs';
      tries += 1;
    } catch (error) {
      // A queue that is away is asked again.
      if (!(error instanceof Problem)) throw error;
    }
    await delay(tickMs, undefined, { ref: false });
  }
  return 'stays';
}

async function withdrawAll(jobQueue: JobQueue, { told }: Pending): Promise<boolean> {
  for (const job of told) if (await jobQueue.withdraw(job)) return true;
  return false;
}

async function look(context: WaitingContext, entries: readonly Pending[]): Promise<void> {
  const asked = entries.filter(({ waiters }) => waiters.size > 0);
  const found = await context.reportStore.findFresh(
    asked.map((entry) => ({ jobKey: entry.job.jobKey, wanted: widestWanted(entry) })),
  );
  for (const entry of asked) {
    const stored = found.get(entry.job.jobKey);
    if (stored) giveReport(entry, stored);
    const fault = context.reportStore.fault();
    if (fault) failWaits(entry, fault);
    forgetIfDone(context, entry);
  }
}

async function hear(context: WaitingContext, done: Done | Missed): Promise<void> {
  if (done === 'missed') return tick(context);
  const entry = context.pending.get(done.jobKey);
  if (!entry) return;
  await lookAt(context, entry, done.reportId);
  if (entry.waiters.size > 0) await look(context, [entry]);
  if (done.state === 'expired') endWaits(entry, 'expired');
  forgetIfDone(context, entry);
}

/** Most runs store their report under the id of their job: it is read by that, which costs a store less than a search for the newest. */
async function lookAt(
  { reportStore }: WaitingContext,
  entry: Pending,
  reportId: string | undefined,
): Promise<void> {
  const stored = reportId === undefined ? undefined : await reportStore.get(reportId);
  if (stored?.jobKey === entry.job.jobKey) giveReport(entry, stored);
}

async function tick(context: WaitingContext): Promise<void> {
  if (context.pending.size === 0) return;
  await look(context, [...context.pending.values()]);
  await Promise.all([...context.pending.values()].map((entry) => lift(context, entry)));
  await Promise.all([...context.pending.values()].map((entry) => doubt(context, entry)));
}

/** Work that still waits gets the turns of those who joined it here: what ends sooner needs none. What runs is told only that somebody waits for it. */
async function lift({ jobQueue }: WaitingContext, entry: Pending): Promise<void> {
  const { submitted: known, joined } = entry;
  if (!known || known.state === 'full' || joined.length === 0) return;
  const { state } = await jobQueue.look(known.jobId);
  if (state !== 'waiting' && state !== 'running') return;
  for (const job of joined.slice()) {
    if (state === 'waiting' || job.isBackground !== true) {
      entry.told.push(job);
      const submitted = await jobQueue.submit(job);
      // It ended in this moment, so that this is a job of its own now.
      if (submitted.state !== 'full') entry.submitted = submitted;
    }
    // Not before: a queue that is away is told at the next tick.
    if (joined.includes(job)) joined.splice(joined.indexOf(job), 1);
  }
}

/** A job that the queue forgot, or that ended without a report, is started again. */
async function doubt(context: WaitingContext, entry: Pending): Promise<void> {
  if (!entry.submitted || entry.submitted.state === 'full' || performance.now() - entry.asked < doubtAfterMs)
    return;
  entry.asked = performance.now();
  const { state } = await context.jobQueue.look(entry.submitted.jobId);
  if (state === 'waiting' || state === 'running') return;
  await look(context, [entry]);
  if (entry.waiters.size === 0) return;
  context.log.warn({ jobId: entry.submitted.jobId, state }, 'job lost, submitted again');
  context.jobQueue.count(entry.job.queue, 'submitted-again');
  // The queue keeps jobs that have ended for a while, and takes no other under their ids.
  if (state !== 'unknown') entry.job = { ...entry.job, jobId: randomId() };
  // No room is left for it: the wait ends, so that no caller polls for a job that is not there.
  if ((await submit(context, entry)).state === 'full') endWaits(entry, 'later');
}

function forgetIfDone({ pending }: WaitingContext, entry: Pending): void {
  if (entry.waiters.size === 0 && pending.get(entry.job.jobKey) === entry) pending.delete(entry.job.jobKey);
}

function addWaiter(
  context: WaitingContext,
  entry: Pending,
  job: Job,
  { waitMs, signal, withdrawn }: Wait,
): Promise<WaitOutcome> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      withdrawn?.removeEventListener('abort', leave);
      entry.waiters.delete(waiter);
    };
    const waiter: Waiter = {
      wanted: job.wanted,
      settle: (outcome) => {
        stop();
        resolve(outcome);
      },
      fail: (error) => {
        stop();
        reject(error as Error);
      },
    };
    const abort = () => waiter.fail(signal.reason);
    const leave = () => void withdraw(context, entry, waiter, withdrawn?.reason).catch(waiter.fail);
    // The submit itself is always waited for: its answer has the id that a later poll needs.
    const late = () =>
      void entry.submission.then((submitted) => waiter.settle({ kind: 'later', submitted }), waiter.fail);
    const timer = waitMs > 0 ? setTimeout(late, waitMs) : undefined;
    // Not at once: the submission begins when this has returned.
    if (!timer) queueMicrotask(late);
    signal.addEventListener('abort', abort, { once: true });
    withdrawn?.addEventListener('abort', leave, { once: true });
    entry.waiters.add(waiter);
    entry.interests.add(waiter);
  });
}
