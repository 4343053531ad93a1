import { closeSync, existsSync, mkdirSync, openSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { Problem } from '../model/problem.ts';
import { ConfigError } from '../settings/config.ts';
import { noteDiskFault, watchDisk } from './disk-faults.ts';

/** The database files of a data folder; each has the end `.sqlite`. */
export const databaseNames = ['access', 'batches', 'idempotency', 'reports', 'tokens', 'watches'] as const;
export type DatabaseName = (typeof databaseNames)[number];

/** Where a database of a data folder is; ":memory:" where nothing is kept. @param folder DATA_DIR */
export function databasePath(folder: string, name: DatabaseName): string {
  return folder === ':memory:' ? folder : join(folder, `${name}.sqlite`);
}

/**
 * Opens a database file of ours, made if it is not there, and lifts it to the newest schema. Throws ConfigError where
 * DATA_DIR does not allow it, or has a file that is not ours.
 * @param path of the file; ":memory:" for tests
 * @param migrations each lifts PRAGMA user_version by one; steps are never changed, only added
 */
export function openDatabase(path: string, migrations: readonly string[]): DatabaseSync {
  try {
    if (path !== ':memory:') makeFile(path);
    const database = openAndLift(path, migrations);
    watchDisk(path, database);
    return database;
  } catch (error) {
    throw cannotOpen(path, error);
  }
}

/**
 * Makes a file of ours and its folder where they are not there. Reports may be somebody's secret: both are for this user alone. SQLite gives its
 * -wal and -shm the file's mode. Throws ConfigError where that cannot be done. @param given what the operator named the folder by
 */
export function makeFile(path: string, given = 'DATA_DIR'): void {
  try {
    makeFolder(dirname(path));
    if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
  } catch (error) {
    throw cannotOpen(path, error, given);
  }
}

function cannotOpen(path: string, error: unknown, given = 'DATA_DIR'): unknown {
  if (error instanceof ConfigError || !(error instanceof Error) || !('code' in error)) return error;
  const free = isDiskFault(error) ? `; ${freeBytesOf(path) ?? 'unknown'} bytes are free` : '';
  return new ConfigError(`${given}: ${path} cannot be made or opened (${error.message}${free})`);
}

// Not by mkdir's own "recursive": below /proc it never ends (Node 24).
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error; // another process was quicker
  }
}

/** How long a call waits for another process that holds the file; it blocks this one. */
const busyTimeoutMs = 500;

function openAndLift(path: string, migrations: readonly string[]): DatabaseSync {
  // SQLite would make it readable to all; its -wal and -shm take the mode of this file.
  if (path !== ':memory:') closeSync(openSync(path, 'a', 0o600));
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs });
  // auto_vacuum counts only before the file has its first page, and changing to WAL writes one.
  database.exec('PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;');
  database.exec('PRAGMA cache_size = -16000; PRAGMA journal_size_limit = 16777216;');
  const version = readNumber(database, 'user_version');
  if (version > migrations.length)
    throw new ConfigError(
      `DATA_DIR: ${path} was written by a newer version (schema ${version}, this one knows ${migrations.length})`,
    );
  for (const [index, sql] of migrations.entries()) {
    if (index >= version) database.exec(`BEGIN; ${sql} PRAGMA user_version = ${index + 1}; COMMIT;`);
  }
  convertOldFile(database);
  return database;
}

/** A rewrite holds up the start for about a second at this size, and needs as much room again. */
const convertLimitBytes = 268_435_456;

// A file of an earlier version cannot give space back until it is rewritten once.
function convertOldFile(database: DatabaseSync): void {
  if (readNumber(database, 'auto_vacuum') !== 0) return;
  if (readNumber(database, 'page_count') * readNumber(database, 'page_size') > convertLimitBytes) return;
  try {
    withSqlite(() => database.exec('PRAGMA auto_vacuum = INCREMENTAL; VACUUM;'));
  } catch (error) {
    if (!(error instanceof Problem)) throw error; // no room for the rewrite: the next start tries again
  }
}

/** The number that a PRAGMA of this name answers, e.g. page_count. */
export function readNumber(database: DatabaseSync, pragma: string): number {
  const row = database.prepare(`PRAGMA ${pragma}`).get() as Record<string, number>;
  return row[pragma] ?? 0;
}

/**
 * Prepares a statement that writes and gives rows: the only way to read one. `get()` of node:sqlite takes the first row, and hides a commit
 * that fails behind it; `all()` throws.
 */
export function prepareReturning(
  database: DatabaseSync,
  sql: string,
): (...values: readonly (SQLInputValue | Record<string, SQLInputValue>)[]) => Record<string, unknown>[] {
  const statement = database.prepare(sql);
  return (...values) => statement.all(...(values as SQLInputValue[]));
}

/** Does all of it or, where it throws, nothing. */
export function inTransaction(database: DatabaseSync, act: () => void): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    act();
    database.exec('COMMIT');
  } catch (error) {
    // SQLite has rolled back by itself after some failures, a full disk among them.
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

// Primary result codes (sqlite.org/rescode.html) that say something of the disk or of other processes, not of our SQL.
const busyCodes: ReadonlySet<number> = new Set([
  5 /* BUSY */, 6 /* LOCKED */, 7 /* NOMEM */, 15 /* PROTOCOL */,
]);
const diskCodes: ReadonlySet<number> = new Set([
  3 /* PERM */, 8 /* READONLY */, 10 /* IOERR */, 11 /* CORRUPT */, 13 /* FULL */, 14 /* CANTOPEN */,
  26 /* NOTADB */,
]);

/** True for an error of SQLite that lasts until somebody does something about the disk. */
export function isDiskFault(error: unknown): boolean {
  return diskCodes.has(codeOf(error));
}

/** Bytes that are free on the disk of a file; undefined for ":memory:", and where its folder is gone. */
export function freeBytesOf(path: string): number | undefined {
  if (path === ':memory:') return undefined;
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize;
  } catch {
    return undefined; // the caller reports a failure already; this only adds to it
  }
}

/** Does something with a database. A full disk or a locked file is no defect: it rises as Problem `store_unavailable`. */
export function withSqlite<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    const code = codeOf(error);
    if (!busyCodes.has(code) && !diskCodes.has(code)) throw error;
    if (diskCodes.has(code)) noteDiskFault(error as Error);
    throw new Problem(
      'store_unavailable',
      'Reports cannot be read or kept just now. Ask again in a few seconds.',
      { retryAfterS: 5, cause: error },
    );
  }
}

// The primary code is the low byte of the extended one. 0 for what is no error of SQLite.
function codeOf(error: unknown): number {
  const { code, errcode = 0 } = (error ?? {}) as { readonly code?: string; readonly errcode?: number };
  return code === 'ERR_SQLITE_ERROR' ? errcode & 0xff : 0;
}
