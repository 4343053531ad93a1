import { Binary, type Collection, type Db, MongoServerError } from 'mongodb';
import type { Logger } from '../logger.ts';
import { databaseNameOf, duplicateKey, onceMore, openMongo, openPatientMongo, withMongo } from '../mongo.ts';
import { openMongoGrants, prepareGrantIndexes } from './mongo-grants.ts';
import type { BlobName, ReportStore } from './port.ts';
import { fromRow, type ReportRow, toRow } from './row.ts';

/** A report as MongoDB keeps it. Times are dates, so that its TTL index can expire it. */
type Document = Omit<ReportRow, 'reportId' | 'body' | 'checkedAt' | 'freshUntil' | 'expiresAt'> & {
  readonly _id: string;
  readonly checkedAt: Date;
  readonly freshUntil: Date;
  readonly expiresAt: Date;
  readonly body: Binary;
};

type BlobDocument = { readonly _id: string; readonly bytes: Binary; readonly expiresAt: Date };

const sweepEveryMs = 60_000;
const sweepBatch = 200;

/** Where a server says that it has no TTL indexes (FerretDB). */
const notImplemented = 238;

/**
 * The store of a scaled deployment. Indexes are made when the server is first there; the store opens without it.
 * @param url mongodb://…/database; the database is "diag" where none is named
 */
export function openMongoReportStore(url: string, log: Logger): ReportStore {
  const client = openMongo(url);
  const database = client.db(databaseNameOf(url));
  const reports = database.collection<Document>('reports');
  const blobs = database.collection<BlobDocument>('blobs');
  const indexes = openIndexes(database, url, log);

  return {
    insert: (report, keys) =>
      withMongo(async () => {
        await indexes.prepare();
        const { json, ...row } = toRow(report, keys);
        // Keyed by its id, so one retry of our own is safe: the first writer of an id wins, also against ourselves.
        const stored = await onceMore(() => insertOnce(reports, row));
        return stored ?? { ...row, json };
      }),
    findFresh: (questions) => withMongo(() => findFresh(reports, questions)),
    get: (reportId) =>
      withMongo(async () => {
        const found = await reports.findOne({ _id: String(reportId) });
        return found && found.expiresAt.getTime() > Date.now() ? fromRow(toReportRow(found)) : undefined;
      }),
    keepBlob: (name, bytes, expiresAt) =>
      withMongo(async () => {
        const blob = { bytes: new Binary(bytes), expiresAt: new Date(expiresAt) };
        await blobs.updateOne({ _id: blobId(name) }, { $set: blob }, { upsert: true });
      }),
    getBlob: (name) =>
      withMongo(async () => {
        const found = await blobs.findOne({ _id: blobId(name) });
        return found && found.expiresAt.getTime() > Date.now() ? found.bytes.value() : undefined;
      }),
    grants: openMongoGrants(database, () => indexes.prepare()),
    async ping() {
      try {
        await database.command({ ping: 1 });
        await indexes.prepare();
        return true;
      } catch {
        return 'MongoDB does not answer';
      }
    },
    async close() {
      indexes.close();
      await client.close();
    },
  };
}

/** Prepares the indexes once; a server that is away is tried again with the next call. Sweeps where the server cannot expire by itself. */
function openIndexes(database: Db, url: string, log: Logger): { prepare(): Promise<void>; close(): void } {
  let prepared: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  const startSweep = () => {
    log.warn({}, 'this MongoDB server has no TTL indexes: expired reports are swept once a minute');
    const act = () =>
      void Promise.all(['reports', 'blobs', 'grants'].map((name) => sweep(database.collection(name)))).catch(
        (error: unknown) => log.warn({ err: error }, 'expired reports not swept'),
      );
    timer = setInterval(act, sweepEveryMs).unref();
  };
  return {
    prepare() {
      prepared ??= prepareIndexes(database, url).then(
        (hasTtl) => (hasTtl ? undefined : startSweep()),
        (error: unknown) => {
          prepared = undefined;
          throw error;
        },
      );
      return prepared;
    },
    close: () => clearInterval(timer),
  };
}

function blobId({ reportId, kind }: BlobName): string {
  return `${reportId} ${kind}`;
}

/** Makes the indexes by name, over a client of its own: building one on a full collection takes longer than a request may. */
async function prepareIndexes(database: Db, url: string): Promise<boolean> {
  const patient = openPatientMongo(url);
  try {
    const prepared = patient.db(database.databaseName);
    const [reports, blobs, grants] = ['reports', 'blobs', 'grants'].map((name) => prepared.collection(name));
    if (!reports || !blobs || !grants) throw new Error('three collections are expected');
    await reports.createIndex({ jobKey: 1, checkedAt: -1 }, { name: 'reports_by_key' });
    await reports.createIndex({ target: 1, check: 1, checkedAt: -1 }, { name: 'reports_by_target' });
    await reports.createIndex({ jobId: 1 }, { name: 'reports_by_job' });
    await prepareGrantIndexes(grants);
    const expiring = [reports, blobs, grants];
    return (await Promise.all(expiring.map(makeTtlIndex))).every(Boolean);
  } finally {
    await patient.close();
  }
}

async function makeTtlIndex(collection: Collection): Promise<boolean> {
  try {
    await collection.createIndex({ expiresAt: 1 }, { name: 'by_expiry', expireAfterSeconds: 0 });
    return true;
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== notImplemented) throw error;
    await collection.createIndex({ expiresAt: 1 }, { name: 'by_expiry' });
    return false;
  }
}

async function insertOnce(reports: Collection<Document>, row: ReportRow) {
  try {
    await reports.insertOne(toDocument(row), { writeConcern: { w: 'majority' } });
    return undefined;
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== duplicateKey) throw error;
    const first = await reports.findOne({ _id: row.reportId });
    return first ? fromRow(toReportRow(first)) : undefined;
  }
}

async function findFresh(
  reports: Collection<Document>,
  questions: Parameters<ReportStore['findFresh']>[0],
): ReturnType<ReportStore['findFresh']> {
  if (questions.length === 0) return new Map();
  const now = Date.now();
  const found = await reports
    .find({ jobKey: { $in: questions.map(({ jobKey }) => jobKey) } })
    .sort({ checkedAt: -1 })
    .limit(questions.length * 20)
    .toArray();
  const rows = found.map(toReportRow).filter(({ expiresAt }) => expiresAt > now);
  return new Map(
    questions.flatMap(({ jobKey, wanted }) => {
      const row = rows.find(
        (candidate) =>
          candidate.jobKey === jobKey &&
          (candidate.checkedAt >= wanted.since || (wanted.orFresh && candidate.freshUntil > now)),
      );
      return row ? [[jobKey, fromRow(row)] as const] : [];
    }),
  );
}

async function sweep(collection: Collection): Promise<void> {
  const expired = await collection
    .find({ expiresAt: { $lte: new Date() } }, { projection: { _id: 1 } })
    .limit(sweepBatch)
    .toArray();
  if (expired.length > 0) await collection.deleteMany({ _id: { $in: expired.map(({ _id }) => _id) } });
}

function toDocument({ reportId, body, checkedAt, freshUntil, expiresAt, ...rest }: ReportRow): Document {
  return {
    _id: reportId,
    ...rest,
    checkedAt: new Date(checkedAt),
    freshUntil: new Date(freshUntil),
    expiresAt: new Date(expiresAt),
    body: new Binary(body),
  };
}

function toReportRow({ _id, body, checkedAt, freshUntil, expiresAt, ...rest }: Document): ReportRow {
  return {
    ...rest,
    reportId: _id,
    checkedAt: checkedAt.getTime(),
    freshUntil: freshUntil.getTime(),
    expiresAt: expiresAt.getTime(),
    body: body.value(),
  };
}
