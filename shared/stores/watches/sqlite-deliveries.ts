import type { DatabaseSync } from 'node:sqlite';
import { inTransaction, prepareReturning, withSqlite } from '../../backends/sqlite.ts';
import type { Delivery } from '../../model/watch.ts';
import type { WatchStore } from '../../ports/watch-store.ts';
import { giveBack } from '../../time/give-back.ts';
import { rowBytes } from './sqlite-schema.ts';

type DeliveryPart = Pick<
  WatchStore,
  'keepDeliveries' | 'dropEnded' | 'getDelivery' | 'listDeliveries' | 'listWaiting'
>;
type SendingPart = Pick<WatchStore, 'dueAccounts' | 'claimDeliveries' | 'settleDelivery' | 'release'>;
type ReadDelivery = (row: Record<string, unknown> | undefined) => Delivery[];

/** Deleted beside each writing: more than come with it. */
const expiredAtOnce = 200;
/** Rows changed in one step. */
const rowsOfStep = 200;

/** What watches told, in their database. @param read reads a row */
export function openSqliteDeliveries(database: DatabaseSync, read: ReadDelivery): DeliveryPart {
  const keep = database.prepare(
    `INSERT INTO deliveries (deliveryId, watchId, account, channel, createdAt, nextAttemptAt, expiresAt, waitsFor, body)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (deliveryId) DO NOTHING`,
  );
  const expire = database.prepare(
    'DELETE FROM deliveries WHERE rowid IN (SELECT rowid FROM deliveries WHERE expiresAt <= ? LIMIT ?)',
  );
  const byId = database.prepare('SELECT * FROM deliveries WHERE deliveryId = ? AND expiresAt > ?');
  const pageOf = (column: 'watchId' | 'account') =>
    database.prepare(
      `SELECT * FROM deliveries WHERE ${column} = ? AND (createdAt, deliveryId) < (?, ?) AND expiresAt > ?
       ORDER BY createdAt DESC, deliveryId DESC LIMIT ?`,
    );
  const waitingFor = database.prepare(
    'SELECT * FROM deliveries WHERE waitsFor = ? AND expiresAt > ? ORDER BY createdAt, deliveryId LIMIT ?',
  );
  const pages = { watchId: pageOf('watchId'), account: pageOf('account') };
  return {
    keepDeliveries: async (deliveries) =>
      withSqlite(() =>
        inTransaction(database, () => {
          expire.run(Date.now(), expiredAtOnce);
          for (const one of deliveries) {
            const { deliveryId, watchId, account, channel, createdAt, nextAttemptAt, expiresAt } = one;
            const times = [createdAt, nextAttemptAt, expiresAt] as const;
            keep.run(deliveryId, watchId, account, channel, ...times, one.waitsFor, JSON.stringify(one));
          }
        }),
      ),
    dropEnded: openDropEnded(database),
    getDelivery: async (deliveryId) => withSqlite(() => read(byId.get(deliveryId, Date.now()))[0]),
    listDeliveries: async (of, { limit, before }) =>
      withSqlite(() => {
        const [page, id] = 'watchId' in of ? [pages.watchId, of.watchId] : [pages.account, of.account];
        const place = [before?.createdAt ?? Number.MAX_SAFE_INTEGER, before?.id ?? ''] as const;
        return page.all(id, ...place, Date.now(), limit).flatMap(read);
      }),
    listWaiting: async (waitsFor, limit) =>
      withSqlite(() => waitingFor.all(waitsFor, Date.now(), limit).flatMap(read)),
  };
}

function openDropEnded(database: DatabaseSync): WatchStore['dropEnded'] {
  const ended = database.prepare(
    `SELECT deliveryId, LENGTH(body) + ${rowBytes} AS bytes FROM deliveries WHERE account = ? AND nextAttemptAt IS NULL AND waitsFor IS NULL
       AND isWaiting = 0 ORDER BY createdAt LIMIT ?`,
  );
  const drop = database.prepare('DELETE FROM deliveries WHERE deliveryId = ?');
  return async (account, bytes) => {
    for (let left = bytes; left > 0; await giveBack()) {
      const rows = withSqlite(() => ended.all(account, rowsOfStep));
      withSqlite(() =>
        inTransaction(database, () => {
          for (const row of rows) {
            if (left <= 0) return;
            drop.run(String(row['deliveryId']));
            left -= Number(row['bytes']);
          }
        }),
      );
      if (rows.length < rowsOfStep) return;
    }
  };
}

/** Accounts that one look passes, due or not. */
const seenAccounts = 1000;

/** The sending of what watches told. @param read reads a row */
export function openSqliteSending(database: DatabaseSync, read: ReadDelivery): SendingPart {
  const claim = prepareReturning(
    database,
    `UPDATE deliveries SET claimedUntil = ? WHERE deliveryId IN
       (SELECT deliveryId FROM deliveries WHERE channel = ? AND account = ? AND nextAttemptAt <= ? AND claimedUntil <= ?
         ORDER BY nextAttemptAt LIMIT ?)
     RETURNING *`,
  );
  const settle = database.prepare(
    'UPDATE deliveries SET claimedUntil = 0, nextAttemptAt = ?, waitsFor = ?, body = ? WHERE deliveryId = ?',
  );
  const waiting = database.prepare(
    `SELECT * FROM deliveries WHERE watchId = ? AND isWaiting = 1 AND (createdAt, deliveryId) > (?, ?) AND expiresAt > ?
     ORDER BY createdAt, deliveryId LIMIT ?`,
  );
  return {
    dueAccounts: openDueAccounts(database),
    claimDeliveries: async ({ channel, account, now, until, limit }) =>
      withSqlite(() => claim(until, channel, account, now, now, limit).flatMap(read)),
    settleDelivery: async (delivery) =>
      withSqlite(
        () =>
          void settle.run(
            delivery.nextAttemptAt,
            delivery.waitsFor,
            JSON.stringify(delivery),
            delivery.deliveryId,
          ),
      ),
    async release(watchId, now) {
      for (let last: readonly [number, string] = [0, '']; ;) {
        const rows = withSqlite(() => waiting.all(watchId, ...last, Date.now(), rowsOfStep));
        withSqlite(() =>
          inTransaction(database, () => {
            for (const one of rows.flatMap(read))
              settle.run(now, null, JSON.stringify({ ...one, nextAttemptAt: now }), one.deliveryId);
          }),
        );
        if (rows.length < rowsOfStep) return;
        last = [Number(rows.at(-1)?.['createdAt']), String(rows.at(-1)?.['deliveryId'])];
        await giveBack();
      }
    },
  };
}

function openDueAccounts(database: DatabaseSync): SendingPart['dueAccounts'] {
  // From one account to the next by the index: what an account has waiting is passed in one step.
  const accounts = database.prepare(
    `WITH RECURSIVE seen(account) AS (
       SELECT (SELECT MIN(account) FROM deliveries WHERE channel = :channel AND account > :after AND nextAttemptAt IS NOT NULL)
       UNION ALL
       SELECT (SELECT MIN(account) FROM deliveries WHERE channel = :channel AND account > seen.account AND nextAttemptAt IS NOT NULL)
       FROM seen WHERE account IS NOT NULL LIMIT ${seenAccounts}
     ) SELECT account, EXISTS (
         SELECT 1 FROM deliveries WHERE channel = :channel AND account = seen.account AND nextAttemptAt <= :now
       ) AS isDue FROM seen WHERE account IS NOT NULL`,
  );
  return async ({ channel, now, after }) =>
    withSqlite(() => {
      const seen = accounts.all({ channel, now, after });
      const due = seen.filter(({ isDue }) => isDue === 1).map(({ account }) => String(account));
      const isWhole = seen.length < seenAccounts;
      return { accounts: due, next: isWhole ? '' : String(seen.at(-1)?.['account'] ?? '') };
    });
}
