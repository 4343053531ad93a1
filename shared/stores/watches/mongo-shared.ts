import { MongoServerError } from 'mongodb';
import { duplicateKey } from '../../backends/mongo-errors.ts';
import type { WriteLimit } from '../../backends/mongo.ts';
import type { WatchCollections } from './mongo-documents.ts';

/** A document with the JSON of what it keeps. */
export type StoredBody = { readonly _id: string; readonly body: string };

/** What the parts of the adapter share. */
export type WatchMongo = {
  readonly read: <T>(
    act: (in_: WatchCollections, limit: { readonly maxTimeMS: number }) => Promise<T>,
  ) => Promise<T>;
  /** Makes the indexes first, once. */
  readonly write: <T>(act: (in_: WatchCollections, limit: WriteLimit) => Promise<T>) => Promise<T>;
};

/** The condition of a page behind its last row. */
export function behind(before: { readonly createdAt: number; readonly id: string } | undefined) {
  if (!before) return {};
  const { createdAt, id } = before;
  return {
    createdAt: { $lte: createdAt },
    $or: [{ createdAt: { $lt: createdAt } }, { createdAt, _id: { $lt: id } }],
  };
}

/** An insert of what is keyed by its own id: what is there already stays as it is. */
export async function insertOnce(inserting: Promise<unknown>): Promise<void> {
  try {
    await inserting;
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== duplicateKey) throw error;
  }
}

/** Documents written in one call. */
export const writtenAtOnce = 200;
/** Documents changed in one call: a server that looks for each of them has to be done in the time of a call. */
export const changedAtOnce = 20;

/** Others claim what is due at the same time: so many times as much is looked at. */
export const seenTimes = 3;

/** A read beside a write ends with it. */
export const timeOf = ({ writeConcern }: WriteLimit) => ({ maxTimeMS: writeConcern.wtimeoutMS });
