import { z } from 'zod';
import type { Job } from '../model/job.ts';

/** How a target of a batch ends. */
export const batchOutcomes = ['done', 'refused', 'failed', 'cancelled'] as const;
export type BatchOutcome = (typeof batchOutcomes)[number];

const batchSchema = z.object({
  batchId: z.string(),
  account: z.string(),
  check: z.string(),
  options: z.record(z.string(), z.json()),
  label: z.string().nullable(),
  /** How old an answer may be, counted from the start of the batch; null: while it is fresh. */
  maxAgeS: z.int().nullable(),
  total: z.int(),
  createdAt: z.int(),
  expiresAt: z.int(),
  /** When its last target ended; null until then. */
  endedAt: z.int().nullable(),
  cancelledAt: z.int().nullable(),
  /** Targets that its feeder has under way, as far as it has told, and until when that is to be believed. */
  running: z.int(),
  leaseUntil: z.int(),
});

/** A list of targets that one account wants checked. Times are Unix ms. */
export type Batch = Readonly<Omit<z.infer<typeof batchSchema>, 'options'>> & Pick<Job, 'options'>;

/** The batch of a row. Throws for a row that fits no schema of ours. */
export function readBatch(row: unknown): Batch {
  return batchSchema.parse(row) as Batch;
}

const endSchema = z.object({
  /** Of the target, from 0. */
  index: z.int(),
  /** The place of this end among all of the batch: 1, 2, 3 … */
  cursor: z.int(),
  outcome: z.enum(batchOutcomes),
  reportId: z.string().nullable(),
  /** A problem document, JSON. */
  problem: z.string().nullable(),
  endedAt: z.int(),
});

/** How a target ended. */
export type BatchEnd = Readonly<z.infer<typeof endSchema>>;

/** The end of a row. Throws for a row that fits no schema of ours. */
export function readBatchEnd(row: unknown): BatchEnd {
  return endSchema.parse(row);
}

/** How many targets of a batch have ended how, and how many of them since a time. */
export type Tally = Readonly<Record<BatchOutcome, number>> & { readonly recent: number };

export const noneEnded: Tally = { done: 0, refused: 0, failed: 0, cancelled: 0, recent: 0 };

/** Targets are kept in parts of so many. */
export const targetsOfPart = 500;

/** Which batches are to be deleted: of an account, or those made before a time; or a target, to be struck out of all lists. */
export type BatchPurge =
  | { readonly account: string }
  | { readonly target: string }
  | { readonly madeBefore: number };

/** The place of a batch in the list of its account. */
export type BatchPlace = Pick<Batch, 'createdAt' | 'batchId'>;

/** Who feeds a batch to the queue: one process at a time. */
export type Lease = { readonly batchId: string; readonly feeder: string };

/**
 * Batches, their lists of targets and how each target ended. One process at a time feeds a batch: it holds a lease, and writes the ends in
 * order. An unreachable store rejects with Problem `store_unavailable`.
 */
export interface BatchStore {
  /** Keeps a batch with its targets; the first of one id wins. */
  insert(batch: Batch, targets: readonly string[]): Promise<void>;
  get(batchId: string): Promise<Batch | undefined>;
  /** Newest first. */
  list(account: string, page: { readonly limit: number; readonly before?: BatchPlace }): Promise<Batch[]>;
  /** Those of an account that have not ended, oldest first. */
  listOpen(account: string): Promise<Batch[]>;
  /** Removes a batch whole. */
  remove(batchId: string): Promise<void>;
  /** Notes that what waits is not wanted any more. Changes nothing for a batch that has ended. */
  cancel(batchId: string, at: number): Promise<void>;
  /** @param since of `recent` */
  tally(batchId: string, since: number): Promise<Tally>;

  /** Takes an unfinished batch that nobody feeds, of several the one that has waited longest. Of two feeders one can renew its lease. */
  claim(feeder: string, nowMs: number, until: number): Promise<Batch | undefined>;
  /** Keeps a batch, and tells how many of its targets are under way. Undefined where it is another's by now, or gone. */
  renew(lease: Lease, until: number, running: number): Promise<Batch | undefined>;
  /** Leaves a batch to the next feeder. */
  release(lease: Lease): Promise<void>;
  /** All targets have ended. */
  finish(batchId: string, at: number): Promise<void>;
  /** The targets of a part, counted from 0; none beyond the last. */
  readTargets(batchId: string, part: number): Promise<readonly string[]>;
  /** Which targets have ended, and the last cursor. */
  readEnded(batchId: string): Promise<{ readonly indexes: readonly number[]; readonly lastCursor: number }>;
  /** Keeps ends, in this order. False where one of these targets or cursors has an end already: then another feeder writes, or has written. */
  addEnds(batchId: string, ends: readonly BatchEnd[]): Promise<boolean>;
  /** By cursor, from the one behind `after`. */
  listEnds(batchId: string, after: number, limit: number): Promise<BatchEnd[]>;

  /** Deletes some of what has expired. */
  expire(nowMs: number): Promise<void>;
  /** Gives how many batches were deleted or changed. */
  purge(wish: BatchPurge): Promise<number>;
  close(): Promise<void>;
}
