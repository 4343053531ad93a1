import { type Db, MongoServerError } from 'mongodb';
import { duplicateKey, onceMore, withMongo } from '../../backends/mongo-errors.ts';
import { type Mongo, onceDone, openMongo, withPatientMongo } from '../../backends/mongo.ts';
import {
  type Batch,
  type BatchEnd,
  type BatchPurge,
  type BatchStore,
  bytesOfBatch,
  leftOf,
  noneEnded,
  readBatch,
  readBatchEnd,
  type Tally,
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
  const makeIndexes = onceDone(url, prepareIndexes);
  const prepare: Prepare = async () => {
    await makeIndexes();
    return (opened ??= openMongo(url, log));
  };
  const toBatch = openBatchReader(log);
  return {
    ...wholesOf(prepare, toBatch),
    ...usesOf(prepare, toBatch),
    ...leasesOf(prepare, toBatch),
    ...endingOf(prepare),
    ...pagesOf(prepare),
    async remove(batchId) {
      await (await prepare()).write(async (database) => removeAll(database, [batchId]));
    },
    async expire(nowMs) {
      const mongo = await prepare();
      return mongo.write(async (database) => {
        const found = await batchesOf(database).findOne({ expiresAt: { $lte: nowMs } });
        if (found) await removeAll(database, [found._id]);
        return found !== null;
      });
    },
    purge: (wish) => withMongo(() => withPatientMongo(url, (database) => purge(database, wish))),
    prepare: makeIndexes,
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
  await batchesOf(database).createIndex({ account: 1, endedAt: 1, bytes: 1 }, { name: 'batches_by_use' });
  await writeTallies(database);
}

// Batches of a release that counted all ends at each reading.
async function writeTallies(database: Db): Promise<void> {
  for await (const { _id, total } of batchesOf(database).find({ bytes: { $exists: false } })) {
    const tally: { -readonly [name in keyof Tally]: number } = { ...noneEnded };
    let bytes = bytesOfBatch([]);
    for await (const { list } of partsOf(database).find({ batchId: _id })) bytes += bytesOfBatch(list);
    for await (const { outcome } of endsOf(database).find({ batchId: _id })) tally[outcome] += 1;
    await batchesOf(database).updateOne({ _id }, { $set: { ...tally, total, bytes } });
  }
}

function readerOf(prepare: Prepare) {
  return async <T>(act: Parameters<Mongo['read']>[0]) => (await prepare()).read(act) as Promise<T>;
}

function wholesOf(
  prepare: Prepare,
  toBatch: ReadDocument,
): Pick<BatchStore, 'insert' | 'get' | 'list' | 'cancel'> {
  const read = readerOf(prepare);
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
    async cancel(batchId, at) {
      const mongo = await prepare();
      const isOpen = { _id: batchId, endedAt: null, cancelledAt: null };
      await mongo.write((database, limit) =>
        onceMore(() => batchesOf(database).updateOne(isOpen, { $set: { cancelledAt: at } }, limit)),
      );
    },
  };
}

function usesOf(prepare: Prepare, toBatch: ReadDocument): Pick<BatchStore, 'useOf' | 'listEnded'> {
  const read = readerOf(prepare);
  return {
    useOf: (account) =>
      read(async (database, limit) => {
        const batches = batchesOf(database);
        const isOpen = { account: String(account), endedAt: null };
        const whole = [
          { $match: { account: String(account) } },
          { $group: { _id: null, bytes: { $sum: '$bytes' } } },
        ];
        const [open, [sum]] = await Promise.all([
          batches.find(isOpen, limit).limit(mostOpen).toArray(),
          batches.aggregate<{ readonly bytes: number }>(whole, limit).toArray(),
        ]);
        return {
          open: open.length,
          waiting: open.reduce((all, one) => all + leftOf(one), 0),
          bytes: sum?.bytes ?? 0,
        };
      }),
    listEnded: (account, endedBefore, rows) =>
      read(async (database, limit) => {
        const isEnded = { account: String(account), endedAt: { $lt: endedBefore, $gt: 0 } };
        const found = batchesOf(database).find(isEnded, limit).sort({ endedAt: 1 }).limit(rows);
        return (await found.toArray()).flatMap((document) => toBatch(document) ?? []);
      }),
  };
}

/** More than any quota of open batches. */
const mostOpen = 1000;

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
    async claim(token, nowMs, until) {
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
          { $set: { feeder: token, leaseUntil: until } },
          limit,
        ),
      );
      return modifiedCount === 1 ? toBatch({ ...free, leaseUntil: until }) : undefined;
    },
    renew: ({ batchId, token }, until, running) =>
      change({ _id: batchId, feeder: token, endedAt: null }, { leaseUntil: until, running }),
    async release({ batchId, token }) {
      await change({ _id: batchId, feeder: token }, { feeder: null, leaseUntil: 0, running: 0 });
    },
    async finish({ batchId, token }, at) {
      await change({ _id: batchId, feeder: token, endedAt: null }, { endedAt: at, running: 0 });
    },
  };
}

function endingOf(prepare: Prepare): Pick<BatchStore, 'addEnds'> {
  return {
    async addEnds(batchId, ends, tally) {
      const mongo = await prepare();
      const documents = ends.map((end) => ({ _id: `${batchId}/${end.index}`, batchId, ...end }));
      return mongo.write(async (database, limit) => {
        try {
          await endsOf(database).insertMany(documents, { ...limit, ordered: true });
        } catch (error) {
          if (isDuplicate(error)) return false;
          throw error;
        }
        // What a process that ends here has not counted, the next one counts when it takes the batch up.
        await batchesOf(database).updateOne({ _id: batchId }, { $set: tally }, limit);
        return true;
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
