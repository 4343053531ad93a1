import { answers, type Freshness } from '../../model/freshness.ts';
import { type Job } from '../../model/job.ts';
import type { Submitted } from '../../ports/job-queue.ts';
import type { StoredReport } from '../../ports/report-store.ts';

export type WaitOutcome =
  | { readonly kind: 'report'; readonly stored: StoredReport }
  /** The wait is over, the work is not. */
  | { readonly kind: 'later'; readonly submitted: Submitted }
  /** Its turn never came. */
  | { readonly kind: 'expired'; readonly submitted: Submitted };

export type Waiter = {
  readonly wanted: Freshness;
  readonly settle: (outcome: WaitOutcome) => void;
  readonly fail: (error: unknown) => void;
};

/** One key that somebody waits for. */
export type Pending = {
  /** What was submitted, to be submitted again should the queue forget it. */
  job: Job;
  submission: Promise<Submitted>;
  /** All that the queue was told of: each names a request that wants it. */
  told: Job[];
  submitted: Submitted | undefined;
  readonly waiters: Set<Waiter>;
  /** Callers whose turns the job has. */
  readonly callers: Set<string>;
  /** Nobody waits for it here, but batches and watches. */
  isBackground: boolean;
  /** Jobs of other callers who wait for it, too; the queue is told of them at the next tick. */
  joined: Job[];
  /** Who wants it still: those who wait, and those who were told to ask again. */
  readonly interests: Set<Waiter>;
  /** When the queue was last asked about it, in the ms of `performance.now()`. */
  asked: number;
};

/** Of the callers who join a job that is pending, so many give it their turns, too. */
const callersMost = 8;

/** Notes a caller who joins. True where somebody waits for it now, whom nobody waited for before. */
export function noteJoined(entry: Pending, job: Job): boolean {
  const isLift = entry.isBackground && job.isBackground !== true;
  const isKnown = entry.callers.has(job.caller) || entry.callers.size >= callersMost;
  if (isKnown && !isLift) return false;
  if (isLift) Object.assign(entry, { isBackground: false, job: { ...entry.job, isBackground: false } });
  entry.callers.add(job.caller);
  entry.joined.push(job);
  return isLift;
}

/** What answers at least one of the waiters. */
export function widestWanted({ waiters }: Pending): Freshness {
  const wanted = [...waiters].map((waiter) => waiter.wanted);
  return {
    since: Math.min(...wanted.map(({ since }) => since)),
    orFresh: wanted.some(({ orFresh }) => orFresh),
  };
}

/** Hands a report to those whom it answers. */
export function giveReport({ waiters }: Pending, stored: StoredReport): void {
  const now = Date.now();
  for (const waiter of waiters) {
    if (!answers(stored, waiter.wanted, now)) continue;
    waiters.delete(waiter);
    waiter.settle({ kind: 'report', stored });
  }
}

/** Ends all waits of a key, as later or expired. */
export function endWaits({ waiters, submitted }: Pending, kind: 'later' | 'expired'): void {
  for (const waiter of waiters) {
    waiters.delete(waiter);
    if (submitted) waiter.settle({ kind, submitted });
  }
}

/** Ends all waits of a key with an error. */
export function failWaits({ waiters }: Pending, error: unknown): void {
  for (const waiter of waiters) {
    waiters.delete(waiter);
    waiter.fail(error);
  }
}
