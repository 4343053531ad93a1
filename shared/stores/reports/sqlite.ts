import type { DatabaseSync } from 'node:sqlite';
import { inTransaction, openDatabase, readNumber, withSqlite } from '../../backends/sqlite.ts';
import { latestOf } from '../../model/freshness.ts';
import type { Question, ReportStore, StoredReport } from '../../ports/report-store.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { openRowReader, type RowReader } from '../stored-row.ts';
import { fromRow, storedOf, toRow } from './row.ts';
import { openExpiry } from './sqlite-expiry.ts';
import { openSqliteGrants } from './sqlite-grants.ts';
import { reportIndexes, reportMigrations } from './sqlite-schema.ts';
import { openWrites, type Writes } from './sqlite-writes.ts';

export type SqliteStoreOptions = {
  readonly log: Logger;
  /** What everything in it may take together; beyond it what would expire first goes first. */
  readonly limitBytes: number;
  /** Called within a second after another process has written into the file, as `diag purge` does. */
  readonly onForeignWrite?: () => void;
};

const foreignWriteEveryMs = 1000;

/** The store of a single machine. @param path of the database file, made if it is not there; ":memory:" for tests */
export function openSqliteReportStore(path: string, options: SqliteStoreOptions): ReportStore {
  const { log, limitBytes } = options;
  const database = openDatabase(path, reportMigrations);
  database.exec(reportIndexes);
  const writes = openWrites(database, path, log);
  const readRow = openRowReader(log);
  const expiry = openExpiry(database, { path, writes, limitBytes, log });
  const watch = watchForeignWrites(database, options.onForeignWrite);
  return {
    ...openReports(database, writes, readRow),
    ...openBlobs(database, writes),
    grants: openSqliteGrants(database, writes, readRow),
    fault: () => writes.fault(),
    use: async () => withSqlite(() => ({ usedBytes: expiry.usedBytes(), limitBytes })),
    ping: async () => writes.tryWrite(),
    async close() {
      clearInterval(watch);
      await expiry.close();
      writes.close();
      database.close();
    },
  };
}

// SQLite changes this number when another connection commits, and never for our own writes.
function watchForeignWrites(database: DatabaseSync, onWrite: (() => void) | undefined) {
  if (!onWrite) return undefined;
  let last = readNumber(database, 'data_version');
  return setInterval(() => {
    const version = readNumber(database, 'data_version');
    if (version !== last) onWrite();
    last = version;
  }, foreignWriteEveryMs).unref();
}

type Reports = Pick<ReportStore, 'insert' | 'findFresh' | 'get' | 'findOutlines'>;

function openReports(database: DatabaseSync, writes: Writes, readRow: RowReader): Reports {
  const insert = database.prepare(
    `INSERT INTO reports (reportId, jobId, jobKey, target, "check", state, score, grade, checkedAt, freshUntil, expiresAt, body, isOpen,
       digest, jsonBytes, bodyCrc, options, rulesVersion, outline)
     VALUES (:reportId, :jobId, :jobKey, :target, :check, :state, :score, :grade, :checkedAt, :freshUntil, :expiresAt, :body, :isOpen,
       :digest, :jsonBytes, :bodyCrc, :options, :rulesVersion, :outline)
     ON CONFLICT (reportId) DO NOTHING`,
  );
  const byId = database.prepare('SELECT * FROM reports WHERE reportId = ? AND expiresAt > ?');
  const outlines = database.prepare(
    `SELECT reportId, outline FROM reports
     WHERE reportId IN (SELECT value FROM json_each(?)) AND expiresAt > ? AND outline IS NOT NULL`,
  );
  const read = (row: Record<string, unknown> | undefined): StoredReport | undefined =>
    row &&
    readRow({ kind: 'report', id: String(row['reportId']) }, () => {
      // SQLite has no booleans.
      row['isOpen'] = row['isOpen'] === 1;
      return fromRow(row);
    });
  const get = (reportId: string, now: number) => read(byId.get(reportId, now));
  const fresh = openJustWritten();
  const findNewest = openFindNewest(database);
  return {
    insert: async (report, keys) => {
      const { row, json } = toRow(report, keys);
      const stored = storedOf(row, () => json);
      const { changes } = writes.write(() => insert.run({ ...row, isOpen: row.isOpen ? 1 : 0 }));
      if (changes !== 1) return withSqlite(() => get(row.reportId, row.checkedAt)) ?? stored;
      fresh.keep(stored);
      return stored;
    },
    findFresh: async (questions, now = Date.now()) =>
      withSqlite(() => {
        const found = new Map<string, StoredReport>();
        for (const question of questions) {
          const stored = read(findNewest(question, now));
          if (stored) found.set(question.jobKey, stored);
        }
        return found;
      }),
    get: async (reportId, now = Date.now()) =>
      fresh.take(reportId, now) ?? withSqlite(() => get(reportId, now)),
    findOutlines: async (reportIds) =>
      withSqlite(() => {
        const found = outlines.all(JSON.stringify(reportIds), Date.now());
        // The column is STRICT: what is there are bytes.
        return new Map(found.map(({ reportId, outline }) => [String(reportId), outline as Uint8Array]));
      }),
  };
}

const justWritten = { most: 50, bytes: 131_072, ms: 1000 } as const;

/**
 * The reports that were written in the last second, each for its first reader by id: a caller that waits for a run reads its report at
 * once, without unpacking it. A purge by another process is noticed within a second too.
 */
function openJustWritten() {
  const kept = new Map<string, { readonly stored: StoredReport; readonly at: number }>();
  return {
    keep(stored: StoredReport): void {
      if ((stored.prepared?.jsonBytes ?? 0) > justWritten.bytes) return;
      kept.set(stored.reportId, { stored, at: performance.now() });
      const [oldest] = kept.keys();
      if (kept.size > justWritten.most && oldest !== undefined) kept.delete(oldest);
    },
    take(reportId: string, now: number): StoredReport | undefined {
      const found = kept.get(reportId);
      kept.delete(reportId);
      const isYoung = found !== undefined && performance.now() - found.at < justWritten.ms;
      return isYoung && found.stored.expiresAt > now ? found.stored : undefined;
    },
  };
}

/**
 * The newest row that answers a question. Nearly always that is the newest of its key, at the end of an index. Where that one is
 * expired or too old, an older one may answer: by its age, or because it is still fresh. Each is a range of an index, so that a key
 * with years of old reports costs no more than one with a single report. The plus keeps SQLite from walking all reports of the key in
 * the order of `checkedAt`.
 */
function openFindNewest(database: DatabaseSync) {
  // Parameters by their place: by name they cost as much as the search.
  const find = (rowid: string) => database.prepare(`SELECT * FROM reports WHERE rowid = ${rowid}`);
  const newest = find(
    `(SELECT rowid FROM reports WHERE jobKey = ? AND checkedAt <= ? ORDER BY checkedAt DESC LIMIT 1)
     AND (checkedAt >= ? OR freshUntil > ?) AND expiresAt > ?`,
  );
  const byAge = find(
    '(SELECT rowid FROM reports WHERE jobKey = ? AND checkedAt BETWEEN ? AND ? AND expiresAt > ? ORDER BY checkedAt DESC LIMIT 1)',
  );
  const byFreshness = find(
    '(SELECT rowid FROM reports WHERE jobKey = ? AND freshUntil > ? AND expiresAt > ? AND checkedAt <= ? ORDER BY +checkedAt DESC LIMIT 1)',
  );
  return ({ jobKey, wanted: { since, orFresh } }: Question, now: number) =>
    newest.get(jobKey, latestOf(now), since, orFresh ? now : Number.MAX_SAFE_INTEGER, now) ??
    byAge.get(jobKey, since, latestOf(now), now) ??
    (orFresh ? byFreshness.get(jobKey, now, now, latestOf(now)) : undefined);
}

/** Bytes beside the reports. */
function openBlobs(
  database: DatabaseSync,
  writes: Writes,
): Pick<ReportStore, 'keepBlob' | 'keepBlobs' | 'getBlob'> {
  const keep = database.prepare(
    'INSERT OR REPLACE INTO blobs (reportId, kind, expiresAt, bytes) VALUES (?, ?, ?, ?)',
  );
  const get = database.prepare('SELECT bytes FROM blobs WHERE reportId = ? AND kind = ? AND expiresAt > ?');
  const keepBlobs: ReportStore['keepBlobs'] = async (blobs) =>
    writes.write(() =>
      inTransaction(database, () => {
        for (const { name, bytes, expiresAt } of blobs) keep.run(name.reportId, name.kind, expiresAt, bytes);
      }),
    );
  return {
    keepBlob: (name, bytes, expiresAt) => keepBlobs([{ name, bytes, expiresAt }]),
    keepBlobs,
    // The column is STRICT: what is there are bytes.
    getBlob: async ({ reportId, kind }, now = Date.now()) =>
      withSqlite(() => (get.get(reportId, kind, now) as { bytes: Uint8Array } | undefined)?.bytes),
  };
}
