import { setTimeout as delay } from 'node:timers/promises';
import { type Db, MongoServerError } from 'mongodb';
import { duplicateKey } from '../../backends/mongo-errors.ts';
import { type Mongo, openMongo } from '../../backends/mongo.ts';
import { randomId } from '../../model/job.ts';
import { Problem } from '../../model/problem.ts';
import type { AccountTurns } from '../../ports/account-turns.ts';
import type { Logger } from '../../telemetry/logger.ts';

/** Longer than a turn may take: one that a process left when it ended is over then. */
const longestMs = 30_000;
const waitMs = 10_000;
const lookEveryMs = 25;

type TurnDocument = { readonly _id: string; readonly token: string; readonly until: Date };
const turnsOf = (database: Db) => database.collection<TurnDocument>('accountTurns');

/**
 * The turns of a scaled deployment: a document of each account that has one. Every server of the protocol refuses a second `_id`; not all of
 * them compare and change in one step. @param url mongodb://…/database
 */
export function openMongoAccountTurns(url: string, log: Logger): AccountTurns {
  let mongo: Mongo | undefined;
  const open = () => (mongo ??= openMongo(url, log));
  return {
    async take(account, act) {
      const token = await begin(open(), account);
      try {
        return await act();
      } finally {
        // Where that fails it ends by its time.
        await open()
          .write((database, limit) => turnsOf(database).deleteOne({ _id: account, token }, limit))
          .catch((error: unknown) => log.debug({ err: error }, 'the turn of an account ends by its time'));
      }
    },
    async close() {
      await mongo?.close();
    },
  };
}

async function begin(mongo: Mongo, account: string): Promise<string> {
  const token = randomId();
  for (const start = performance.now(); performance.now() - start < waitMs;) {
    if (await insert(mongo, { _id: account, token, until: new Date(Date.now() + longestMs) })) return token;
    await dropLeft(mongo, account);
    await delay(lookEveryMs * (1 + Math.random()));
  }
  throw new Problem('overloaded', 'Other requests of your account are under way. Send this one again.', {
    retryAfterS: 2,
  });
}

/** False where another has the turn. */
function insert(mongo: Mongo, document: TurnDocument): Promise<boolean> {
  return mongo.write(async (database, limit) => {
    try {
      await turnsOf(database).insertOne(document, limit);
      return true;
    } catch (error) {
      if (error instanceof MongoServerError && error.code === duplicateKey) return false;
      throw error;
    }
  });
}

/** Ends the turn of a process that ended in it. */
async function dropLeft(mongo: Mongo, account: string): Promise<void> {
  const left = await mongo.read((database, limit) => turnsOf(database).findOne({ _id: account }, limit));
  if (left === null || left.until.getTime() > Date.now()) return;
  const { _id, token } = left;
  await mongo.write((database, limit) => turnsOf(database).deleteOne({ _id, token }, limit));
}
