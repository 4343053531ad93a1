import type { DatabaseSync } from 'node:sqlite';
import { openDatabase, withSqlite } from '../sqlite.ts';
import type { ReportStore, StoredReport } from './port.ts';
import { fromRow, type ReportRow, toRow } from './row.ts';
import { grantsMigration, openSqliteGrants } from './sqlite-grants.ts';

const migrations = [
  `CREATE TABLE reports (
     reportId TEXT PRIMARY KEY, jobId TEXT NOT NULL, jobKey TEXT NOT NULL, target TEXT NOT NULL, "check" TEXT NOT NULL,
     state TEXT NOT NULL, score REAL, grade TEXT,
     checkedAt INTEGER NOT NULL, freshUntil INTEGER NOT NULL, expiresAt INTEGER NOT NULL, body BLOB NOT NULL
   ) STRICT;
   CREATE INDEX reports_by_key ON reports (jobKey, checkedAt);
   CREATE INDEX reports_by_target ON reports (target, "check", checkedAt);
   CREATE INDEX reports_by_job ON reports (jobId);
   CREATE INDEX reports_by_expiry ON reports (expiresAt);`,
  `CREATE TABLE blobs (
     reportId TEXT NOT NULL, kind TEXT NOT NULL, expiresAt INTEGER NOT NULL, bytes BLOB NOT NULL,
     PRIMARY KEY (reportId, kind)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX blobs_by_expiry ON blobs (expiresAt);`,
  grantsMigration,
  'ALTER TABLE reports ADD COLUMN isOpen INTEGER NOT NULL DEFAULT 0;',
];

const expiryEveryMs = 10_000;
/** Few at a time: a delete of 200 rows held the event loop for 17 ms. */
const expiryBatch = 25;

/** The store of a single machine. @param path of the database file, made if it is not there; ":memory:" for tests */
export function openSqliteReportStore(path: string): ReportStore {
  const database = openDatabase(path, migrations);
  const insert = database.prepare(
    `INSERT INTO reports (reportId, jobId, jobKey, target, "check", state, score, grade, checkedAt, freshUntil, expiresAt, body, isOpen)
     VALUES (:reportId, :jobId, :jobKey, :target, :check, :state, :score, :grade, :checkedAt, :freshUntil, :expiresAt, :body, :isOpen)
     ON CONFLICT (reportId) DO NOTHING`,
  );
  const byId = database.prepare('SELECT * FROM reports WHERE reportId = ? AND expiresAt > ?');
  const fresh = database.prepare(
    `SELECT * FROM reports WHERE jobKey = :jobKey AND expiresAt > :now AND (checkedAt >= :since OR (:orFresh AND freshUntil > :now))
     ORDER BY checkedAt DESC LIMIT 1`,
  );
  const expire = database.prepare(
    'DELETE FROM reports WHERE rowid IN (SELECT rowid FROM reports WHERE expiresAt <= ? LIMIT ?)',
  );
  const timer = setInterval(() => expire.run(Date.now(), expiryBatch), expiryEveryMs).unref();
  const get = (reportId: string): StoredReport | undefined => {
    const row = byId.get(reportId, Date.now()) as unknown as ReportRow | undefined;
    return row && toStored(row);
  };

  return {
    insert: async (report, keys) =>
      withSqlite(() => {
        const { json, ...row } = toRow(report, keys);
        const { changes } = insert.run({ ...row, isOpen: row.isOpen ? 1 : 0 });
        return changes === 1 ? { ...row, json } : (get(row.reportId) ?? { ...row, json });
      }),
    findFresh: async (questions) =>
      withSqlite(() => {
        const now = Date.now();
        return new Map(
          questions.flatMap(({ jobKey, wanted }) => {
            const row = fresh.get({ jobKey, now, since: wanted.since, orFresh: wanted.orFresh ? 1 : 0 });
            return row ? [[jobKey, toStored(row as unknown as ReportRow)] as const] : [];
          }),
        );
      }),
    get: async (reportId) => withSqlite(() => get(reportId)),
    ...openBlobs(database),
    grants: openSqliteGrants(database),
    ping: async () => {
      database.prepare('SELECT 1').get();
      return true;
    },
    async close() {
      clearInterval(timer);
      database.close();
    },
  };
}

// SQLite has no booleans.
function toStored(row: ReportRow): StoredReport {
  return fromRow({ ...row, isOpen: Boolean(row.isOpen) });
}

/** Blobs stand beside the reports; each write sweeps a few that have expired. */
function openBlobs(database: DatabaseSync): Pick<ReportStore, 'keepBlob' | 'getBlob'> {
  const keep = database.prepare(
    'INSERT OR REPLACE INTO blobs (reportId, kind, expiresAt, bytes) VALUES (?, ?, ?, ?)',
  );
  const get = database.prepare('SELECT bytes FROM blobs WHERE reportId = ? AND kind = ? AND expiresAt > ?');
  const sweep = database.prepare(
    'DELETE FROM blobs WHERE (reportId, kind) IN (SELECT reportId, kind FROM blobs WHERE expiresAt <= ? LIMIT 5)',
  );
  return {
    keepBlob: async ({ reportId, kind }, bytes, expiresAt) =>
      withSqlite(() => {
        keep.run(reportId, kind, expiresAt, bytes);
        sweep.run(Date.now());
      }),
    getBlob: async ({ reportId, kind }) =>
      withSqlite(() => (get.get(reportId, kind, Date.now()) as { bytes: Uint8Array } | undefined)?.bytes),
  };
}
