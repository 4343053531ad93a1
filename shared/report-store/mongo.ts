import { Binary, type Collection, type Db, MongoServerError } from 'mongodb';
import type { Logger } from '../logger.ts';
import { duplicateKey, type Mongo, onceMore, openMongo } from '../mongo.ts';
import { openRowReader, type RowReader } from '../stored-row.ts';
import {
  type BlobDocument,
  blobId,
  bytesOf,
  dateOf,
  msOf,
  type ReportDocument,
  readDocument,
  toDocument,
} from './mongo-documents.ts';
import { findFresh } from './mongo-fresh.ts';
import { openMongoGrants } from './mongo-grants.ts';
import { readIdentity } from './mongo-identity.ts';
import { openUpkeep, readUsedBytes, type Upkeep } from './mongo-upkeep.ts';
import type { ReportStore, StoredReport } from './port.ts';
import { exactly, type ReportRow, storedOf, toRow } from './row.ts';

export type MongoStoreOptions = {
  readonly log: Logger;
  /** What all documents may take together; beyond it what would expire first goes first. */
  readonly limitBytes: number;
  /** Shorter for tests. */
  readonly upkeepEveryMs?: number;
};

const upkeepEveryMs = 60_000;

/**
 * The store of a scaled deployment. Indexes are made when the server is first there; the store opens without it.
 * @param url mongodb://…/database; the database is "diag" where none is named
 */
export function openMongoReportStore(url: string, options: MongoStoreOptions): ReportStore {
  const { log, limitBytes } = options;
  const mongo = openMongo(url, log);
  const readRow = openRowReader(log);
  const upkeep = openUpkeep({ url, log, limitBytes, everyMs: options.upkeepEveryMs ?? upkeepEveryMs });
  return {
    ...openReports(mongo, upkeep, readRow),
    ...openBlobs(mongo, upkeep),
    grants: openMongoGrants(mongo, () => upkeep.prepare(), readRow),
    fault: () => undefined, // only a call can say whether the server is there
    use: () => mongo.call(async (database) => ({ usedBytes: await readUsedBytes(database), limitBytes })),
    identity: () => mongo.call(readIdentity),
    async ping() {
      try {
        await mongo.call((database) => database.command({ ping: 1 }));
        await upkeep.prepare();
        return true;
      } catch {
        return 'MongoDB does not answer';
      }
    },
    async close() {
      upkeep.close();
      await mongo.close();
    },
  };
}

const reportsOf = (database: Db) => database.collection<ReportDocument>('reports');
const blobsOf = (database: Db) => database.collection<BlobDocument>('blobs');

function openReports(
  mongo: Mongo,
  upkeep: Upkeep,
  readRow: RowReader,
): Pick<ReportStore, 'insert' | 'findFresh' | 'get'> {
  return {
    async insert(report, keys) {
      await upkeep.prepare();
      const { row, json } = toRow(report, keys);
      // Keyed by its id, so one retry of our own is safe: the first writer of an id wins, also against ourselves.
      const first = await mongo.call((database) =>
        onceMore(() => insertOnce(reportsOf(database), row, readRow)),
      );
      return first ?? storedOf(row, () => json);
    },
    findFresh: (questions, nowMs = Date.now()) =>
      mongo.call((database) => findFresh(reportsOf(database), { questions, nowMs }, readRow)),
    get: (reportId, nowMs = Date.now()) =>
      mongo.call(async (database) => {
        const found = await reportsOf(database).findOne({ _id: String(reportId) });
        return found && msOf(found.expiresAt) > nowMs ? readDocument(found, readRow) : undefined;
      }),
  };
}

/** Returns what was there before, if anything was. */
async function insertOnce(
  reports: Collection<ReportDocument>,
  row: ReportRow,
  readRow: RowReader,
): Promise<StoredReport | undefined> {
  try {
    await reports.insertOne(toDocument(row), { writeConcern: { w: 'majority' } });
    return undefined;
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== duplicateKey) throw error;
    const first = await reports.findOne({ _id: row.reportId });
    return first ? readDocument(first, readRow) : undefined;
  }
}

function openBlobs(mongo: Mongo, upkeep: Upkeep): Pick<ReportStore, 'keepBlob' | 'keepBlobs' | 'getBlob'> {
  const keepBlobs: ReportStore['keepBlobs'] = async (blobs) => {
    if (blobs.length === 0) return;
    await upkeep.prepare();
    const updates = blobs.map(({ name, bytes, expiresAt }) => ({
      updateOne: {
        filter: { _id: blobId(name) },
        update: { $set: { bytes: new Binary(bytes), expiresAt: dateOf(expiresAt) } },
        upsert: true,
      },
    }));
    // Written again it is the same: one retry is safe here, too.
    await mongo.call((database) => onceMore(() => blobsOf(database).bulkWrite(updates, { ordered: false })));
  };
  return {
    keepBlob: (name, bytes, expiresAt) => keepBlobs([{ name, bytes, expiresAt }]),
    keepBlobs,
    getBlob: (name, nowMs = Date.now()) =>
      mongo.call(async (database) => {
        const found = await blobsOf(database).findOne({ _id: blobId(name) });
        const bytes = found && msOf(found.expiresAt) > nowMs ? bytesOf(found.bytes) : undefined;
        return bytes && exactly(bytes);
      }),
  };
}
