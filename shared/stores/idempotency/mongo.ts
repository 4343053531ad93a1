import { hash } from 'node:crypto';
import type { Db } from 'mongodb';
import { duplicateKey, onceMore, withMongo } from '../../backends/mongo-errors.ts';
import { type Mongo, onceDone, openMongo, withPatientMongo } from '../../backends/mongo.ts';
import {
  type Begun,
  type IdempotencyStore,
  judgeKept,
  type KeptKey,
  type KeyedRequest,
  keyKeptMs,
} from '../../ports/idempotency.ts';
import type { Logger } from '../../telemetry/logger.ts';

type KeyDocument = Omit<KeptKey, 'begunAt'> & {
  readonly _id: string;
  readonly account: string;
  readonly begunAt: Date;
};

const keysOf = (database: Db) => database.collection<KeyDocument>('idempotency');

/** The keys of a scaled deployment. A process that is sent none opens no connection. @param url mongodb://…/database */
export function openMongoIdempotency(url: string, log: Logger): IdempotencyStore {
  let opened: Mongo | undefined;
  const makeIndexes = onceDone(url, async (database) => {
    await keysOf(database).createIndex({ begunAt: 1 }, { name: 'idempotency_by_age' });
    await keysOf(database).createIndex({ account: 1 }, { name: 'idempotency_by_account' });
  });
  const prepare = async (): Promise<Mongo> => {
    await makeIndexes();
    return (opened ??= openMongo(url, log));
  };
  return {
    begin: async (request, resourceId, nowMs) => begin(await prepare(), request, resourceId, nowMs),
    async finish(request, kept) {
      const mongo = await prepare();
      await mongo.write((database, limit) =>
        onceMore(() =>
          keysOf(database).updateOne(
            { _id: idOf(request), digest: request.digest },
            { $set: { kept } },
            limit,
          ),
        ),
      );
    },
    async abandon(request) {
      const mongo = await prepare();
      const unfinished = { _id: idOf(request), digest: request.digest, kept: null };
      await mongo.write((database, limit) => keysOf(database).deleteOne(unfinished, limit));
    },
    purge: (account) =>
      withMongo(() =>
        withPatientMongo(
          url,
          async (database) => (await keysOf(database).deleteMany({ account })).deletedCount,
        ),
      ),
    prepare: makeIndexes,
    async close() {
      await opened?.close();
    },
  };
}

async function begin(mongo: Mongo, request: KeyedRequest, resourceId: string, nowMs: number): Promise<Begun> {
  const document: KeyDocument = { ...newKey(request, resourceId), begunAt: new Date(nowMs) };
  // Three rounds: a key may be freed, or taken over by another, between two of our steps.
  for (let round = 0; round < 3; round += 1) {
    if (await insertFirst(mongo, document, nowMs)) return { state: 'new', resourceId };
    const known = await mongo.read((database, limit) =>
      keysOf(database).findOne({ _id: document._id }, limit),
    );
    if (known === null) continue;
    const begun = judgeKept({ ...known, begunAt: known.begunAt.getTime() }, request, nowMs);
    if (begun) return begun;
    if (await takeOver(mongo, known, nowMs)) return { state: 'new', resourceId: known.resourceId };
  }
  return { state: 'in-progress' };
}

// A caller chooses the key: as a digest it is no longer than any other id.
function idOf({ account, key }: KeyedRequest): string {
  return hash('sha256', JSON.stringify([account, key]), 'base64url');
}

function newKey(request: KeyedRequest, resourceId: string): Omit<KeyDocument, 'begunAt'> {
  const { account, digest } = request;
  return { _id: idOf(request), account, digest, resourceId, kept: null };
}

/** False where the key is there already. What is too old goes first. */
function insertFirst(mongo: Mongo, document: KeyDocument, nowMs: number): Promise<boolean> {
  return mongo.write(async (database, limit) => {
    await keysOf(database).deleteMany({ begunAt: { $lte: new Date(nowMs - keyKeptMs) } }, limit);
    try {
      await keysOf(database).insertOne(document, limit);
      return true;
    } catch (error) {
      if ((error as { readonly code?: unknown }).code === duplicateKey) return false;
      throw error;
    }
  });
}

/** Takes a key over whose process has died; of two that try one does. */
function takeOver(mongo: Mongo, { _id, begunAt }: KeyDocument, nowMs: number): Promise<boolean> {
  return mongo.write(async (database, limit) => {
    const { modifiedCount } = await keysOf(database).updateOne(
      { _id, begunAt, kept: null },
      { $set: { begunAt: new Date(nowMs) } },
      limit,
    );
    return modifiedCount === 1;
  });
}
