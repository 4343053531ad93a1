import { randomUUID } from 'node:crypto';
import { Binary, type Collection, type Db, MongoServerError } from 'mongodb';
import { duplicateKey, onceMore, sayMongoFault, storeUnavailable } from '../../backends/mongo-errors.ts';
import { type Mongo, openMongo, type ReadLimit, type WriteLimit } from '../../backends/mongo.ts';
import type { ReportStore, StoredReport } from '../../ports/report-store.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { openRowReader, type RowReader } from '../stored-row.ts';
import { limitCalls } from './call-queue.ts';
import {
  type BlobDocument,
  blobId,
  bytesOf,
  dateOf,
  msOf,
  readDocument,
  type ReportDocument,
  toDocument,
} from './mongo-documents.ts';
import { findFresh } from './mongo-fresh.ts';
import { openMongoGrants } from './mongo-grants.ts';
import { openHealth } from './mongo-health.ts';
import { openUpkeep, readUsedBytes, type Upkeep } from './mongo-upkeep.ts';
import { exactly, type ReportRow, storedOf, toRow } from './row.ts';

type MongoStoreOptions = {
  readonly log: Logger;
  /** What all documents may take together; beyond it what would expire first goes first. */
  readonly limitBytes: number;
  /** No report is fresh for longer: older ones are not looked at for one that is. */
  readonly longestFreshMs?: number;
  /** Calls wait longer for a store that is slow: of a process that answers no callers. */
  readonly isPatient?: boolean;
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
  const server = openMongo(url, log);
  const mongo = limitCalls(server, { isPatient: options.isPatient ?? false });
  const readRow = openRowReader(log);
  // What looks after the server does not stand behind those who use it.
  const health = openHealth(server, log);
  const upkeep = openUpkeep({ url, log, limitBytes, everyMs: options.upkeepEveryMs ?? upkeepEveryMs });
  return {
    ...openReports(mongo, upkeep, {
      readRow,
      longestFreshMs: options.longestFreshMs ?? Number.POSITIVE_INFINITY,
    }),
    ...openBlobs(mongo, upkeep),
    grants: openMongoGrants(mongo, () => upkeep.prepare(), readRow),
    fault: () => health.fault(),
    runShare: mongo.runShare,
    use: () => mongo.read(async (database) => ({ usedBytes: await readUsedBytes(database), limitBytes })),
    identity: () => mongo.write(readIdentity),
    async ping() {
      const state = await health.state();
      if (state !== true) return state;
      return upkeep.prepare().then(
        () => true as const,
        (error: unknown) => `the indexes of MongoDB cannot be made: ${sayMongoFault(error)}`,
      );
    },
    async close() {
      upkeep.close();
      health.close();
      await mongo.close();
    },
  };
}

const reportsOf = (database: Db) => database.collection<ReportDocument>('reports');
const blobsOf = (database: Db) => database.collection<BlobDocument>('blobs');

type ReadContext = { readonly readRow: RowReader; readonly longestFreshMs: number };

function openReports(
  mongo: Mongo,
  upkeep: Upkeep,
  { readRow, longestFreshMs }: ReadContext,
): Pick<ReportStore, 'insert' | 'findFresh' | 'get' | 'findOutlines'> {
  return {
    async insert(report, keys) {
      await upkeep.prepare();
      const { row, json } = toRow(report, keys);
      // Keyed by its id, so one retry of our own is safe: the first writer of an id wins, also against ourselves.
      const first = await mongo.write((database, limit) =>
        onceMore(() => insertOnce(reportsOf(database), { row, readRow }, limit)),
      );
      return first ?? storedOf(row, () => json);
    },
    findFresh: (questions, nowMs = Date.now()) =>
      mongo.read((database, limit) =>
        findFresh(reportsOf(database), { questions, nowMs, longestFreshMs, ...limit }, readRow),
      ),
    get: (reportId, nowMs = Date.now()) =>
      mongo.read(async (database, limit) => {
        const found = await reportsOf(database).findOne({ _id: String(reportId) }, limit);
        return found && msOf(found.expiresAt) > nowMs ? readDocument(found, readRow) : undefined;
      }),
    findOutlines: (reportIds) =>
      mongo.read(async (database, limit) => {
        const wanted = { _id: { $in: reportIds.map(String) }, expiresAt: { $gt: new Date() } };
        const found = await reportsOf(database)
          .find(wanted, { ...limit, projection: { outline: 1 } })
          .toArray();
        return new Map(
          found.flatMap(({ _id, outline }) => {
            const bytes = bytesOf(outline);
            return bytes ? [[_id, bytes] as const] : [];
          }),
        );
      }),
  };
}

type Row = { readonly row: ReportRow; readonly readRow: RowReader };

/** Returns what was there before, if anything was. */
async function insertOnce(
  reports: Collection<ReportDocument>,
  { row, readRow }: Row,
  limit: WriteLimit,
): Promise<StoredReport | undefined> {
  try {
    await reports.insertOne(toDocument(row), limit);
    return undefined;
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== duplicateKey) throw error;
    const readLimit = { maxTimeMS: limit.writeConcern.wtimeoutMS };
    return readKept(reports, row.reportId, readLimit).then((first) => readDocument(first, readRow));
  }
}

// The first writer, which may have been ourselves, may have been told that no majority has it: then it is not kept yet, and may be rolled back.
async function readKept(reports: Collection<ReportDocument>, reportId: string, limit: ReadLimit) {
  const first = await reports.findOne({ _id: reportId }, { ...limit, readConcern: { level: 'majority' } });
  if (first) return first;
  throw storeUnavailable(new Error('the report is not confirmed by a majority of the servers yet'));
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
    await mongo.write((database, limit) =>
      onceMore(() => blobsOf(database).bulkWrite(updates, { ...limit, ordered: false })),
    );
  };
  return {
    keepBlob: (name, bytes, expiresAt) => keepBlobs([{ name, bytes, expiresAt }]),
    keepBlobs,
    getBlob: (name, nowMs = Date.now()) =>
      mongo.read(async (database, limit) => {
        const found = await blobsOf(database).findOne({ _id: blobId(name) }, limit);
        const bytes = found && msOf(found.expiresAt) > nowMs ? bytesOf(found.bytes) : undefined;
        return bytes && exactly(bytes);
      }),
  };
}

type About = { readonly _id: string; readonly storeId: string };
const aboutId = 'store';

/** What tells this store from every other: drawn at its first use, and kept in it. A copy of a store has the id of the first. */
async function readIdentity(database: Db, limit: WriteLimit): Promise<string> {
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
