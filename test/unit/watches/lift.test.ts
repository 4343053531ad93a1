import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, test } from 'vitest';
import { openSqliteWatchStore } from '#shared/stores/watches/sqlite';
import { deliveryOf, watchOf } from '../../contract/watch-store.contract.ts';

const log = { error: console.error, warn: () => undefined, info: () => undefined, debug: () => undefined };
const folder = mkdtempSync(join(tmpdir(), 'diag-watches-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** What the file was in 0.2.0. */
const first = `CREATE TABLE watches (
     watchId TEXT PRIMARY KEY, account TEXT NOT NULL, createdAt INTEGER NOT NULL, isPaused INTEGER NOT NULL, body TEXT NOT NULL
   ) STRICT;
   CREATE INDEX watches_by_account ON watches (account, createdAt, watchId);
   CREATE TABLE targets (
     watchId TEXT NOT NULL, target TEXT NOT NULL, account TEXT NOT NULL, host TEXT NOT NULL, dueAt INTEGER NOT NULL,
     isActive INTEGER NOT NULL, claimedUntil INTEGER NOT NULL DEFAULT 0, body TEXT NOT NULL,
     PRIMARY KEY (watchId, target)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE deliveries (
     deliveryId TEXT PRIMARY KEY, watchId TEXT NOT NULL, account TEXT NOT NULL, createdAt INTEGER NOT NULL,
     nextAttemptAt INTEGER, claimedUntil INTEGER NOT NULL DEFAULT 0, expiresAt INTEGER NOT NULL, body TEXT NOT NULL
   ) STRICT;
   CREATE INDEX deliveries_by_attempt ON deliveries (nextAttemptAt) WHERE nextAttemptAt IS NOT NULL;
   CREATE TABLE links (account TEXT PRIMARY KEY, feed TEXT NOT NULL UNIQUE, calendar TEXT NOT NULL UNIQUE) STRICT;
   PRAGMA user_version = 2;`;

test('watches of an older file are summed up, and what they had to send is sent', async () => {
  const path = join(folder, 'watches.sqlite');
  const old = new DatabaseSync(path);
  old.exec(first);
  const rate = { check: 'dns-check', options: { selectors: ['a', 'ü'] }, everySeconds: 60 };
  const watch = watchOf({ ...rate, targetCount: 3 });
  const { waitsFor: _waitsFor, ...delivery } = deliveryOf(watch, { nextAttemptAt: 5 });
  const { watchId, account, createdAt } = watch;
  old
    .prepare('INSERT INTO watches VALUES (?, ?, ?, 0, ?)')
    .run(watchId, account, createdAt, JSON.stringify(watch));
  old
    .prepare('INSERT INTO deliveries VALUES (?, ?, ?, 1, 5, 0, ?, ?)')
    .run(delivery.deliveryId, watchId, account, delivery.expiresAt, JSON.stringify(delivery));
  old.close();
  const store = openSqliteWatchStore(path, log);
  const rates = async () => (await store.ratesOf(account, { after: '', limit: 9 })).rates;
  expect(await rates()).toEqual([{ ...rate, targetCount: 3 }]);
  const bytes = JSON.stringify(watch).length + JSON.stringify(delivery).length;
  expect(await store.bytesOf(account)).toBeGreaterThan(bytes);
  // The same text as that of a watch that is kept now: it is one sum.
  const second = watchOf({ ...rate, account, targetCount: 4 });
  await store.create(second, []);
  expect(await rates()).toEqual([{ ...rate, targetCount: 7 }]);
  const due = { channel: 'webhook', account, now: 10, until: 20, limit: 5 } as const;
  expect(await store.claimDeliveries(due)).toEqual([{ ...delivery, waitsFor: null }]);
  await store.close();
});
