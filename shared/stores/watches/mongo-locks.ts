import { MongoServerError } from 'mongodb';
import { duplicateKey } from '../../backends/mongo-errors.ts';
import type { WriteLimit } from '../../backends/mongo.ts';
import type { WatchCollections } from './mongo-documents.ts';

/** What is taken, as it was read, and for how long. */
export type Taking = {
  readonly name: string;
  /** Of the document as it was read: another one after each change. */
  readonly turn: string;
  readonly now: number;
  readonly forMs: number;
};

/**
 * Takes a document as it was read for one process. Not every server of MongoDB's protocol compares and changes in one step (FerretDB 1 finds
 * first and writes then), but all of them refuse a second `_id`. A lock that nobody gives back, as its process ended, counts for one span of
 * time only.
 * @returns false where another was first
 */
export async function takeOnce(
  { locks }: WatchCollections,
  { name, turn, now, forMs }: Taking,
  limit: WriteLimit,
): Promise<boolean> {
  const _id = `${name} ${turn} ${Math.floor(now / forMs)}`;
  try {
    await locks.insertOne({ _id, expiresAt: new Date(Date.now() + 2 * forMs + clocksMs) }, limit);
    return true;
  } catch (error) {
    if (error instanceof MongoServerError && error.code === duplicateKey) return false;
    throw error;
  }
}

/** Clocks of processes differ a little. */
const clocksMs = 60_000;
const sweepEveryMs = 60_000;

/** Deletes locks that count no more, once a minute: not every server does it by itself. */
export function openLockSweep(): (in_: WatchCollections, limit: WriteLimit) => Promise<void> {
  let sweptAt = performance.now();
  return async ({ locks }, limit) => {
    if (performance.now() - sweptAt < sweepEveryMs) return;
    sweptAt = performance.now();
    await locks.deleteMany({ expiresAt: { $lte: new Date() } }, limit);
  };
}
