import { grantsMigration } from './sqlite-grants.ts';
import { writesMigration } from './sqlite-writes.ts';

/** The tables of the reports' file, step by step. */
export const reportMigrations: readonly string[] = [
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
  writesMigration,
  // NULL in a row of an earlier version, whose body is under zstd.
  `ALTER TABLE reports ADD COLUMN digest TEXT;
   ALTER TABLE reports ADD COLUMN jsonBytes INTEGER;
   ALTER TABLE reports ADD COLUMN bodyCrc INTEGER;`,
  // NULL in rows of an earlier version.
  `ALTER TABLE reports ADD COLUMN options TEXT;
   ALTER TABLE reports ADD COLUMN rulesVersion INTEGER;
   ALTER TABLE reports ADD COLUMN outline BLOB;
   ALTER TABLE grants ADD COLUMN options TEXT;
   ALTER TABLE grants ADD COLUMN rulesVersion INTEGER;`,
];

/**
 * Run at each start, so that an index that somebody dropped is there again. A key's reports are found by age and by freshness;
 * no query goes by target or by job.
 */
export const reportIndexes = `
  CREATE INDEX IF NOT EXISTS reports_by_key ON reports (jobKey, checkedAt);
  CREATE INDEX IF NOT EXISTS reports_by_freshness ON reports (jobKey, freshUntil);
  CREATE INDEX IF NOT EXISTS reports_by_expiry ON reports (expiresAt);
  CREATE INDEX IF NOT EXISTS blobs_by_expiry ON blobs (expiresAt);
  CREATE INDEX IF NOT EXISTS grants_by_account ON grants (account, checkedAt, reportId);
  CREATE INDEX IF NOT EXISTS grants_by_target ON grants (account, target, checkedAt, reportId);
  CREATE INDEX IF NOT EXISTS grants_by_expiry ON grants (expiresAt);
  DROP INDEX IF EXISTS reports_by_target;
  DROP INDEX IF EXISTS reports_by_job;`;
