import { Binary, type Collection, type Db, MongoServerError } from 'mongodb';
import type { Logger } from '../logger.ts';
import { databaseNameOf, duplicateKey, onceMore, openMongo, withMongo } from '../mongo.ts';
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
  const client = openMongo(url);
  const database = client.db(databaseNameOf(url));
  const readRow = openRowReader(log);
  const upkeep = openUpkeep({ url, log, limitBytes, everyMs: options.upkeepEveryMs ?? upkeepEveryMs });
  return {
    ...openReports(database, upkeep, readRow),
    ...openBlobs(database, upkeep),
    grants: openMongoGrants(database, () => upkeep.prepare(), readRow),
    fault: () => undefined, // only a call can say whether the server is there
    use: () => withMongo(async () => ({ usedBytes: await readUsedBytes(database), limitBytes })),
    identity: () => withMongo(() => readIdentity(database)),
    async ping() {
      try {
        await database.command({ ping: 1 });
        await upkeep.prepare();
        return true;
      } catch {
        return 'MongoDB does not answer';
      }
    },
    async close() {
      upkeep.close();
      await client.close();
    },
  };
}

function openReports(
  database: Db,
  upkeep: Upkeep,
  readRow: RowReader,
): Pick<ReportStore, 'insert' | 'findFresh' | 'get'> {
  const reports = database.collection<ReportDocument>('reports');
  const insertOnce = openInsertOnce(reports, readRow);
  return {
    insert: (report, keys) =>
      withMongo(async () => {
        await upkeep.prepare();
        const { row, json } = toRow(report, keys);
        // Keyed by its id, so one retry of our own is safe: the first writer of an id wins, also against ourselves.
        return (await onceMore(() => insertOnce(row))) ?? storedOf(row, () => json);
      }),
    findFresh: (questions, nowMs = Date.now()) =>
      withMongo(() => findFresh(reports, { questions, nowMs }, readRow)),
    get: (reportId, nowMs = Date.now()) =>
      withMongo(async () => {
        const found = await reports.findOne({ _id: String(reportId) });
        return found && msOf(found.expiresAt) > nowMs ? readDocument(found, readRow) : undefined;
      }),
  };
}

/** Returns what was there before, if anything was. */
function openInsertOnce(reports: Collection<ReportDocument>, readRow: RowReader) {
  return async (row: ReportRow): Promise<StoredReport | undefined> => {
    try {
      await reports.insertOne(toDocument(row), { writeConcern: { w: 'majority' } });
      return undefined;
    } catch (error) {
      if (!(error instanceof MongoServerError) || error.code !== duplicateKey) throw error;
      const first = await reports.findOne({ _id: row.reportId });
      return first ? readDocument(first, readRow) : undefined;
    }
  };
}

function openBlobs(database: Db, upkeep: Upkeep): Pick<ReportStore, 'keepBlob' | 'keepBlobs' | 'getBlob'> {
  const collection = database.collection<BlobDocument>('blobs');
  const keepBlobs: ReportStore['keepBlobs'] = (blobs) =>
    withMongo(async () => {
      if (blobs.length === 0) return;
      await upkeep.prepare();
      const updates = blobs.map(({ name, bytes, expiresAt }) => ({
        updateOne: {
          filter: { _id: blobId(name) },
          update: { $set: { bytes: new Binary(bytes), expiresAt: dateOf(expiresAt) } },
          upsert: true,
        },
      }));
      await collection.bulkWrite(updates, { ordered: false });
    });
  return {
    keepBlob: (name, bytes, expiresAt) => keepBlobs([{ name, bytes, expiresAt }]),
    keepBlobs,
    getBlob: (name, nowMs = Date.now()) =>
      withMongo(async () => {
        const found = await collection.findOne({ _id: blobId(name) });
        const bytes = found && msOf(found.expiresAt) > nowMs ? bytesOf(found.bytes) : undefined;
        return bytes && exactly(bytes);
      }),
  };
}
