import type { DatabaseSync } from 'node:sqlite';
import { inTransaction, openDatabase, withSqlite } from '../../backends/sqlite.ts';
import {
  type AccessRecord,
  type AccessRecords,
  readAccessRecord,
  withoutHost,
} from '../../ports/access-record.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { targetMatcher } from '../reports/purge.ts';
import { openRowReader } from '../stored-row.ts';

export const accessMigrations = [
  `CREATE TABLE runs (
     runId TEXT NOT NULL, "check" TEXT NOT NULL, host TEXT NOT NULL, caller TEXT NOT NULL,
     startedAt INTEGER NOT NULL, endedAt INTEGER NOT NULL, expiresAt INTEGER NOT NULL, contacts TEXT NOT NULL
   ) STRICT;
   CREATE INDEX runs_by_end ON runs (endedAt);
   CREATE INDEX runs_by_caller ON runs (caller);
   CREATE INDEX runs_by_expiry ON runs (expiresAt);`,
];

/** Deleted beside each writing: more than come with it. */
const expiredAtOnce = 500;

/** The records of a single machine, in a file of their own. @param path of the database file, made if it is not there; ":memory:" for tests */
export function openSqliteAccess(path: string, log: Logger): AccessRecords {
  const database = openDatabase(path, accessMigrations);
  database.exec('PRAGMA secure_delete = ON');
  const insert = database.prepare(
    `INSERT INTO runs (runId, "check", host, caller, startedAt, endedAt, expiresAt, contacts)
     VALUES (:runId, :check, :host, :caller, :startedAt, :endedAt, :expiresAt, :contacts)`,
  );
  const expire = database.prepare(
    'DELETE FROM runs WHERE rowid IN (SELECT rowid FROM runs WHERE expiresAt <= ? LIMIT ?)',
  );
  const between = database.prepare(
    'SELECT * FROM runs WHERE endedAt >= ? AND startedAt <= ? AND expiresAt > ? ORDER BY startedAt',
  );
  const readRow = openRowReader(log);
  const read: ReadRecord = (row) =>
    readRow({ kind: 'access record', id: String(row['runId']) }, () =>
      readAccessRecord({ ...row, contacts: JSON.parse(String(row['contacts'])) as unknown }),
    );
  const purge: AccessRecords['purge'] = async (wish) =>
    withSqlite(() => {
      if ('target' in wish) return redactTarget(database, targetMatcher(wish.target), read);
      const [where, value] =
        'account' in wish ? ['caller = ?', wish.account] : ['startedAt < ?', wish.madeBefore];
      return Number(database.prepare(`DELETE FROM runs WHERE ${where}`).run(value).changes);
    });
  return {
    keep: async (records, expiresAt) =>
      withSqlite(() =>
        inTransaction(database, () => {
          for (const { contacts, ...record } of records)
            insert.run({ ...record, expiresAt, contacts: JSON.stringify(contacts) });
          expire.run(Date.now(), expiredAtOnce);
        }),
      ),
    async *find({ since, until }) {
      for (const row of withSqlite(() => between.all(since, until, Date.now()))) {
        const record = read(row);
        if (record) yield record;
      }
    },
    purge,
    close: async () => database.close(),
  };
}

type ReadRecord = (row: Record<string, unknown>) => AccessRecord | undefined;

/** Deletes the runs of a host, and what others sent to it. */
function redactTarget(database: DatabaseSync, isMeant: (name: string) => boolean, read: ReadRecord): number {
  const drop = database.prepare('DELETE FROM runs WHERE rowid = ?');
  const write = database.prepare('UPDATE runs SET contacts = ? WHERE rowid = ?');
  let changed = 0;
  for (const { place = null, ...row } of database.prepare('SELECT rowid AS place, * FROM runs').all()) {
    const record = read(row);
    const left = record && withoutHost(record, isMeant);
    if (!record || left === record) continue;
    if (left) write.run(JSON.stringify(left.contacts), place);
    else drop.run(place);
    changed += 1;
  }
  return changed;
}
