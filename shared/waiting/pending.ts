import type { Submitted } from '../job-queue/port.ts';
import { answers, type Job, type Wanted } from '../model/job.ts';
import type { StoredReport } from '../report-store/port.ts';

export type WaitOutcome =
  | { readonly kind: 'report'; readonly stored: StoredReport }
  /** The wait is over, the work is not. */
  | { readonly kind: 'later'; readonly submitted: Submitted }
  /** Its turn never came. */
  | { readonly kind: 'expired'; readonly submitted: Submitted };

export type Waiter = {
  readonly wanted: Wanted;
  readonly settle: (outcome: WaitOutcome) => void;
  readonly fail: (error: unknown) => void;
};

/** One key that somebody waits for. */
export type Pending = {
  /** What was submitted, to be submitted again should the queue forget it. */
  readonly job: Job;
  submission: Promise<Submitted>;
  submitted: Submitted | undefined;
  readonly waiters: Set<Waiter>;
  /** When the queue was last asked about it, in the ms of `performance.now()`. */
  asked: number;
};

/** What answers at least one of the waiters. */
export function widestWanted({ waiters }: Pending): Wanted {
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
