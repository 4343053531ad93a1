import type { DatabaseSync } from 'node:sqlite';
import { inTransaction, openDatabase, withSqlite } from '../../backends/sqlite.ts';
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
import { openRowReader } from '../stored-row.ts';
import { openSqliteDeliveries, openSqliteSending } from './sqlite-deliveries.ts';
import { openSqliteMail } from './sqlite-mail.ts';
import { openSqliteSums } from './sqlite-sums.ts';

const migrations = [
  `CREATE TABLE watches (
     watchId TEXT PRIMARY KEY, account TEXT NOT NULL, createdAt INTEGER NOT NULL, isPaused INTEGER NOT NULL, body TEXT NOT NULL
   ) STRICT;
   CREATE INDEX watches_by_account ON watches (account, createdAt, watchId);
   CREATE TABLE targets (
     watchId TEXT NOT NULL, target TEXT NOT NULL, account TEXT NOT NULL, host TEXT NOT NULL, dueAt INTEGER NOT NULL,
     isActive INTEGER NOT NULL, claimedUntil INTEGER NOT NULL DEFAULT 0, body TEXT NOT NULL,
     PRIMARY KEY (watchId, target)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX targets_by_due ON targets (isActive, dueAt);
   CREATE INDEX targets_of_watch_by_due ON targets (watchId, isActive, dueAt);
   CREATE INDEX targets_by_account ON targets (account, host);
   CREATE TABLE deliveries (
     deliveryId TEXT PRIMARY KEY, watchId TEXT NOT NULL, account TEXT NOT NULL, createdAt INTEGER NOT NULL,
     nextAttemptAt INTEGER, claimedUntil INTEGER NOT NULL DEFAULT 0, expiresAt INTEGER NOT NULL, body TEXT NOT NULL
   ) STRICT;
   CREATE INDEX deliveries_by_attempt ON deliveries (nextAttemptAt) WHERE nextAttemptAt IS NOT NULL;
   CREATE INDEX deliveries_by_watch ON deliveries (watchId, createdAt, deliveryId);
   CREATE INDEX deliveries_by_account ON deliveries (account, createdAt, deliveryId);
   CREATE INDEX deliveries_by_expiry ON deliveries (expiresAt);
   CREATE TABLE links (account TEXT PRIMARY KEY, feed TEXT NOT NULL UNIQUE, calendar TEXT NOT NULL UNIQUE) STRICT;`,
  'CREATE INDEX watches_by_active ON watches (isPaused, account);',
  `ALTER TABLE deliveries ADD COLUMN channel TEXT NOT NULL DEFAULT 'webhook';
   DROP INDEX deliveries_by_attempt;
   CREATE INDEX deliveries_by_turn ON deliveries (channel, account, nextAttemptAt) WHERE nextAttemptAt IS NOT NULL;`,
  `ALTER TABLE deliveries ADD COLUMN waitsFor TEXT;
   CREATE INDEX deliveries_by_wait ON deliveries (waitsFor, createdAt, deliveryId) WHERE waitsFor IS NOT NULL;
   CREATE TABLE mailboxes (mailboxId TEXT PRIMARY KEY, account TEXT NOT NULL, body TEXT NOT NULL) STRICT;
   CREATE INDEX mailboxes_by_account ON mailboxes (account);
   CREATE TABLE stops (digest TEXT PRIMARY KEY, at INTEGER NOT NULL, isOn INTEGER NOT NULL) STRICT;
   CREATE TABLE taken (name TEXT PRIMARY KEY, count INTEGER NOT NULL, until INTEGER NOT NULL) STRICT;
   CREATE INDEX taken_by_end ON taken (until);`,
  `ALTER TABLE watches ADD COLUMN rate TEXT NOT NULL DEFAULT '';
   ALTER TABLE watches ADD COLUMN targetCount INTEGER NOT NULL DEFAULT 0;
   UPDATE watches SET targetCount = json_extract(body, '$.targetCount'),
     rate = json_array(json_extract(body, '$.check'), json(json_extract(body, '$.options')), json_extract(body, '$.everySeconds'));
   CREATE INDEX watches_by_rate ON watches (account, isPaused, rate, targetCount);`,
];

/** The watches of a single machine, in a file of their own. @param path of the database file; ":memory:" for tests */
export function openSqliteWatchStore(path: string, log: Logger): WatchStore {
  const database = openDatabase(path, migrations);
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
type WatchPart = Pick<WatchStore, 'create' | 'get' | 'change' | 'remove'>;

function openWatches(database: DatabaseSync, read: ReadRows<Watch>): WatchPart {
  const put = database.prepare(
    `INSERT INTO watches (watchId, account, createdAt, isPaused, rate, targetCount, body) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (watchId) DO UPDATE SET
       isPaused = excluded.isPaused, rate = excluded.rate, targetCount = excluded.targetCount, body = excluded.body`,
  );
  const keep = (watch: Watch) =>
    put.run(
      watch.watchId,
      watch.account,
      watch.createdAt,
      watch.pausedReason === null ? 0 : 1,
      rateTextOf(watch),
      watch.targetCount,
      JSON.stringify(watch),
    );
  const byId = database.prepare('SELECT * FROM watches WHERE watchId = ?');
  const putTarget = openPutTarget(database);
  return {
    create: async (watch, targets) =>
      withSqlite(() =>
        inTransaction(database, () => {
          if (byId.get(watch.watchId)) return;
          keep({ ...watch, isWhole: true });
          for (const target of targets) putTarget(target);
        }),
      ),
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
    remove: async (watchId) =>
      withSqlite(() =>
        inTransaction(database, () => {
          for (const table of ['watches', 'targets', 'deliveries'])
            database.prepare(`DELETE FROM ${table} WHERE watchId = ?`).run(watchId);
        }),
      ),
  };
}

function openPages(
  database: DatabaseSync,
  read: ReadRows<Watch>,
): Pick<WatchStore, 'list' | 'activeAccounts'> {
  const page = database.prepare(
    `SELECT * FROM watches WHERE account = ? AND (createdAt, watchId) < (?, ?)
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

function openPutTarget(database: DatabaseSync): (target: WatchTarget) => void {
  const put = database.prepare(
    `INSERT INTO targets (watchId, target, account, host, dueAt, isActive, body) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (watchId, target) DO NOTHING`,
  );
  return (target) => {
    const { watchId, target: name, account, host, dueAt, isActive } = target;
    put.run(watchId, name, account, host, dueAt, isActive ? 1 : 0, JSON.stringify(target));
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
  const putTarget = openPutTarget(database);
  const drop = database.prepare('DELETE FROM targets WHERE watchId = ? AND target = ?');
  const all = database.prepare('SELECT * FROM targets WHERE watchId = ?');
  return {
    listTargets: async (watchId, { limit, after = '' }) =>
      withSqlite(() => page.all(watchId, after, limit).flatMap(read)),
    setTargets: async (watchId, targets) =>
      withSqlite(() =>
        inTransaction(database, () => {
          const wanted = new Set(targets.map(({ target }) => target));
          for (const { target } of all.all(watchId))
            if (!wanted.has(String(target))) drop.run(watchId, String(target));
          for (const target of targets) putTarget(target);
        }),
      ),
    schedule: async (watchId, isActive, dueAtOf) =>
      withSqlite(() =>
        inTransaction(database, () => {
          for (const target of all.all(watchId).flatMap(read)) {
            const dueAt = dueAtOf?.(target) ?? target.dueAt;
            const moved = { ...target, dueAt, isActive };
            move.run(dueAt, isActive ? 1 : 0, JSON.stringify(moved), watchId, target.target);
          }
        }),
      ),
  };
}

function openTurns(database: DatabaseSync, read: ReadRows<WatchTarget>): TurnPart {
  const late = database.prepare(
    'SELECT COUNT(*) AS count FROM targets WHERE watchId = ? AND isActive = 1 AND dueAt < ?',
  );
  const next = database.prepare(
    'SELECT MIN(dueAt) AS nextAt FROM targets WHERE watchId = ? AND isActive = 1',
  );
  const claim = database.prepare(
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
      withSqlite(() => claim.all(until, now, now, limit).flatMap(read)),
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
