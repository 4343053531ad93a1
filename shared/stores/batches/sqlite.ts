import type { DatabaseSync } from 'node:sqlite';
import { inTransaction, openDatabase, withSqlite } from '../../backends/sqlite.ts';
import {
  type Batch,
  type BatchEnd,
  type BatchStore,
  noneEnded,
  readBatch,
  readBatchEnd,
  targetsOfPart,
} from '../../ports/batch-store.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { targetMatcher } from '../reports/purge.ts';
import { openRowReader } from '../stored-row.ts';

const migrations = [
  `CREATE TABLE batches (
     batchId TEXT PRIMARY KEY, account TEXT NOT NULL, "check" TEXT NOT NULL, options TEXT NOT NULL, label TEXT, maxAgeS INTEGER,
     total INTEGER NOT NULL, createdAt INTEGER NOT NULL, expiresAt INTEGER NOT NULL, endedAt INTEGER, cancelledAt INTEGER,
     running INTEGER NOT NULL, feeder TEXT, leaseUntil INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX batches_by_account ON batches (account, createdAt, batchId);
   CREATE INDEX batches_open ON batches (leaseUntil) WHERE endedAt IS NULL;
   CREATE INDEX batches_by_expiry ON batches (expiresAt);
   CREATE TABLE targets (batchId TEXT NOT NULL, part INTEGER NOT NULL, list TEXT NOT NULL, PRIMARY KEY (batchId, part)) STRICT;
   CREATE TABLE ends (
     batchId TEXT NOT NULL, "index" INTEGER NOT NULL, cursor INTEGER NOT NULL, outcome TEXT NOT NULL, reportId TEXT, problem TEXT,
     endedAt INTEGER NOT NULL, PRIMARY KEY (batchId, "index")
   ) STRICT, WITHOUT ROWID;
   CREATE UNIQUE INDEX ends_by_cursor ON ends (batchId, cursor);`,
];

/** Rows deleted in one step of expiry. */
const expiredAtOnce = 1000;

/** The batches of a single machine, in a file of their own. @param path of the database file, made if it is not there; ":memory:" for tests */
export function openSqliteBatches(path: string, log: Logger): BatchStore {
  const database = openDatabase(path, migrations);
  database.exec('PRAGMA secure_delete = ON');
  const toBatch = openBatchReader(log);
  return {
    ...batchesOf(database, toBatch),
    ...leasesOf(database, toBatch),
    ...endsOf(database),
    ...deletionsOf(database),
    close: async () => database.close(),
  };
}

type Row = Record<string, unknown>;
type ReadRow = (row: Row | undefined) => Batch | undefined;

function openBatchReader(log: Logger): ReadRow {
  const readRow = openRowReader(log);
  return (row) =>
    row &&
    readRow({ kind: 'batch', id: String(row['batchId']) }, () =>
      readBatch({ ...row, options: JSON.parse(String(row['options'])) as unknown }),
    );
}

function batchesOf(
  database: DatabaseSync,
  toBatch: ReadRow,
): Pick<BatchStore, 'insert' | 'get' | 'list' | 'listOpen' | 'cancel' | 'readTargets'> {
  const insert = database.prepare(
    `INSERT OR IGNORE INTO batches VALUES (:batchId, :account, :check, :options, :label, :maxAgeS, :total, :createdAt, :expiresAt, :endedAt,
       :cancelledAt, :running, NULL, :leaseUntil)`,
  );
  const insertPart = database.prepare('INSERT OR IGNORE INTO targets VALUES (?, ?, ?)');
  const get = database.prepare('SELECT * FROM batches WHERE batchId = ?');
  const list = database.prepare(
    `SELECT * FROM batches WHERE account = :account AND (createdAt, batchId) < (:createdAt, :batchId)
     ORDER BY createdAt DESC, batchId DESC LIMIT :limit`,
  );
  const listOpen = database.prepare(
    'SELECT * FROM batches WHERE account = ? AND endedAt IS NULL ORDER BY createdAt, batchId',
  );
  const cancel = database.prepare(
    'UPDATE batches SET cancelledAt = ? WHERE batchId = ? AND endedAt IS NULL AND cancelledAt IS NULL',
  );
  const readPart = database.prepare('SELECT list FROM targets WHERE batchId = ? AND part = ?');
  const toBatches = (rows: readonly Row[]) => rows.flatMap((row) => toBatch(row) ?? []);
  return {
    insert: async (batch, targets) =>
      withSqlite(() =>
        inTransaction(database, () => {
          insert.run({ ...batch, options: JSON.stringify(batch.options) });
          for (let at = 0; at < targets.length; at += targetsOfPart)
            insertPart.run(
              batch.batchId,
              at / targetsOfPart,
              JSON.stringify(targets.slice(at, at + targetsOfPart)),
            );
        }),
      ),
    get: async (batchId) => withSqlite(() => toBatch(get.get(batchId))),
    list: async (account, { limit, before: { createdAt, batchId } = newest }) =>
      withSqlite(() => toBatches(list.all({ account, limit, createdAt, batchId }))),
    listOpen: async (account) => withSqlite(() => toBatches(listOpen.all(account))),
    cancel: async (batchId, at) => withSqlite(() => void cancel.run(at, batchId)),
    readTargets: async (batchId, part) =>
      withSqlite(() => JSON.parse(String(readPart.get(batchId, part)?.['list'] ?? '[]')) as string[]),
  };
}

/** Before which every batch stands. */
const newest = { createdAt: Number.MAX_SAFE_INTEGER, batchId: '' };

function leasesOf(
  database: DatabaseSync,
  toBatch: ReadRow,
): Pick<BatchStore, 'claim' | 'renew' | 'release' | 'finish'> {
  const claim = database.prepare(
    `UPDATE batches SET feeder = :feeder, leaseUntil = :until WHERE batchId =
       (SELECT batchId FROM batches WHERE endedAt IS NULL AND leaseUntil <= :nowMs ORDER BY leaseUntil LIMIT 1) RETURNING *`,
  );
  const renew = database.prepare(
    'UPDATE batches SET leaseUntil = :until, running = :running WHERE batchId = :batchId AND feeder = :feeder AND endedAt IS NULL RETURNING *',
  );
  const release = database.prepare(
    'UPDATE batches SET leaseUntil = 0, running = 0, feeder = NULL WHERE batchId = :batchId AND feeder = :feeder',
  );
  const finish = database.prepare(
    'UPDATE batches SET endedAt = ?, running = 0 WHERE batchId = ? AND endedAt IS NULL',
  );
  return {
    claim: async (feeder, nowMs, until) => withSqlite(() => toBatch(claim.get({ feeder, nowMs, until }))),
    renew: async (lease, until, running) =>
      withSqlite(() => toBatch(renew.get({ ...lease, until, running }))),
    release: async (lease) => withSqlite(() => void release.run({ ...lease })),
    finish: async (batchId, at) => withSqlite(() => void finish.run(at, batchId)),
  };
}

/** Rolls a transaction back without being an error of anybody. */
class Taken extends Error {}

function endsOf(database: DatabaseSync): Pick<BatchStore, 'tally' | 'readEnded' | 'addEnds' | 'listEnds'> {
  const tally = database.prepare(
    'SELECT outcome, COUNT(*) AS ended, SUM(endedAt > ?) AS recent FROM ends WHERE batchId = ? GROUP BY outcome',
  );
  const indexes = database.prepare('SELECT "index" FROM ends WHERE batchId = ?');
  const last = database.prepare('SELECT MAX(cursor) AS cursor FROM ends WHERE batchId = ?');
  const add = database.prepare(
    'INSERT OR IGNORE INTO ends VALUES (:batchId, :index, :cursor, :outcome, :reportId, :problem, :endedAt)',
  );
  const list = database.prepare(
    'SELECT * FROM ends WHERE batchId = ? AND cursor > ? ORDER BY cursor LIMIT ?',
  );
  return {
    tally: async (batchId, since) =>
      withSqlite(() => {
        const rows = tally.all(since, batchId) as { outcome: string; ended: number; recent: number }[];
        const counts = Object.fromEntries(rows.map(({ outcome, ended }) => [outcome, ended]));
        return { ...noneEnded, ...counts, recent: rows.reduce((sum, { recent }) => sum + recent, 0) };
      }),
    readEnded: async (batchId) =>
      withSqlite(() => ({
        indexes: indexes.all(batchId).map((row) => Number(row['index'])),
        lastCursor: Number(last.get(batchId)?.['cursor'] ?? 0),
      })),
    addEnds: async (batchId, ends) =>
      withSqlite(() => {
        try {
          inTransaction(database, () => {
            for (const end of ends) if (add.run({ batchId, ...end }).changes === 0) throw new Taken();
          });
          return true;
        } catch (error) {
          if (error instanceof Taken) return false;
          throw error;
        }
      }),
    listEnds: async (batchId, after, limit) =>
      withSqlite(() => list.all(batchId, after, limit).map((row): BatchEnd => readBatchEnd({ ...row }))),
  };
}

function deletionsOf(database: DatabaseSync): Pick<BatchStore, 'remove' | 'expire' | 'purge'> {
  const expired = database.prepare('SELECT batchId FROM batches WHERE expiresAt <= ? LIMIT 1');
  const dropSome = database.prepare(
    'DELETE FROM ends WHERE (batchId, "index") IN (SELECT batchId, "index" FROM ends WHERE batchId = ? LIMIT ?)',
  );
  const drops = ['ends', 'targets', 'batches'].map((table) =>
    database.prepare(`DELETE FROM ${table} WHERE batchId = ?`),
  );
  const remove = (batchId: string) => {
    for (const drop of drops) drop.run(batchId);
  };
  return {
    remove: async (batchId) => withSqlite(() => inTransaction(database, () => remove(batchId))),
    expire: async (nowMs) =>
      withSqlite(() => {
        const batchId = expired.get(nowMs)?.['batchId'];
        if (typeof batchId !== 'string') return;
        // Ten thousand rows at once would hold the loop.
        if (Number(dropSome.run(batchId, expiredAtOnce).changes) < expiredAtOnce) remove(batchId);
      }),
    purge: async (wish) =>
      withSqlite(() => {
        if ('target' in wish) return strike(database, targetMatcher(wish.target));
        const [where, value] =
          'account' in wish ? ['account = ?', wish.account] : ['createdAt < ?', wish.madeBefore];
        const rows = database.prepare(`SELECT batchId FROM batches WHERE ${where}`).all(value);
        inTransaction(database, () => {
          for (const { batchId } of rows) remove(String(batchId));
        });
        return rows.length;
      }),
  };
}

/** Takes a target out of all lists; its place stays, so that the others keep theirs. */
function strike(database: DatabaseSync, isMeant: (target: string) => boolean): number {
  const write = database.prepare('UPDATE targets SET list = ? WHERE batchId = ? AND part = ?');
  const changed = new Set<unknown>();
  for (const { batchId = null, part = null, list } of database.prepare('SELECT * FROM targets').all()) {
    const targets = JSON.parse(String(list)) as readonly string[];
    if (!targets.some(isMeant)) continue;
    write.run(JSON.stringify(targets.map((target) => (isMeant(target) ? '' : target))), batchId, part);
    changed.add(batchId);
  }
  return changed.size;
}
