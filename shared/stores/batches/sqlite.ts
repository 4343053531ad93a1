import type { SQLInputValue } from 'node:sqlite';
import { inTransaction, openDatabase, prepareReturning, withSqlite } from '../../backends/sqlite.ts';
import {
  type Batch,
  type BatchPurge,
  type BatchStore,
  batchFields,
  noneEnded,
  readBatch,
  readBatchEnd,
  targetsOfPart,
} from '../../ports/batch-store.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { giveBack } from '../../time/give-back.ts';
import { targetMatcher } from '../reports/purge.ts';
import { openRowReader } from '../stored-row.ts';

// Whole in its third step: the first two were never in a release.
export const batchMigrations = [
  '',
  '',
  `CREATE TABLE batches (
     batchId TEXT PRIMARY KEY, account TEXT NOT NULL, "check" TEXT NOT NULL, options TEXT NOT NULL, label TEXT, maxAgeS INTEGER,
     total INTEGER NOT NULL, createdAt INTEGER NOT NULL, expiresAt INTEGER NOT NULL, endedAt INTEGER, cancelledAt INTEGER,
     running INTEGER NOT NULL, feeder TEXT, leaseUntil INTEGER NOT NULL, done INTEGER NOT NULL, refused INTEGER NOT NULL,
     failed INTEGER NOT NULL, cancelled INTEGER NOT NULL, recent INTEGER NOT NULL, recentAt INTEGER NOT NULL, bytes INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX batches_by_account ON batches (account, createdAt, batchId);
   CREATE INDEX batches_open ON batches (leaseUntil) WHERE endedAt IS NULL;
   CREATE INDEX batches_by_expiry ON batches (expiresAt);
   CREATE INDEX batches_by_end ON batches (account, endedAt) WHERE endedAt IS NOT NULL;
   CREATE INDEX batches_by_use ON batches (account, endedAt, total, done, refused, failed, cancelled, bytes);
   CREATE TABLE targets (batchId TEXT NOT NULL, part INTEGER NOT NULL, list TEXT NOT NULL, PRIMARY KEY (batchId, part)) STRICT;
   CREATE TABLE ends (
     batchId TEXT NOT NULL, "index" INTEGER NOT NULL, cursor INTEGER NOT NULL, outcome TEXT NOT NULL, reportId TEXT, problem TEXT,
     endedAt INTEGER NOT NULL, PRIMARY KEY (batchId, "index")
   ) STRICT, WITHOUT ROWID;
   CREATE UNIQUE INDEX ends_by_cursor ON ends (batchId, cursor);`,
];

/** Rows deleted in one step: ten thousand at once would hold the loop. */
const deletedAtOnce = 1000;
/** Before which every batch stands. */
const newest = { createdAt: Number.MAX_SAFE_INTEGER, batchId: '' };
const listOf = (names: readonly string[], each: (name: string) => string) => names.map(each).join(', ');

type Row = Record<string, unknown>;

type Database = ReturnType<typeof openDatabase>;
type ToBatches = (rows: readonly Row[]) => Batch[];

/** The batches of a single machine, in a file of their own. @param path of the database file, made if it is not there; ":memory:" for tests */
export function openSqliteBatches(path: string, log: Logger): BatchStore {
  const database = openDatabase(path, batchMigrations);
  database.exec('PRAGMA secure_delete = ON');
  const readRow = openRowReader(log);
  const toBatches: ToBatches = (rows) =>
    rows.flatMap((row) => {
      const read = () => readBatch({ ...row, options: JSON.parse(String(row['options'])) as unknown });
      return readRow({ kind: 'batch', id: String(row['batchId']) }, read) ?? [];
    });
  return {
    ...wholesOf(database, toBatches),
    ...listsOf(database, toBatches),
    ...endsOf(database),
    ...deletionsOf(database),
    close: async () => database.close(),
  };
}

function wholesOf(
  database: Database,
  toBatches: ToBatches,
): Pick<BatchStore, 'insert' | 'change' | 'readTargets'> {
  const insert = database.prepare(
    `INSERT INTO batches (${listOf(batchFields, (name) => `"${name}"`)}) VALUES (${listOf(batchFields, (name) => `:${name}`)})
     ON CONFLICT (batchId) DO NOTHING`,
  );
  const insertPart = database.prepare('INSERT OR IGNORE INTO targets VALUES (?, ?, ?)');
  const readPart = database.prepare('SELECT list FROM targets WHERE batchId = ? AND part = ?');
  return {
    insert: async (batch, targets) =>
      withSqlite(() =>
        inTransaction(database, () => {
          insert.run({ ...batch, options: JSON.stringify(batch.options) });
          for (let at = 0; at < targets.length; at += targetsOfPart) {
            const list = JSON.stringify(targets.slice(at, at + targetsOfPart));
            insertPart.run(batch.batchId, at / targetsOfPart, list);
          }
        }),
      ),
    async change(batchId, is, change) {
      const [where, set] = [Object.entries(is), Object.entries(change)];
      const sql = `UPDATE batches SET ${listOf(Object.keys(change), (name) => `${name} = ?`)}
        WHERE batchId = ?${where.map(([name]) => ` AND ${name} IS ?`).join('')} RETURNING *`;
      const values = [...set.map(([, value]) => value), batchId, ...where.map(([, value]) => value)];
      return withSqlite(() => toBatches(prepareReturning(database, sql)(...values))[0]);
    },
    readTargets: async (batchId, part) =>
      withSqlite(() => JSON.parse(String(readPart.get(batchId, part)?.['list'] ?? '[]')) as string[]),
  };
}

function listsOf(
  database: Database,
  toBatches: ToBatches,
): Pick<BatchStore, 'get' | 'list' | 'useOf' | 'listEnded' | 'findFree'> {
  const select = (rest: string) => {
    const statement = database.prepare(`SELECT * FROM batches WHERE ${rest}`);
    return (...values: readonly SQLInputValue[]) => withSqlite(() => toBatches(statement.all(...values)));
  };
  const one = select('batchId = ?');
  const page = select(
    'account = ? AND (createdAt, batchId) < (?, ?) ORDER BY createdAt DESC, batchId DESC LIMIT ?',
  );
  const ended = select('account = ? AND endedAt < ? ORDER BY endedAt LIMIT ?');
  const free = select('endedAt IS NULL AND leaseUntil <= ? ORDER BY leaseUntil LIMIT 1');
  const use = database.prepare(
    `SELECT IFNULL(SUM(endedAt IS NULL), 0) AS open, IFNULL(SUM(bytes), 0) AS bytes,
       IFNULL(SUM((endedAt IS NULL) * (total - done - refused - failed - cancelled)), 0) AS waiting
     FROM batches WHERE account = ?`,
  );
  return {
    get: async (batchId) => one(batchId)[0],
    list: async (account, { limit, before: { createdAt, batchId } = newest }) =>
      page(account, createdAt, batchId, limit),
    useOf: async (account) => withSqlite(() => ({ open: 0, waiting: 0, bytes: 0, ...use.get(account) })),
    listEnded: async (account, endedBefore, limit) => ended(account, endedBefore, limit),
    findFree: async (nowMs) => free(nowMs)[0],
  };
}

function endsOf(database: Database): Pick<BatchStore, 'addEnds' | 'listEnds'> {
  const add = database.prepare(
    'INSERT OR IGNORE INTO ends VALUES (:batchId, :index, :cursor, :outcome, :reportId, :problem, :endedAt)',
  );
  const count = database.prepare(
    `UPDATE batches SET ${listOf(Object.keys(noneEnded), (name) => `${name} = :${name}`)} WHERE batchId = :batchId`,
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
      withSqlite(() => list.all(batchId, after, limit).map((row) => readBatchEnd({ ...row }))),
  };
}

/** Thrown to abort the transaction; caught below. */
class Taken extends Error {}

function deletionsOf(database: Database): Pick<BatchStore, 'remove' | 'expire' | 'purge'> {
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
  /** True where there is more. */
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
      if (typeof batchId === 'string') removeSome(batchId);
      return typeof batchId === 'string';
    },
    purge: async (wish) => withSqlite(() => purge(database, wish, remove)),
  };
}

function purge(database: Database, wish: BatchPurge, remove: (batchId: string) => void): number {
  if ('target' in wish) return redactTarget(database, targetMatcher(wish.target));
  const [where, value] =
    'account' in wish ? ['account = ?', wish.account] : ['createdAt < ?', wish.madeBefore];
  const rows = database.prepare(`SELECT batchId FROM batches WHERE ${where}`).all(value);
  inTransaction(database, () => {
    for (const { batchId } of rows) remove(String(batchId));
  });
  return rows.length;
}

/** Takes a target out of all lists; its place stays, so that the others keep theirs. */
function redactTarget(database: Database, isMeant: (target: string) => boolean): number {
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
