import type { DatabaseSync } from 'node:sqlite';
import { inTransaction, openDatabase, prepareReturning, withSqlite } from '../../backends/sqlite.ts';
import { readMailbox } from '../../model/mailbox.ts';
import {
  rateTextOf,
  readDelivery,
  readWatch,
  readWatchTarget,
  type Watch,
  type WatchTarget,
} from '../../model/watch.ts';
import type { Links, WatchStore } from '../../ports/watch-store.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { giveBack } from '../../time/give-back.ts';
import { openRowReader } from '../stored-row.ts';
import { openSqliteDeliveries, openSqliteSending } from './sqlite-deliveries.ts';
import { openSqliteMail } from './sqlite-mail.ts';
import { watchMigrations } from './sqlite-schema.ts';
import { openSqliteSums } from './sqlite-sums.ts';

/** Rows read or written in one step. */
const rowsOfStep = 200;
/** A watch whose targets are still being written is not left over. */
const unfinishedMs = 600_000;

/** The watches of a single machine, in a file of their own. @param path of the database file; ":memory:" for tests */
export function openSqliteWatchStore(path: string, log: Logger): WatchStore {
  const database = openDatabase(path, watchMigrations);
  database.exec('PRAGMA secure_delete = ON');
  const readRow = openRowReader(log);
  const read =
    <T>(kind: string, parse: (row: unknown) => T) =>
    (row: Record<string, unknown> | undefined): T[] => {
      if (row === undefined) return [];
      const id = String(row['watchId'] ?? row['deliveryId'] ?? row['mailboxId']);
      const found = readRow({ kind, id }, () => parse(JSON.parse(String(row['body']))));
      return found === undefined ? [] : [found];
    };
  return {
    ...openWatches(database, read('watch', readWatch)),
    ...openTargets(database, read('watched target', readWatchTarget)),
    ...openSqliteDeliveries(database, read('delivery', readDelivery)),
    ...openSqliteSending(database, read('delivery', readDelivery)),
    ...openTurns(database, read('watched target', readWatchTarget)),
    ...openPages(database, read('watch', readWatch)),
    ...openLinks(database),
    ...openSqliteSums(database),
    ...openSqliteMail(database, read('mailbox', readMailbox)),
    purge: async (wish) => withSqlite(() => purge(database, wish)),
    close: async () => database.close(),
  };
}

type ReadRows<T> = (row: Record<string, unknown> | undefined) => T[];
type WatchPart = Pick<WatchStore, 'create' | 'get' | 'change' | 'remove' | 'sweep'>;

function openWatches(database: DatabaseSync, read: ReadRows<Watch>): WatchPart {
  const put = database.prepare(
    `INSERT INTO watches (watchId, account, createdAt, isPaused, rate, targetCount, isWhole, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (watchId) DO UPDATE SET isPaused = excluded.isPaused, rate = excluded.rate, targetCount = excluded.targetCount,
       isWhole = excluded.isWhole, body = excluded.body`,
  );
  const keep = (watch: Watch) =>
    put.run(
      watch.watchId,
      watch.account,
      watch.createdAt,
      watch.pausedReason === null ? 0 : 1,
      rateTextOf(watch),
      watch.targetCount,
      watch.isWhole ? 1 : 0,
      JSON.stringify(watch),
    );
  const byId = database.prepare('SELECT * FROM watches WHERE watchId = ? AND isWhole = 1');
  const putTargets = openPutTargets(database);
  return {
    async create(watch, targets) {
      if (withSqlite(() => byId.get(watch.watchId))) return;
      withSqlite(() => keep({ ...watch, isWhole: false }));
      await putTargets(targets);
      // Readers see it from here on.
      withSqlite(() => keep({ ...watch, isWhole: true }));
    },
    get: async (watchId) => withSqlite(() => read(byId.get(watchId))[0]),
    change: async (watchId, change) =>
      withSqlite(() => {
        let changed: Watch | undefined;
        inTransaction(database, () => {
          const [watch] = read(byId.get(watchId));
          if (watch) keep((changed = change(watch)));
        });
        return changed;
      }),
    ...openRemoval(database),
  };
}

function openRemoval(database: DatabaseSync): Pick<WatchStore, 'remove' | 'sweep'> {
  const drop = database.prepare('DELETE FROM watches WHERE watchId = ?');
  const note = database.prepare('INSERT INTO gone VALUES (?) ON CONFLICT DO NOTHING');
  const forget = database.prepare('DELETE FROM gone WHERE watchId = ?');
  const left = database.prepare(
    `SELECT watchId FROM gone UNION ALL SELECT watchId FROM watches WHERE isWhole = 0 AND createdAt < ? LIMIT 1`,
  );
  const dropRest = [
    'DELETE FROM targets WHERE (watchId, target) IN (SELECT watchId, target FROM targets WHERE watchId = ? LIMIT ?)',
    'DELETE FROM deliveries WHERE rowid IN (SELECT rowid FROM deliveries WHERE watchId = ? LIMIT ?)',
  ].map((sql) => database.prepare(sql));
  /** Deletes what stands beside a watch that is gone. */
  const removeRest = async (watchId: string) => {
    for (const statement of dropRest)
      while (withSqlite(() => Number(statement.run(watchId, rowsOfStep).changes)) === rowsOfStep)
        await giveBack();
    withSqlite(() => forget.run(watchId));
  };
  const remove = async (watchId: string) => {
    withSqlite(() =>
      inTransaction(database, () => {
        drop.run(watchId);
        note.run(watchId);
      }),
    );
    await removeRest(watchId);
  };
  return {
    remove,
    async sweep(now) {
      const watchId = withSqlite(() => left.get(now - unfinishedMs)?.['watchId']);
      if (typeof watchId !== 'string') return false;
      await remove(watchId);
      return true;
    },
  };
}

function openPages(
  database: DatabaseSync,
  read: ReadRows<Watch>,
): Pick<WatchStore, 'list' | 'activeAccounts'> {
  const page = database.prepare(
    `SELECT * FROM watches WHERE account = ? AND (createdAt, watchId) < (?, ?) AND isWhole = 1
     ORDER BY createdAt DESC, watchId DESC LIMIT ?`,
  );
  // From one account to the next by the index: an account may have thousands of watches, and this is asked every few seconds.
  const accounts = database.prepare(
    `WITH RECURSIVE active(account) AS (
       SELECT MIN(account) FROM watches WHERE isPaused = 0
       UNION ALL
       SELECT (SELECT MIN(account) FROM watches WHERE isPaused = 0 AND account > active.account)
       FROM active WHERE account IS NOT NULL
     ) SELECT account FROM active WHERE account IS NOT NULL UNION SELECT account FROM links`,
  );
  return {
    list: async (account, { limit, before }) =>
      withSqlite(() =>
        page
          .all(account, before?.createdAt ?? Number.MAX_SAFE_INTEGER, before?.id ?? '', limit)
          .flatMap(read),
      ),
    activeAccounts: async () => withSqlite(() => accounts.all().map(({ account }) => String(account))),
  };
}

/** Makes what keeps targets, so many in each turn of the event loop; those that are there stay as they are. */
function openPutTargets(
  database: DatabaseSync,
): (targets: readonly WatchTarget[], isAnew?: boolean) => Promise<void> {
  const insert = `INSERT INTO targets (watchId, target, account, host, dueAt, isActive, body) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (watchId, target)`;
  const put = database.prepare(`${insert} DO NOTHING`);
  const putAnew = database.prepare(
    `${insert} DO UPDATE SET dueAt = excluded.dueAt, isActive = excluded.isActive, claimedUntil = 0, body = excluded.body`,
  );
  return async (targets, isAnew = false) => {
    const putOne = (target: WatchTarget) => {
      const { watchId, target: name, account, host, dueAt, isActive } = target;
      (isAnew ? putAnew : put).run(
        watchId,
        name,
        account,
        host,
        dueAt,
        isActive ? 1 : 0,
        JSON.stringify(target),
      );
    };
    for (let at = 0; at < targets.length; at += rowsOfStep) {
      withSqlite(() => inTransaction(database, () => targets.slice(at, at + rowsOfStep).forEach(putOne)));
      await giveBack();
    }
  };
}

type TargetPart = Pick<WatchStore, 'listTargets' | 'setTargets' | 'schedule'>;
type TurnPart = Pick<WatchStore, 'dueOf' | 'claimTargets' | 'settleTarget'>;

function openTargets(database: DatabaseSync, read: ReadRows<WatchTarget>): TargetPart {
  const page = database.prepare(
    'SELECT * FROM targets WHERE watchId = ? AND target > ? ORDER BY target LIMIT ?',
  );
  const move = database.prepare(
    'UPDATE targets SET dueAt = ?, isActive = ?, claimedUntil = 0, body = ? WHERE watchId = ? AND target = ?',
  );
  const putTargets = openPutTargets(database);
  const drop = database.prepare('DELETE FROM targets WHERE watchId = ? AND target = ?');
  /** Goes through the targets of a watch in the order of their names, a step in each turn of the event loop. */
  const eachStep = async (watchId: string, act: (rows: readonly Record<string, unknown>[]) => void) => {
    for (let after = ''; ;) {
      const rows = withSqlite(() => page.all(watchId, after, rowsOfStep));
      withSqlite(() => inTransaction(database, () => act(rows)));
      if (rows.length < rowsOfStep) return;
      after = String(rows.at(-1)?.['target']);
      await giveBack();
    }
  };
  return {
    listTargets: async (watchId, { limit, after = '' }) =>
      withSqlite(() => page.all(watchId, after, limit).flatMap(read)),
    async setTargets(watchId, targets, isAnew) {
      const wanted = new Set(targets.map(({ target }) => target));
      await eachStep(watchId, (rows) => {
        for (const { target } of rows) if (!wanted.has(String(target))) drop.run(watchId, String(target));
      });
      await putTargets(targets, isAnew);
    },
    schedule: (watchId, isActive, dueAtOf) =>
      eachStep(watchId, (rows) => {
        for (const target of rows.flatMap(read)) {
          const dueAt = dueAtOf?.(target) ?? target.dueAt;
          const moved = { ...target, dueAt, isActive };
          move.run(dueAt, isActive ? 1 : 0, JSON.stringify(moved), watchId, target.target);
        }
      }),
  };
}

function openTurns(database: DatabaseSync, read: ReadRows<WatchTarget>): TurnPart {
  const late = database.prepare(
    'SELECT COUNT(*) AS count FROM targets WHERE watchId = ? AND isActive = 1 AND dueAt < ?',
  );
  const next = database.prepare(
    'SELECT MIN(dueAt) AS nextAt FROM targets WHERE watchId = ? AND isActive = 1',
  );
  const claim = prepareReturning(
    database,
    `UPDATE targets SET claimedUntil = ? WHERE (watchId, target) IN
       (SELECT watchId, target FROM targets WHERE isActive = 1 AND dueAt <= ? AND claimedUntil <= ? ORDER BY dueAt LIMIT ?)
     RETURNING *`,
  );
  const settle = database.prepare(
    `UPDATE targets SET claimedUntil = 0, dueAt = ?, body = ? WHERE watchId = ? AND target = ? AND claimedUntil = ?`,
  );
  return {
    dueOf: async (watchId, lateBefore) =>
      withSqlite(() => ({
        late: Number(late.get(watchId, lateBefore)?.['count'] ?? 0),
        nextAt: (next.get(watchId)?.['nextAt'] ?? null) as number | null,
      })),
    claimTargets: async ({ now, until, limit }) =>
      withSqlite(() => claim(until, now, now, limit).flatMap(read)),
    settleTarget: async (target, claimedUntil) =>
      withSqlite(() => {
        const { watchId, target: name, dueAt } = target;
        return settle.run(dueAt, JSON.stringify(target), watchId, name, claimedUntil).changes === 1;
      }),
  };
}

function openLinks(database: DatabaseSync): Pick<WatchStore, 'setLinks' | 'findLink'> {
  const drop = database.prepare('DELETE FROM links WHERE account = ?');
  const put = database.prepare('INSERT INTO links (account, feed, calendar) VALUES (?, ?, ?)');
  const find = {
    feed: database.prepare('SELECT account FROM links WHERE feed = ?'),
    calendar: database.prepare('SELECT account FROM links WHERE calendar = ?'),
  };
  return {
    setLinks: async (account: string, links: Links | undefined) =>
      withSqlite(() =>
        inTransaction(database, () => {
          drop.run(account);
          if (links) put.run(account, links.feed, links.calendar);
        }),
      ),
    findLink: async (kind, digest) =>
      withSqlite(() => find[kind].get(digest)?.['account'] as string | undefined),
  };
}

function purge(database: DatabaseSync, wish: Parameters<WatchStore['purge']>[0]): number {
  let deleted = 0;
  const run = (sql: string, ...values: string[]) => {
    const changes = Number(database.prepare(sql).run(...values).changes);
    if (/FROM (watches|targets)/.test(sql)) deleted += changes;
  };
  inTransaction(database, () => {
    if ('account' in wish) {
      for (const table of ['watches', 'targets', 'deliveries', 'mailboxes', 'links'])
        run(`DELETE FROM ${table} WHERE account = ?`, wish.account);
      return;
    }
    for (const { watchId, target } of database.prepare('SELECT watchId, target FROM targets').all())
      if (wish.isMeant(String(target)))
        run('DELETE FROM targets WHERE watchId = ? AND target = ?', String(watchId), String(target));
    for (const { deliveryId, body } of database.prepare('SELECT deliveryId, body FROM deliveries').all()) {
      const { target } = JSON.parse(String(body)) as { readonly target?: string | null };
      if (typeof target === 'string' && wish.isMeant(target))
        run('DELETE FROM deliveries WHERE deliveryId = ?', String(deliveryId));
    }
    run(
      'DELETE FROM watches WHERE NOT EXISTS (SELECT 1 FROM targets WHERE targets.watchId = watches.watchId)',
    );
  });
  return deleted;
}
