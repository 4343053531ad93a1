import { type Db, MongoServerError } from 'mongodb';
import { duplicateKey, onceMore, withMongo } from '../../backends/mongo-errors.ts';
import { type Mongo, openMongo, withPatientMongo } from '../../backends/mongo.ts';
import {
  type Batch,
  type BatchEnd,
  type BatchPurge,
  type BatchStore,
  noneEnded,
  readBatch,
  readBatchEnd,
  targetsOfPart,
} from '../../ports/batch-store.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { targetMatcher } from '../reports/purge.ts';
import { openRowReader } from '../stored-row.ts';

type BatchDocument = Omit<Batch, 'batchId'> & { readonly _id: string; readonly feeder: string | null };
type PartDocument = {
  readonly _id: string;
  readonly batchId: string;
  readonly list: readonly string[];
};
type EndDocument = BatchEnd & { readonly _id: string; readonly batchId: string };

const batchesOf = (database: Db) => database.collection<BatchDocument>('batches');
const partsOf = (database: Db) => database.collection<PartDocument>('batch_targets');
const endsOf = (database: Db) => database.collection<EndDocument>('batch_ends');

type Prepare = () => Promise<Mongo>;
type ReadDocument = (document: BatchDocument | null) => Batch | undefined;

/** The batches of a scaled deployment. @param url mongodb://…/database */
export function openMongoBatches(url: string, log: Logger): BatchStore {
  let opened: Mongo | undefined;
  let prepared: Promise<void> | undefined;
  const prepare: Prepare = async () => {
    prepared ??= withPatientMongo(url, prepareIndexes).catch((error: unknown) => {
      prepared = undefined;
      throw error;
    });
    await withMongo(() => prepared ?? Promise.resolve());
    return (opened ??= openMongo(url, log));
  };
  const toBatch = openBatchReader(log);
  return {
    ...wholesOf(prepare, toBatch),
    ...leasesOf(prepare, toBatch),
    ...endingOf(prepare),
    ...pagesOf(prepare),
    async remove(batchId) {
      await (await prepare()).write(async (database) => removeAll(database, [batchId]));
    },
    async expire(nowMs) {
      await (
        await prepare()
      ).write(async (database) => {
        const found = await batchesOf(database).findOne({ expiresAt: { $lte: nowMs } });
        if (found) await removeAll(database, [found._id]);
      });
    },
    purge: (wish) => withMongo(() => withPatientMongo(url, (database) => purge(database, wish))),
    async close() {
      await opened?.close();
    },
  };
}

function openBatchReader(log: Logger): ReadDocument {
  const readRow = openRowReader(log);
  return (document) => {
    if (document === null) return undefined;
    const { _id: batchId, ...rest } = document;
    return readRow({ kind: 'batch', id: String(batchId) }, () => readBatch({ ...rest, batchId }));
  };
}

async function prepareIndexes(database: Db): Promise<void> {
  await batchesOf(database).createIndex(
    { account: 1, createdAt: -1, _id: -1 },
    { name: 'batches_by_account' },
  );
  await batchesOf(database).createIndex({ endedAt: 1, leaseUntil: 1 }, { name: 'batches_by_lease' });
  await batchesOf(database).createIndex({ expiresAt: 1 }, { name: 'batches_by_expiry' });
  await partsOf(database).createIndex({ batchId: 1 }, { name: 'batch_targets_by_batch' });
  await endsOf(database).createIndex(
    { batchId: 1, cursor: 1 },
    { name: 'batch_ends_by_cursor', unique: true },
  );
}

function wholesOf(
  prepare: Prepare,
  toBatch: ReadDocument,
): Pick<BatchStore, 'insert' | 'get' | 'list' | 'listOpen' | 'cancel'> {
  const read = async <T>(act: Parameters<Mongo['read']>[0]) => (await prepare()).read(act) as Promise<T>;
  return {
    async insert({ batchId, ...batch }, targets) {
      const mongo = await prepare();
      for (let at = 0; at < targets.length; at += targetsOfPart) {
        const list = targets.slice(at, at + targetsOfPart);
        const part = { _id: `${batchId}/${at / targetsOfPart}`, batchId, list };
        await mongo.write((database, limit) => insertOnce(() => partsOf(database).insertOne(part, limit)));
      }
      // Last: a batch that can be seen has its targets.
      const document = { _id: batchId, ...batch, feeder: null };
      await mongo.write((database, limit) =>
        insertOnce(() => batchesOf(database).insertOne(document, limit)),
      );
    },
    get: (batchId) =>
      read(async (database, limit) => toBatch(await batchesOf(database).findOne({ _id: batchId }, limit))),
    list: (account, { limit: rows, before }) =>
      read(async (database, limit) => {
        const older = before && {
          $or: [
            { createdAt: { $lt: before.createdAt } },
            { createdAt: before.createdAt, _id: { $lt: before.batchId } },
          ],
        };
        const found = batchesOf(database).find({ account, ...older }, limit);
        const page = await found.sort({ createdAt: -1, _id: -1 }).limit(rows).toArray();
        return page.flatMap((document) => toBatch(document) ?? []);
      }),
    listOpen: (account) =>
      read(async (database, limit) => {
        const found = batchesOf(database).find({ account, endedAt: null }, limit);
        const open = await found.sort({ createdAt: 1, _id: 1 }).toArray();
        return open.flatMap((document) => toBatch(document) ?? []);
      }),
    async cancel(batchId, at) {
      const mongo = await prepare();
      const isOpen = { _id: batchId, endedAt: null, cancelledAt: null };
      await mongo.write((database, limit) =>
        onceMore(() => batchesOf(database).updateOne(isOpen, { $set: { cancelledAt: at } }, limit)),
      );
    },
  };
}

async function insertOnce(insert: () => Promise<unknown>): Promise<void> {
  try {
    await onceMore(insert);
  } catch (error) {
    if (!isDuplicate(error)) throw error;
  }
}

function isDuplicate(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === duplicateKey;
}

function leasesOf(
  prepare: Prepare,
  toBatch: ReadDocument,
): Pick<BatchStore, 'claim' | 'renew' | 'release' | 'finish'> {
  const change = async (filter: object, set: Partial<BatchDocument>) =>
    (await prepare()).write(async (database, limit) =>
      toBatch(
        await batchesOf(database).findOneAndUpdate(
          filter,
          { $set: set },
          { ...limit, returnDocument: 'after' },
        ),
      ),
    );
  return {
    // In two steps, as not every server of this protocol finds and changes in one: of two that saw the same lease, one changes it.
    async claim(feeder, nowMs, until) {
      const mongo = await prepare();
      const isFree = { endedAt: null, leaseUntil: { $lte: nowMs } };
      const free = await mongo.read((database, limit) =>
        batchesOf(database).find(isFree, limit).sort({ leaseUntil: 1 }).limit(1).next(),
      );
      if (free === null) return undefined;
      const { _id, leaseUntil } = free;
      const { modifiedCount } = await mongo.write((database, limit) =>
        batchesOf(database).updateOne(
          { _id, leaseUntil, feeder: free.feeder, endedAt: null },
          { $set: { feeder, leaseUntil: until } },
          limit,
        ),
      );
      return modifiedCount === 1 ? toBatch({ ...free, feeder, leaseUntil: until }) : undefined;
    },
    renew: ({ batchId, feeder }, until, running) =>
      change({ _id: batchId, feeder, endedAt: null }, { leaseUntil: until, running }),
    async release({ batchId, feeder }) {
      await change({ _id: batchId, feeder }, { feeder: null, leaseUntil: 0, running: 0 });
    },
    async finish(batchId, at) {
      await change({ _id: batchId, endedAt: null }, { endedAt: at, running: 0 });
    },
  };
}

function endingOf(prepare: Prepare): Pick<BatchStore, 'tally' | 'readEnded' | 'addEnds'> {
  return {
    async tally(batchId, since) {
      const ends = await (
        await prepare()
      ).read((database, limit) =>
        endsOf(database)
          .find({ batchId }, { ...limit, projection: { _id: 0, outcome: 1, endedAt: 1 } })
          .toArray(),
      );
      const counts = { ...noneEnded };
      for (const { outcome, endedAt } of ends) {
        counts[outcome] += 1;
        if (endedAt > since) counts.recent += 1;
      }
      return counts;
    },
    async readEnded(batchId) {
      const ends = await (
        await prepare()
      ).read((database, limit) =>
        endsOf(database)
          .find({ batchId }, { ...limit, projection: { _id: 0, index: 1, cursor: 1 } })
          .toArray(),
      );
      return {
        indexes: ends.map(({ index }) => index),
        lastCursor: ends.reduce((last, { cursor }) => Math.max(last, cursor), 0),
      };
    },
    async addEnds(batchId, ends) {
      const mongo = await prepare();
      const documents = ends.map((end) => ({ _id: `${batchId}/${end.index}`, batchId, ...end }));
      return mongo.write(async (database, limit) => {
        try {
          await endsOf(database).insertMany(documents, { ...limit, ordered: true });
          return true;
        } catch (error) {
          if (isDuplicate(error)) return false;
          throw error;
        }
      });
    },
  };
}

function pagesOf(prepare: Prepare): Pick<BatchStore, 'readTargets' | 'listEnds'> {
  return {
    readTargets: async (batchId, part) =>
      (await prepare()).read(
        async (database, limit) =>
          (await partsOf(database).findOne({ _id: `${batchId}/${part}` }, limit))?.list ?? [],
      ),
    listEnds: async (batchId, after, rows) =>
      (await prepare()).read(async (database, limit) => {
        const found = endsOf(database).find({ batchId, cursor: { $gt: after } }, limit);
        const page = await found.sort({ cursor: 1 }).limit(rows).toArray();
        return page.map((document) => readBatchEnd(document));
      }),
  };
}

async function removeAll(database: Db, ids: readonly string[]): Promise<void> {
  const ofBatches = { batchId: { $in: ids } };
  await endsOf(database).deleteMany(ofBatches);
  await partsOf(database).deleteMany(ofBatches);
  await batchesOf(database).deleteMany({ _id: { $in: ids } });
}

async function purge(database: Db, wish: BatchPurge): Promise<number> {
  if ('target' in wish) return strike(database, targetMatcher(wish.target));
  const isMeant = 'account' in wish ? { account: wish.account } : { createdAt: { $lt: wish.madeBefore } };
  const found = await batchesOf(database)
    .find(isMeant, { projection: { _id: 1 } })
    .toArray();
  await removeAll(
    database,
    found.map(({ _id }) => _id),
  );
  return found.length;
}

/** Takes a target out of all lists; its place stays, so that the others keep theirs. */
async function strike(database: Db, isMeant: (target: string) => boolean): Promise<number> {
  const changed = new Set<string>();
  for await (const { _id, batchId, list } of partsOf(database).find({})) {
    if (!list.some(isMeant)) continue;
    const left = list.map((target) => (isMeant(target) ? '' : target));
    await partsOf(database).updateOne({ _id }, { $set: { list: left } });
    changed.add(batchId);
  }
  return changed.size;
}
