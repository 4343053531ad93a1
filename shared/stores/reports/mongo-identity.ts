import { randomUUID } from 'node:crypto';
import { type Db, MongoServerError } from 'mongodb';
import { duplicateKey } from '../../backends/mongo-errors.ts';
import type { WriteLimit } from '../../backends/mongo.ts';

type About = { readonly _id: string; readonly storeId: string };
const aboutId = 'store';

/** What tells this store from every other: drawn at its first use, and kept in it. A copy of a store has the id of the first. */
export async function readIdentity(database: Db, limit: WriteLimit): Promise<string> {
  const about = database.collection<About>('about');
  const readLimit = { maxTimeMS: limit.writeConcern.wtimeoutMS };
  const known = await about.findOne({ _id: aboutId }, readLimit);
  if (known) return known.storeId;
  const drawn = randomUUID();
  try {
    // One that a new primary does not know would be drawn again, and every process would find itself at another store.
    await about.insertOne({ _id: aboutId, storeId: drawn }, limit);
    return drawn;
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== duplicateKey) throw error;
    return readIdentity(database, limit); // another process was first
  }
}
