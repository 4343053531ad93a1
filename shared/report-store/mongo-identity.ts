import { randomUUID } from 'node:crypto';
import { type Db, MongoServerError } from 'mongodb';
import { duplicateKey } from '../mongo.ts';

type About = { readonly _id: string; readonly storeId: string };
const aboutId = 'store';

/** What tells this store from every other: drawn at its first use, and kept in it. A copy of a store has the id of the first. */
export async function readIdentity(database: Db): Promise<string> {
  const about = database.collection<About>('about');
  const known = await about.findOne({ _id: aboutId });
  if (known) return known.storeId;
  const drawn = randomUUID();
  try {
    await about.insertOne({ _id: aboutId, storeId: drawn });
    return drawn;
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== duplicateKey) throw error;
    return readIdentity(database); // another process was first
  }
}
