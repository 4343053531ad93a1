import type { DatabaseSync } from 'node:sqlite';
import { openDatabase, withSqlite } from '../../backends/sqlite.ts';
import { mostSessions, readToken, type Token, type TokenStore } from '../../ports/token-store.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { openRowReader } from '../stored-row.ts';

export const tokenMigrations = [
  `CREATE TABLE tokens (
     tokenId TEXT PRIMARY KEY, account TEXT NOT NULL, name TEXT NOT NULL, digest TEXT NOT NULL UNIQUE, hint TEXT NOT NULL,
     scopes TEXT NOT NULL, limits TEXT NOT NULL,
     createdAt INTEGER NOT NULL, expiresAt INTEGER, revokedAt INTEGER, lastUsedAt INTEGER
   ) STRICT;`,
  `CREATE TABLE sessions (digest TEXT PRIMARY KEY, tokenId TEXT NOT NULL, endsAt INTEGER NOT NULL) STRICT;`,
];

/** Thousands of requests a second need not ask the file each. */
const trustMs = 5;

/**
 * The tokens of a single machine, in a file of their own: its `data_version` moves when the command line writes to it
 * (sqlite.org/pragma.html), so a revoked token is known at once and an unchanged file is never read twice.
 * @param path of the database file, made if it is not there; ":memory:" for tests
 */
export function openSqliteTokenStore(path: string, log: Logger): TokenStore {
  const toToken = openTokenReader(log);
  const database = openDatabase(path, tokenMigrations);
  const insert = database.prepare(
    `INSERT INTO tokens (tokenId, account, name, digest, hint, scopes, limits, createdAt, expiresAt, revokedAt, lastUsedAt)
     VALUES (:tokenId, :account, :name, :digest, :hint, :scopes, :limits, :createdAt, :expiresAt, :revokedAt, :lastUsedAt)`,
  );
  const find = database.prepare('SELECT * FROM tokens WHERE digest = ?');
  const byId = database.prepare('SELECT * FROM tokens WHERE tokenId = ?');
  const list = database.prepare('SELECT * FROM tokens ORDER BY createdAt DESC, tokenId');
  const revoke = database.prepare(
    'UPDATE tokens SET revokedAt = MIN(COALESCE(revokedAt, :at), :at) WHERE tokenId = :tokenId',
  );
  const touch = database.prepare('UPDATE tokens SET lastUsedAt = ? WHERE tokenId = ?');
  const dataVersion = database.prepare('PRAGMA data_version');
  let ownChanges = 0;
  let seen = { at: Number.NEGATIVE_INFINITY, version: 0 };
  const readVersion = () => {
    const now = performance.now();
    if (now - seen.at > trustMs)
      seen = { at: now, version: (dataVersion.get() as { data_version: number }).data_version };
    return seen.version;
  };
  return {
    insert: async ({ scopes, limits, ...token }) =>
      withSqlite(() => {
        insert.run({ ...token, scopes: JSON.stringify(scopes), limits: JSON.stringify(limits) });
        ownChanges += 1;
      }),
    find: async (digest) => withSqlite(() => toToken(find.get(digest))),
    list: async () => withSqlite(() => list.all().flatMap((row) => toToken(row) ?? [])),
    revoke: async (tokenId, at) =>
      withSqlite(() => {
        revoke.run({ tokenId, at });
        ownChanges += 1;
        return toToken(byId.get(tokenId));
      }),
    touch: async (tokenId, at) => withSqlite(() => void touch.run(at, tokenId)),
    ...sessionsOf(database, toToken),
    version: () => readVersion() + ownChanges,
    async close() {
      database.close();
    },
  };
}

type ReadRow = (row: Record<string, unknown> | undefined) => Token | undefined;

function sessionsOf(
  database: DatabaseSync,
  toToken: ReadRow,
): Pick<TokenStore, 'startSession' | 'findBySession' | 'endSession'> {
  const insert = database.prepare(
    'INSERT INTO sessions (digest, tokenId, endsAt) VALUES (:digest, :tokenId, :endsAt)',
  );
  const drop = database.prepare(
    `DELETE FROM sessions WHERE endsAt <= :now OR digest IN
       (SELECT digest FROM sessions WHERE tokenId = :tokenId ORDER BY endsAt DESC LIMIT -1 OFFSET :most)`,
  );
  const find = database.prepare(
    'SELECT tokens.* FROM sessions JOIN tokens USING (tokenId) WHERE sessions.digest = ? AND endsAt > ?',
  );
  const end = database.prepare('DELETE FROM sessions WHERE digest = ?');
  return {
    startSession: async (session, now) =>
      withSqlite(() => {
        drop.run({ now, tokenId: session.tokenId, most: mostSessions - 1 });
        insert.run(session);
      }),
    findBySession: async (digest, now) => withSqlite(() => toToken(find.get(digest, now))),
    endSession: async (digest) => withSqlite(() => void end.run(digest)),
  };
}

function openTokenReader(log: Logger): (row: Record<string, unknown> | undefined) => Token | undefined {
  const readRow = openRowReader(log);
  return (row) =>
    row &&
    readRow({ kind: 'token', id: String(row['tokenId']) }, () =>
      readToken({
        ...row,
        scopes: JSON.parse(String(row['scopes'])),
        limits: JSON.parse(String(row['limits'])),
      }),
    );
}
