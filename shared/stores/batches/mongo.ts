import { type Db, MongoServerError } from 'mongodb';
import { duplicateKey, onceMore, withMongo } from '../../backends/mongo-errors.ts';
import { type Mongo, onceDone, openMongo, withPatientMongo } from '../../backends/mongo.ts';
import {
  type Batch,
  type BatchEnd,
  type BatchPurge,
  type BatchStore,
  leftOf,
  readBatch,
  readBatchEnd,
  targetsOfPart,
} from '../../ports/batch-store.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { targetMatcher } from '../reports/purge.ts';
import { openRowReader } from '../stored-row.ts';

type BatchDocument = Omit<Batch, 'batchId'> & { readonly _id: string };
type PartDocument = { readonly _id: string; readonly batchId: string; readonly list: readonly string[] };
type EndDocument = BatchEnd & { readonly _id: string; readonly batchId: string };

const batchesOf = (database: Db) => database.collection<BatchDocument>('batches');
const partsOf = (database: Db) => database.collection<PartDocument>('batch_targets');
const endsOf = (database: Db) => database.collection<EndDocument>('batch_ends');

type ToBatches = (documents: readonly BatchDocument[]) => Batch[];
/** The server, once it has its indexes. */
type Server = Pick<Mongo, 'read' | 'write'>;

/** The batches of a scaled deployment. @param url mongodb://…/database */
export function openMongoBatches(url: string, log: Logger): BatchStore {
  let opened: Mongo | undefined;
  const makeIndexes = onceDone(url, prepareIndexes);
  const mongo = async () => {
    await makeIndexes();
    return (opened ??= openMongo(url, log));
  };
  const server: Server = {
    read: async (act) => (await mongo()).read(act),
    write: async (act) => (await mongo()).write(act),
  };
  const readRow = openRowReader(log);
  const toBatches: ToBatches = (documents) =>
    documents.flatMap(
      ({ _id: batchId, ...rest }) =>
        readRow({ kind: 'batch', id: String(batchId) }, () => readBatch({ ...rest, batchId })) ?? [],
    );
  return {
    ...wholesOf(server, toBatches),
    ...accountsOf(server, toBatches),
    ...endsIn(server),
    remove: (batchId) => server.write((database) => removeAll(database, [batchId])),
    expire: (nowMs) =>
      server.write(async (database) => {
        const found = await batchesOf(database).findOne({ expiresAt: { $lte: nowMs } });
        if (found) await removeAll(database, [found._id]);
        return found !== null;
      }),
    purge: (wish) => withMongo(() => withPatientMongo(url, (database) => purge(database, wish))),
    prepare: makeIndexes,
    async close() {
      await opened?.close();
    },
  };
}

async function prepareIndexes(database: Db): Promise<void> {
  const batches = batchesOf(database);
  await batches.createIndex({ account: 1, createdAt: -1, _id: -1 }, { name: 'batches_by_account' });
  await batches.createIndex({ endedAt: 1, leaseUntil: 1 }, { name: 'batches_by_lease' });
  await batches.createIndex({ expiresAt: 1 }, { name: 'batches_by_expiry' });
  await batches.createIndex({ account: 1, endedAt: 1, bytes: 1 }, { name: 'batches_by_use' });
  await partsOf(database).createIndex({ batchId: 1 }, { name: 'batch_targets_by_batch' });
  const cursors = { name: 'batch_ends_by_cursor', unique: true };
  await endsOf(database).createIndex({ batchId: 1, cursor: 1 }, cursors);
}

function wholesOf(
  { read, write }: Server,
  toBatches: ToBatches,
): Pick<BatchStore, 'insert' | 'get' | 'findFree' | 'change' | 'readTargets'> {
  const get = (batchId: string) =>
    read(
      async (database, limit) =>
        toBatches(await batchesOf(database).find({ _id: batchId }, limit).toArray())[0],
    );
  return {
    async insert({ batchId, ...batch }, targets) {
      for (let at = 0; at < targets.length; at += targetsOfPart) {
        const list = targets.slice(at, at + targetsOfPart);
        const part = { _id: `${batchId}/${at / targetsOfPart}`, batchId, list };
        await write((database, limit) => insertOnce(() => partsOf(database).insertOne(part, limit)));
      }
      // Last: a batch that can be seen has its targets.
      const document = { _id: batchId, ...batch };
      await write((database, limit) => insertOnce(() => batchesOf(database).insertOne(document, limit)));
    },
    get,
    findFree: (nowMs) =>
      read(async (database, limit) => {
        const found = batchesOf(database).find({ endedAt: null, leaseUntil: { $lte: nowMs } }, limit);
        return toBatches(await found.sort({ leaseUntil: 1 }).limit(1).toArray())[0];
      }),
    // In two steps, as not every server of this protocol changes and gives in one.
    async change(batchId, is, change) {
      const { matchedCount } = await write((database, limit) =>
        batchesOf(database).updateOne({ ...is, _id: batchId }, { $set: change }, limit),
      );
      return matchedCount === 1 ? get(batchId) : undefined;
    },
    readTargets: (batchId, part) =>
      read(
        async (database, limit) =>
          (await partsOf(database).findOne({ _id: `${batchId}/${part}` }, limit))?.list ?? [],
      ),
  };
}

/** More than any quota of open batches. */
const mostOpen = 1000;

function accountsOf(
  { read }: Server,
  toBatches: ToBatches,
): Pick<BatchStore, 'list' | 'useOf' | 'listEnded'> {
  return {
    list: (account, { limit: rows, before }) =>
      read(async (database, limit) => {
        const older = before && {
          $or: [
            { createdAt: { $lt: before.createdAt } },
            { createdAt: before.createdAt, _id: { $lt: before.batchId } },
          ],
        };
        const found = batchesOf(database).find({ account, ...older }, limit);
        return toBatches(await found.sort({ createdAt: -1, _id: -1 }).limit(rows).toArray());
      }),
    useOf: (account) =>
      read(async (database, limit) => {
        const own = { account: String(account) };
        const whole = [{ $match: own }, { $group: { _id: null, bytes: { $sum: '$bytes' } } }];
        const [open, [sum]] = await Promise.all([
          batchesOf(database)
            .find({ ...own, endedAt: null }, limit)
            .limit(mostOpen)
            .toArray(),
          batchesOf(database).aggregate<{ readonly bytes: number }>(whole, limit).toArray(),
        ]);
        const waiting = open.reduce((all, one) => all + leftOf(one), 0);
        return { open: open.length, waiting, bytes: sum?.bytes ?? 0 };
      }),
    listEnded: (account, endedBefore, rows) =>
      read(async (database, limit) => {
        const isEnded = { account: String(account), endedAt: { $lt: endedBefore, $gt: 0 } };
        const found = batchesOf(database).find(isEnded, limit).sort({ endedAt: 1 }).limit(rows);
        return toBatches(await found.toArray());
      }),
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

function endsIn({ read, write }: Server): Pick<BatchStore, 'addEnds' | 'listEnds'> {
  return {
    async addEnds(batchId, ends, tally) {
      const documents = ends.map((end) => ({ _id: `${batchId}/${end.index}`, batchId, ...end }));
      return write(async (database, limit) => {
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
    listEnds: (batchId, after, rows) =>
      read(async (database, limit) => {
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
  if ('target' in wish) return redactTarget(database, targetMatcher(wish.target));
  const isMeant = 'account' in wish ? { account: wish.account } : { createdAt: { $lt: wish.madeBefore } };
  const ids: string[] = [];
  for await (const { _id } of batchesOf(database).find(isMeant, { projection: { _id: 1 } })) ids.push(_id);
  await removeAll(database, ids);
  return ids.length;
}

/** Takes a target out of all lists; its place stays, so that the others keep theirs. */
async function redactTarget(database: Db, isMeant: (target: string) => boolean): Promise<number> {
  const changed = new Set<string>();
  for await (const { _id, batchId, list } of partsOf(database).find({})) {
    if (!list.some(isMeant)) continue;
    const left = list.map((target) => (isMeant(target) ? '' : target));
    await partsOf(database).updateOne({ _id }, { $set: { list: left } });
    changed.add(batchId);
  }
  return changed.size;
}
