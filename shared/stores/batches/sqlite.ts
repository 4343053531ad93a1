import type { DatabaseSync } from 'node:sqlite';
import { inTransaction, openDatabase, prepareReturning, withSqlite } from '../../backends/sqlite.ts';
import {
  type Batch,
  type BatchEnd,
  type BatchStore,
  type BatchUse,
  readBatch,
  readBatchEnd,
  targetsOfPart,
} from '../../ports/batch-store.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { giveBack } from '../../time/give-back.ts';
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
  // What an account has is kept beside its batches, and never counted anew: the triggers see every change, expiry and purges too.
  `${['done', 'refused', 'failed', 'cancelled', 'recent', 'recentAt', 'bytes']
    .map((name) => `ALTER TABLE batches ADD COLUMN ${name} INTEGER NOT NULL DEFAULT 0;`)
    .join(' ')}
   UPDATE batches SET (done, refused, failed, cancelled) =
     (SELECT TOTAL(outcome = 'done'), TOTAL(outcome = 'refused'), TOTAL(outcome = 'failed'), TOTAL(outcome = 'cancelled')
      FROM ends WHERE ends.batchId = batches.batchId);
   UPDATE batches SET bytes = 4096 + (SELECT TOTAL(LENGTH(list)) FROM targets WHERE targets.batchId = batches.batchId)
     + (SELECT TOTAL(200 + IFNULL(LENGTH(problem), 0)) FROM ends WHERE ends.batchId = batches.batchId);
   CREATE INDEX batches_by_end ON batches (account, endedAt) WHERE endedAt IS NOT NULL;
   CREATE TABLE uses (account TEXT PRIMARY KEY, open INTEGER NOT NULL, waiting INTEGER NOT NULL, bytes INTEGER NOT NULL) STRICT, WITHOUT ROWID;
   INSERT INTO uses SELECT account, SUM(endedAt IS NULL), SUM((endedAt IS NULL) * (total - done - refused - failed - cancelled)), SUM(bytes)
     FROM batches GROUP BY account;
   CREATE TRIGGER batch_made AFTER INSERT ON batches BEGIN
     INSERT INTO uses SELECT NEW.account, 0, 0, 0 WHERE NOT EXISTS (SELECT 1 FROM uses WHERE account = NEW.account);
     UPDATE uses SET ${changeOf('NEW', '+')} WHERE account = NEW.account;
   END;
   CREATE TRIGGER batch_changed AFTER UPDATE OF endedAt, done, refused, failed, cancelled ON batches BEGIN
     UPDATE uses SET ${changeOf('OLD', '-')} WHERE account = OLD.account;
     UPDATE uses SET ${changeOf('NEW', '+')} WHERE account = NEW.account;
   END;
   CREATE TRIGGER batch_gone AFTER DELETE ON batches BEGIN
     UPDATE uses SET ${changeOf('OLD', '-')} WHERE account = OLD.account;
     DELETE FROM uses WHERE account = OLD.account AND bytes <= 0;
   END;`,
];

/** @param row of a trigger */
function changeOf(row: 'OLD' | 'NEW', sign: '+' | '-'): string {
  const isOpen = `(${row}.endedAt IS NULL)`;
  const waiting = `${row}.total - ${row}.done - ${row}.refused - ${row}.failed - ${row}.cancelled`;
  return `open = open ${sign} ${isOpen}, waiting = waiting ${sign} ${isOpen} * (${waiting}), bytes = bytes ${sign} ${row}.bytes`;
}

/** Rows deleted in one step. */
const deletedAtOnce = 1000;

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
): Pick<BatchStore, 'insert' | 'get' | 'list' | 'useOf' | 'listEnded' | 'cancel' | 'readTargets'> {
  const insert = database.prepare(
    `INSERT INTO batches (batchId, account, "check", options, label, maxAgeS, total, createdAt, expiresAt, endedAt, cancelledAt, running, leaseUntil,
       bytes, done, refused, failed, cancelled, recent, recentAt)
     VALUES (:batchId, :account, :check, :options, :label, :maxAgeS, :total, :createdAt, :expiresAt, :endedAt, :cancelledAt, :running, :leaseUntil,
       :bytes, :done, :refused, :failed, :cancelled, :recent, :recentAt) ON CONFLICT (batchId) DO NOTHING`,
  );
  const insertPart = database.prepare('INSERT OR IGNORE INTO targets VALUES (?, ?, ?)');
  const get = database.prepare('SELECT * FROM batches WHERE batchId = ?');
  const list = database.prepare(
    `SELECT * FROM batches WHERE account = :account AND (createdAt, batchId) < (:createdAt, :batchId)
     ORDER BY createdAt DESC, batchId DESC LIMIT :limit`,
  );
  const use = database.prepare('SELECT open, waiting, bytes FROM uses WHERE account = ?');
  const listEnded = database.prepare(
    'SELECT * FROM batches WHERE account = ? AND endedAt < ? ORDER BY endedAt LIMIT ?',
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
    useOf: async (account) => withSqlite(() => ({ ...none, ...use.get(account) })),
    listEnded: async (account, endedBefore, limit) =>
      withSqlite(() => toBatches(listEnded.all(account, endedBefore, limit))),
    cancel: async (batchId, at) => withSqlite(() => void cancel.run(at, batchId)),
    readTargets: async (batchId, part) =>
      withSqlite(() => JSON.parse(String(readPart.get(batchId, part)?.['list'] ?? '[]')) as string[]),
  };
}

const none: BatchUse = { open: 0, waiting: 0, bytes: 0 };
/** Before which every batch stands. */
const newest = { createdAt: Number.MAX_SAFE_INTEGER, batchId: '' };

function leasesOf(
  database: DatabaseSync,
  toBatch: ReadRow,
): Pick<BatchStore, 'claim' | 'renew' | 'release' | 'finish'> {
  const claim = prepareReturning(
    database,
    `UPDATE batches SET feeder = :token, leaseUntil = :until WHERE batchId =
       (SELECT batchId FROM batches WHERE endedAt IS NULL AND leaseUntil <= :nowMs ORDER BY leaseUntil LIMIT 1) RETURNING *`,
  );
  const isHeld = 'batchId = :batchId AND feeder = :token AND endedAt IS NULL';
  const renew = prepareReturning(
    database,
    `UPDATE batches SET leaseUntil = :until, running = :running WHERE ${isHeld} RETURNING *`,
  );
  const release = database.prepare(
    'UPDATE batches SET leaseUntil = 0, running = 0, feeder = NULL WHERE batchId = :batchId AND feeder = :token',
  );
  const finish = database.prepare(`UPDATE batches SET endedAt = :at, running = 0 WHERE ${isHeld}`);
  return {
    claim: async (token, nowMs, until) => withSqlite(() => toBatch(claim({ token, nowMs, until })[0])),
    renew: async (lease, until, running) => withSqlite(() => toBatch(renew({ ...lease, until, running })[0])),
    release: async (lease) => withSqlite(() => void release.run({ ...lease })),
    finish: async (lease, at) => withSqlite(() => void finish.run({ ...lease, at })),
  };
}

/** Rolls a transaction back without being an error of anybody. */
class Taken extends Error {}

function endsOf(database: DatabaseSync): Pick<BatchStore, 'addEnds' | 'listEnds'> {
  const add = database.prepare(
    'INSERT OR IGNORE INTO ends VALUES (:batchId, :index, :cursor, :outcome, :reportId, :problem, :endedAt)',
  );
  const count = database.prepare(
    `UPDATE batches SET done = :done, refused = :refused, failed = :failed, cancelled = :cancelled, recent = :recent, recentAt = :recentAt
     WHERE batchId = :batchId`,
  );
  const list = database.prepare(
    'SELECT * FROM ends WHERE batchId = ? AND cursor > ? ORDER BY cursor LIMIT ?',
  );
  return {
    addEnds: async (batchId, ends, tally) =>
      withSqlite(() => {
        try {
          inTransaction(database, () => {
            for (const end of ends) if (add.run({ batchId, ...end }).changes === 0) throw new Taken();
            count.run({ batchId, ...tally });
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
  /** True where there is more: ten thousand rows at once would hold the loop. */
  const removeSome = (batchId: string): boolean =>
    withSqlite(() => {
      if (Number(dropSome.run(batchId, deletedAtOnce).changes) === deletedAtOnce) return true;
      inTransaction(database, () => remove(batchId));
      return false;
    });
  return {
    async remove(batchId) {
      while (removeSome(batchId)) await giveBack();
    },
    async expire(nowMs) {
      const batchId = withSqlite(() => expired.get(nowMs)?.['batchId']);
      if (typeof batchId !== 'string') return false;
      removeSome(batchId);
      return true;
    },
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
