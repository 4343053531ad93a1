import { type Collection, type Db, MongoServerError } from 'mongodb';
import { duplicateKey, withMongo } from '../../backends/mongo-errors.ts';
import { withinMs, withPatientMongo } from '../../backends/mongo.ts';
import { blobKinds } from '../../ports/report-store.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { openFailures } from '../../telemetry/loops.ts';
import { blobId } from './mongo-documents.ts';
import { prepareIndexes } from './mongo-indexes.ts';

export type UpkeepOptions = {
  readonly url: string;
  readonly log: Logger;
  readonly limitBytes: number;
  /** A round of upkeep is due so often, in one process of all. */
  readonly everyMs: number;
};

/** What keeps the collections in order while processes run. */
export type Upkeep = {
  /** Makes the indexes before this process first writes; a server that is away is tried again with the next call. */
  prepare(): Promise<void>;
  close(): void;
};

/** A write does not wait longer for indexes that are being made; a later one finds them. */
const prepareMs = 4000;
/** Documents deleted in one command. */
const batch = 500;
/** A round is due again after so many times as long as it took: 2 % of one core of the server at most. */
const restShare = 50;

/**
 * Opens the upkeep of a store: each minute one process of all makes missing indexes again (somebody may have dropped a collection),
 * deletes what has expired where the server cannot, and what would expire first where the store is larger than it may be.
 */
export function openUpkeep(options: UpkeepOptions): Upkeep {
  const { url, log, everyMs } = options;
  let prepared: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isOpen = true;
  const failures = openFailures('upkeep of the store', log);
  const act = () => {
    withMongo(() => runRound(options)).then(
      () => {
        failures.over();
        wait();
      },
      (error: unknown) => {
        failures.note(error);
        wait();
      },
    );
  };
  const wait = () => {
    if (isOpen) timer = setTimeout(act, everyMs).unref();
  };
  return {
    async prepare() {
      prepared ??= withPatientMongo(url, prepareIndexes).then(
        (hasTtl) => {
          if (!hasTtl)
            log.warn(
              {},
              'this server has no TTL indexes: expired reports are deleted by scanning, which suits tests only',
            );
          wait();
        },
        (error: unknown) => {
          prepared = undefined;
          throw error;
        },
      );
      const preparing = prepared;
      return withMongo(() => withinMs(prepareMs, preparing));
    },
    close() {
      isOpen = false;
      clearTimeout(timer);
    },
  };
}

async function runRound({ url, log, limitBytes, everyMs }: UpkeepOptions): Promise<void> {
  await withPatientMongo(url, async (database) => {
    if (!(await acquireLease(database, everyMs))) return;
    const start = performance.now();
    const hasTtl = await prepareIndexes(database);
    const expired = hasTtl ? 0 : await sweepAll(database);
    const evicted = await evict(database, limitBytes);
    if (evicted > 0) log.warn({ evicted, limitBytes }, 'store limit reached: deleted the oldest reports');
    const tookMs = performance.now() - start;
    if (expired > 0) log.debug({ expired, tookMs: Math.round(tookMs) }, 'expired documents deleted');
    await releaseLease(database, Math.max(everyMs * 0.9, tookMs * restShare));
  });
}

type UpkeepLease = { readonly _id: string; readonly until: Date };
const turnId = 'turn';

/** True for the one process whose turn it is; the others find it taken until its end. */
async function acquireLease(database: Db, forMs: number): Promise<boolean> {
  const now = Date.now();
  try {
    await database
      .collection<UpkeepLease>('upkeep')
      .updateOne(
        { _id: turnId, until: { $lte: new Date(now) } },
        { $set: { until: new Date(now + forMs) } },
        { upsert: true },
      );
    return true;
  } catch (error) {
    if (error instanceof MongoServerError && error.code === duplicateKey) return false;
    throw error;
  }
}

async function releaseLease(database: Db, restMs: number): Promise<void> {
  const until = new Date(Date.now() + restMs);
  await database.collection<UpkeepLease>('upkeep').updateOne({ _id: turnId }, { $set: { until } });
}

async function sweepAll(database: Db): Promise<number> {
  let swept = 0;
  for (const name of ['reports', 'blobs', 'grants']) swept += await sweep(database.collection(name));
  return swept;
}

/** Deletes what has expired, by primary key: the one scan that finds it all costs as much as a scan for one batch. */
async function sweep(collection: Collection): Promise<number> {
  const expired = await collection
    .find({ expiresAt: { $lte: new Date() } }, { projection: { _id: 1 }, batchSize: 10_000 })
    .toArray();
  for (let at = 0; at < expired.length; at += batch)
    await collection.deleteMany({ _id: { $in: expired.slice(at, at + batch).map(({ _id }) => _id) } });
  return expired.length;
}

/** Deletes the reports that would expire first, with what is kept beside them, until the store is as small as it should be. */
async function evict(database: Db, limitBytes: number): Promise<number> {
  const reports = database.collection<{ _id: string; expiresAt: Date }>('reports');
  const blobs = database.collection<{ _id: string }>('blobs');
  const grants = database.collection('grants');
  let evicted = 0;
  while ((await readUsedBytes(database)) > limitBytes) {
    const oldest = await reports
      .find({}, { projection: { expiresAt: 1 } })
      .sort({ expiresAt: 1 })
      .limit(batch)
      .toArray();
    const last = oldest.at(-1);
    if (!last) break;
    const ids = oldest.map(({ _id }) => _id);
    const beside = ids.flatMap((reportId) => blobKinds.map((kind) => blobId({ reportId, kind })));
    await Promise.all([
      reports.deleteMany({ _id: { $in: ids } }),
      blobs.deleteMany({ _id: { $in: beside } }),
      // A grant expires with its report.
      grants.deleteMany({ expiresAt: { $lte: last.expiresAt } }),
    ]);
    evicted += ids.length;
  }
  return evicted;
}

/** Bytes of all documents before the server packs them; unlike its files, they get fewer when documents are deleted. */
export async function readUsedBytes(database: Db): Promise<number> {
  const { dataSize } = await database.command({ dbStats: 1 });
  return Number(dataSize);
}
