import { z } from 'zod';
import type { Job } from '../model/job.ts';

/** How a target of a batch ends. */
export const batchOutcomes = ['done', 'refused', 'failed', 'cancelled'] as const;
export type BatchOutcome = (typeof batchOutcomes)[number];

// A release that counted anew at each reading writes none of them.
const counted = z.int().default(0);
const tallySchema = z.object({
  done: counted,
  refused: counted,
  failed: counted,
  cancelled: counted,
  /** Those that ended in the minute before `recentAt`. */
  recent: counted,
  recentAt: counted,
});

/** How many targets of a batch have ended how. */
export type Tally = Readonly<z.infer<typeof tallySchema>>;

export const noneEnded: Tally = { done: 0, refused: 0, failed: 0, cancelled: 0, recent: 0, recentAt: 0 };

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
  /** The token of the claim by which a process feeds it. */
  feeder: z.string().nullable().default(null),
  /** What it takes to keep it, with all its ends. */
  bytes: counted,
  ...tallySchema.shape,
});

/** A list of targets that one account wants checked. Times are Unix ms. */
export type Batch = Readonly<Omit<z.infer<typeof batchSchema>, 'options'>> & Pick<Job, 'options'>;

/** The names of a batch's fields. */
export const batchFields = Object.keys(batchSchema.shape) as readonly (keyof Batch)[];

/** How many targets of a batch have not ended. */
export function leftOf(batch: Pick<Batch, 'total' | BatchOutcome>): number {
  return batchOutcomes.reduce((left, outcome) => left - batch[outcome], batch.total);
}

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
  /** The code of its problem. */
  problem: z.string().nullable(),
  endedAt: z.int(),
});

/** How a target ended. */
export type BatchEnd = Readonly<z.infer<typeof endSchema>>;

/** The end of a row. Throws for a row that fits no schema of ours. */
export function readBatchEnd(row: unknown): BatchEnd {
  return endSchema.parse(row);
}

/** Targets are kept in parts of so many. */
export const targetsOfPart = 500;

/** Which batches are to be deleted: of an account, or those made before a time; or a target, to be struck out of all lists. */
export type BatchPurge =
  | { readonly account: string }
  | { readonly target: string }
  | { readonly madeBefore: number };

/** The place of a batch in the list of its account. */
export type BatchPlace = Pick<Batch, 'createdAt' | 'batchId'>;

/** What changes of a batch. */
export type BatchChange = Partial<
  Pick<Batch, 'feeder' | 'leaseUntil' | 'running' | 'endedAt' | 'cancelledAt'>
>;

/** What an account has of batches: how many are open, how many targets wait in them, and what all of them take, ended or not. */
export type BatchUse = { readonly open: number; readonly waiting: number; readonly bytes: number };

/** About what is kept of the end of a target. */
const endBytes = 200;
/** About what is kept of a batch beside its targets; a page of a database file. */
const leastBytes = 4096;

/** What it takes to keep a batch, with the ends of all its targets. */
export function bytesOfBatch(targets: readonly string[]): number {
  return targets.reduce((sum, target) => sum + Buffer.byteLength(target) + 3 + endBytes, leastBytes);
}

/**
 * Batches, their lists of targets and how each target ended. One process at a time feeds a batch (`openLeases`), and writes the ends in
 * order. An unreachable store rejects with Problem `store_unavailable`.
 */
export interface BatchStore {
  /** Keeps a batch with its targets; the first of one id wins. */
  insert(batch: Batch, targets: readonly string[]): Promise<void>;
  get(batchId: string): Promise<Batch | undefined>;
  /** Newest first. */
  list(account: string, page: { readonly limit: number; readonly before?: BatchPlace }): Promise<Batch[]>;
  useOf(account: string): Promise<BatchUse>;
  /** Those of an account that ended before a time, those that ended first. */
  listEnded(account: string, endedBefore: number, limit: number): Promise<Batch[]>;
  /** Removes a batch whole. */
  remove(batchId: string): Promise<void>;
  /** An unfinished batch whose lease has ended, of several the one that has waited longest. */
  findFree(nowMs: number): Promise<Batch | undefined>;
  /** Changes a batch where it is still as `is` says, and gives it; undefined where it is not. Of two that change the same, one finds it so. */
  change(batchId: string, is: BatchChange, change: BatchChange): Promise<Batch | undefined>;
  /** The targets of a part, counted from 0; none beyond the last. */
  readTargets(batchId: string, part: number): Promise<readonly string[]>;
  /**
   * Keeps ends, in this order, and then how many have ended by now. False where one of these targets or cursors has an end already: then another
   * feeder writes, or has written.
   */
  addEnds(batchId: string, ends: readonly BatchEnd[], tally: Tally): Promise<boolean>;
  /** By cursor, from the one behind `after`. */
  listEnds(batchId: string, after: number, limit: number): Promise<BatchEnd[]>;

  /** Deletes a part of what has expired; true where there is more. */
  expire(nowMs: number): Promise<boolean>;
  /** Gives how many batches were deleted or changed. */
  purge(wish: BatchPurge): Promise<number>;
  /** Makes what its calls need, such as indexes, which its first call does else. */
  prepare?(): Promise<void>;
  close(): Promise<void>;
}
