import { inTransaction, openDatabase, withSqlite } from '../../backends/sqlite.ts';
import {
  type Begun,
  type IdempotencyStore,
  judgeKept,
  type KeptKey,
  keyKeptMs,
} from '../../ports/idempotency.ts';

export const idempotencyMigrations = [
  `CREATE TABLE keys (
     account TEXT NOT NULL, key TEXT NOT NULL, digest TEXT NOT NULL, resourceId TEXT NOT NULL, kept TEXT, begunAt INTEGER NOT NULL,
     PRIMARY KEY (account, key)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX keys_by_age ON keys (begunAt);`,
];

/** Deleted beside each new one: more than come with it. */
const expiredAtOnce = 50;

/** The keys of a single machine, in a file of their own. @param path of the database file, made if it is not there; ":memory:" for tests */
export function openSqliteIdempotency(path: string): IdempotencyStore {
  const database = openDatabase(path, idempotencyMigrations);
  const find = database.prepare(
    'SELECT digest, resourceId, kept, begunAt FROM keys WHERE account = ? AND key = ? AND begunAt > ?',
  );
  const take = database.prepare(
    `INSERT INTO keys (account, key, digest, resourceId, kept, begunAt) VALUES (?, ?, ?, ?, NULL, ?)
     ON CONFLICT DO UPDATE SET digest = excluded.digest, resourceId = excluded.resourceId, kept = NULL, begunAt = excluded.begunAt`,
  );
  const expire = database.prepare(
    'DELETE FROM keys WHERE (account, key) IN (SELECT account, key FROM keys WHERE begunAt <= ? LIMIT ?)',
  );
  const finish = database.prepare('UPDATE keys SET kept = ? WHERE account = ? AND key = ? AND digest = ?');
  const abandon = database.prepare(
    'DELETE FROM keys WHERE account = ? AND key = ? AND digest = ? AND kept IS NULL',
  );
  const purge = database.prepare('DELETE FROM keys WHERE account = ?');
  return {
    begin: async (request, resourceId, nowMs) =>
      withSqlite(() => {
        const { account, key, digest } = request;
        let begun: Begun | undefined;
        inTransaction(database, () => {
          const known = find.get(account, key, nowMs - keyKeptMs) as KeptKey | undefined;
          begun = known && judgeKept(known, request, nowMs);
          if (begun) return;
          const id = known?.resourceId ?? resourceId;
          take.run(account, key, digest, id, nowMs);
          expire.run(nowMs - keyKeptMs, expiredAtOnce);
          begun = { state: 'new', resourceId: id };
        });
        return begun ?? { state: 'in-progress' };
      }),
    finish: async ({ account, key, digest }, kept) =>
      withSqlite(() => void finish.run(kept, account, key, digest)),
    abandon: async ({ account, key, digest }) => withSqlite(() => void abandon.run(account, key, digest)),
    purge: async (account) => withSqlite(() => Number(purge.run(account).changes)),
    close: async () => database.close(),
  };
}
