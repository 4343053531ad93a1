/** What an account keeps stands beside it, and is never counted anew: the triggers see every change. */
const tables = ['watches', 'targets', 'deliveries'] as const;

/** About what a row takes beside its body. */
export const rowBytes = 300;

function triggersOf(table: string): string {
  const change = (row: 'OLD' | 'NEW', sign: '+' | '-') =>
    `UPDATE kept SET bytes = bytes ${sign} (LENGTH(${row}.body) + ${rowBytes}) WHERE account = ${row}.account;`;
  return `CREATE TRIGGER ${table}_made AFTER INSERT ON ${table} BEGIN
     INSERT INTO kept SELECT NEW.account, 0 WHERE NOT EXISTS (SELECT 1 FROM kept WHERE account = NEW.account);
     ${change('NEW', '+')}
   END;
   CREATE TRIGGER ${table}_changed AFTER UPDATE OF body ON ${table} BEGIN ${change('OLD', '-')} ${change('NEW', '+')} END;
   CREATE TRIGGER ${table}_gone AFTER DELETE ON ${table} BEGIN
     ${change('OLD', '-')}
     DELETE FROM kept WHERE account = OLD.account AND bytes <= 0;
   END;`;
}

/** The database of watches; each step lifts it to the next schema. Whole in its sixth, that of 0.3.0: the five before were in no release. */
export const watchMigrations = [
  ...Array.from({ length: 5 }, () => ''),
  `CREATE TABLE watches (
     watchId TEXT PRIMARY KEY, account TEXT NOT NULL, createdAt INTEGER NOT NULL, isPaused INTEGER NOT NULL, body TEXT NOT NULL,
     rate TEXT NOT NULL DEFAULT '', targetCount INTEGER NOT NULL DEFAULT 0, isWhole INTEGER NOT NULL DEFAULT 1
   ) STRICT;
   CREATE INDEX watches_by_account ON watches (account, createdAt, watchId);
   CREATE INDEX watches_by_active ON watches (isPaused, account);
   CREATE INDEX watches_by_rate ON watches (account, isPaused, rate, targetCount);
   CREATE INDEX watches_unfinished ON watches (createdAt) WHERE isWhole = 0;
   CREATE TABLE gone (watchId TEXT PRIMARY KEY) STRICT;
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
     nextAttemptAt INTEGER, claimedUntil INTEGER NOT NULL DEFAULT 0, expiresAt INTEGER NOT NULL, body TEXT NOT NULL,
     channel TEXT NOT NULL DEFAULT 'webhook', waitsFor TEXT, isWaiting INTEGER GENERATED ALWAYS AS
     (nextAttemptAt IS NULL AND json_extract(body, '$.state') = 'pending' AND json_extract(body, '$.channel') = 'webhook') VIRTUAL
   ) STRICT;
   CREATE INDEX deliveries_by_turn ON deliveries (channel, account, nextAttemptAt) WHERE nextAttemptAt IS NOT NULL;
   CREATE INDEX deliveries_by_watch ON deliveries (watchId, createdAt, deliveryId);
   CREATE INDEX deliveries_by_account ON deliveries (account, createdAt, deliveryId);
   CREATE INDEX deliveries_by_expiry ON deliveries (expiresAt);
   CREATE INDEX deliveries_by_wait ON deliveries (waitsFor, createdAt, deliveryId) WHERE waitsFor IS NOT NULL;
   CREATE INDEX deliveries_waiting ON deliveries (watchId, createdAt, deliveryId) WHERE isWaiting = 1;
   CREATE TABLE links (account TEXT PRIMARY KEY, feed TEXT NOT NULL UNIQUE, calendar TEXT NOT NULL UNIQUE) STRICT;
   CREATE TABLE mailboxes (
     mailboxId TEXT PRIMARY KEY, account TEXT NOT NULL, body TEXT NOT NULL
   ) STRICT;
   CREATE INDEX mailboxes_by_account ON mailboxes (account);
   CREATE TABLE stops (digest TEXT PRIMARY KEY, at INTEGER NOT NULL, isOn INTEGER NOT NULL) STRICT;
   CREATE TABLE taken (name TEXT PRIMARY KEY, count INTEGER NOT NULL, until INTEGER NOT NULL) STRICT;
   CREATE INDEX taken_by_end ON taken (until);
   CREATE TABLE kept (account TEXT PRIMARY KEY, bytes INTEGER NOT NULL) STRICT, WITHOUT ROWID;
   ${tables.map(triggersOf).join(' ')}`,
  `ALTER TABLE mailboxes ADD COLUMN mailedAt INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE mailboxes ADD COLUMN lookAt INTEGER NOT NULL DEFAULT 0;
   CREATE INDEX mailboxes_by_look ON mailboxes (lookAt);
   CREATE INDEX deliveries_ended ON deliveries (account, createdAt) WHERE nextAttemptAt IS NULL AND waitsFor IS NULL;
   INSERT INTO kept SELECT account, SUM(LENGTH(body) + ${rowBytes}) AS bytes FROM mailboxes WHERE true GROUP BY account
     ON CONFLICT (account) DO UPDATE SET bytes = bytes + excluded.bytes;
   ${triggersOf('mailboxes')}`,
];
