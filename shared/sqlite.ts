import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ConfigError } from './config.ts';
import { Problem } from './model/problem.ts';

/**
 * Opens a database file of ours, made if it is not there, and lifts it to the newest schema. Throws ConfigError where
 * DATA_DIR does not allow it, or has a file that is not ours.
 * @param path of the file; ":memory:" for tests
 * @param migrations each lifts PRAGMA user_version by one; steps are never changed, only added
 */
export function openDatabase(path: string, migrations: readonly string[]): DatabaseSync {
  try {
    if (path !== ':memory:') makeFolder(dirname(path));
    return openAndLift(path, migrations);
  } catch (error) {
    if (error instanceof ConfigError || !(error instanceof Error) || !('code' in error)) throw error;
    throw new ConfigError(`DATA_DIR: ${path} cannot be made or opened (${error.message})`);
  }
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

function openAndLift(path: string, migrations: readonly string[]): DatabaseSync {
  // SQLite would make it readable to all; its -wal and -shm take the mode of this file.
  if (path !== ':memory:') closeSync(openSync(path, 'a', 0o600));
  const database = new DatabaseSync(path, { timeout: 1000 });
  database.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -16000; PRAGMA auto_vacuum = INCREMENTAL;',
  );
  const { user_version: version } = database.prepare('PRAGMA user_version').get() as { user_version: number };
  if (version > migrations.length)
    throw new ConfigError(
      `DATA_DIR: ${path} was written by a newer version (schema ${version}, this one knows ${migrations.length})`,
    );
  for (const [index, sql] of migrations.entries()) {
    if (index >= version) database.exec(`BEGIN; ${sql} PRAGMA user_version = ${index + 1}; COMMIT;`);
  }
  return database;
}

/** Does something with a database. A full disk or a locked file is no defect: it rises as Problem `store_unavailable`. */
export function withSqlite<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof Error) || (error as { code?: string }).code !== 'ERR_SQLITE_ERROR') throw error;
    throw new Problem(
      'store_unavailable',
      'Reports cannot be read or kept just now. Ask again in a few seconds.',
      { retryAfterS: 5, cause: error },
    );
  }
}
