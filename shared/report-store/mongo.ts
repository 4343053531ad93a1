import { Binary, type Collection, type Db, MongoClient, MongoError, MongoServerError } from 'mongodb';
import type { Logger } from '../logger.ts';
import { Problem } from '../model/problem.ts';
import type { ReportStore } from './port.ts';
import { fromRow, type ReportRow, toRow } from './row.ts';

/**
 * Measured with a frozen server: `timeoutMS` has no effect in driver 7.8 and one read hung for 70 s; with these a call
 * gives up after 805 ms and works again 4 ms after the server does. The driver's own retries would make it 2.7 s.
 */
export const mongoTimeouts = {
  serverSelectionTimeoutMS: 500,
  connectTimeoutMS: 800,
  socketTimeoutMS: 800,
  retryReads: false,
  retryWrites: false,
} as const;

/** A report as MongoDB keeps it. Times are dates, so that its TTL index can expire it. */
type Document = Omit<ReportRow, 'reportId' | 'body' | 'checkedAt' | 'freshUntil' | 'expiresAt'> & {
  readonly _id: string;
  readonly checkedAt: Date;
  readonly freshUntil: Date;
  readonly expiresAt: Date;
  readonly body: Binary;
};

const sweepEveryMs = 60_000;
const sweepBatch = 200;

/** Where a server says that it has no TTL indexes (FerretDB). */
const notImplemented = 238;

/**
 * The store of a scaled deployment. Indexes are made when the server is first there; the store opens without it.
 * @param url mongodb://…/database; the database is "diag" where none is named
 */
export function openMongoReportStore(url: string, log: Logger): ReportStore {
  const client = new MongoClient(url, { ...mongoTimeouts, appName: 'diag' });
  const database = client.db(databaseOf(url));
  const reports = database.collection<Document>('reports');
  const indexes = openIndexes(database, url, log);

  return {
    insert: (report, keys) =>
      guarded(async () => {
        await indexes.prepare();
        const { json, ...row } = toRow(report, keys);
        // Keyed by its id, so one retry of our own is safe: the first writer of an id wins, also against ourselves.
        const stored = await onceMore(() => insertOnce(reports, row));
        return stored ?? { ...row, json };
      }),
    findFresh: (questions) => guarded(() => findFresh(reports, questions)),
    get: (reportId) =>
      guarded(async () => {
        const found = await reports.findOne({ _id: String(reportId) });
        return found && found.expiresAt.getTime() > Date.now() ? fromRow(toReportRow(found)) : undefined;
      }),
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
    const reports = database.collection<Document>('reports');
    const act = () =>
      void sweep(reports).catch((error: unknown) => log.warn({ err: error }, 'expired reports not swept'));
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

function databaseOf(url: string): string {
  const path = new URL(
    url.replace(/^mongodb(\+srv)?:/, 'http:').replace(/(@|\/\/)([^/@]*),[^/]*/, '$1$2'),
  ).pathname.slice(1);
  return path === '' ? 'diag' : decodeURIComponent(path);
}

/** Makes the indexes by name, over a client of its own: building one on a full collection takes longer than a request may. */
async function prepareIndexes(database: Db, url: string): Promise<boolean> {
  const patient = new MongoClient(url, {
    serverSelectionTimeoutMS: 500,
    connectTimeoutMS: 800,
    appName: 'diag-prepare',
  });
  try {
    const reports = patient.db(database.databaseName).collection('reports');
    await reports.createIndex({ jobKey: 1, checkedAt: -1 }, { name: 'reports_by_key' });
    await reports.createIndex({ target: 1, check: 1, checkedAt: -1 }, { name: 'reports_by_target' });
    await reports.createIndex({ jobId: 1 }, { name: 'reports_by_job' });
    return await makeTtlIndex(reports as unknown as Collection<Document>);
  } finally {
    await patient.close();
  }
}

async function makeTtlIndex(reports: Collection<Document>): Promise<boolean> {
  try {
    await reports.createIndex({ expiresAt: 1 }, { name: 'reports_expire', expireAfterSeconds: 0 });
    return true;
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== notImplemented) throw error;
    await reports.createIndex({ expiresAt: 1 }, { name: 'reports_expire' });
    return false;
  }
}

async function insertOnce(reports: Collection<Document>, row: ReportRow) {
  try {
    await reports.insertOne(toDocument(row), { writeConcern: { w: 'majority' } });
    return undefined;
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== 11_000) throw error;
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

async function sweep(reports: Collection<Document>): Promise<void> {
  const expired = await reports
    .find({ expiresAt: { $lte: new Date() } }, { projection: { _id: 1 } })
    .limit(sweepBatch)
    .toArray();
  if (expired.length > 0) await reports.deleteMany({ _id: { $in: expired.map(({ _id }) => _id) } });
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

async function onceMore<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof MongoServerError || !(error instanceof MongoError)) throw error;
    return act();
  }
}

// A server that is away or refuses is told to callers; anything else is a defect.
async function guarded<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof MongoError)) throw error;
    throw new Problem(
      'store_unavailable',
      'Reports cannot be read or kept just now. Ask again in a few seconds.',
      { retryAfterS: 5, cause: error },
    );
  }
}
