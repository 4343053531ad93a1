import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { backup as copyPages, DatabaseSync } from 'node:sqlite';
import { lockDataFolder } from '#shared/backends/data-lock';
import {
  type DatabaseName,
  databaseNames,
  databasePath,
  makeFile,
  readNumber,
} from '#shared/backends/sqlite';
import { type Config, ConfigError, readConfig } from '#shared/settings/config';
import { accessMigrations } from '#shared/stores/access/sqlite';
import { batchMigrations } from '#shared/stores/batches/sqlite';
import { idempotencyMigrations } from '#shared/stores/idempotency/sqlite';
import { reportMigrations } from '#shared/stores/reports/sqlite-schema';
import { tokenMigrations } from '#shared/stores/tokens/sqlite';
import { watchMigrations } from '#shared/stores/watches/sqlite-schema';
import { say, show } from './door.ts';
import { UsageError } from './outcome.ts';

const migrations: { readonly [Name in DatabaseName]: readonly string[] } = {
  access: accessMigrations,
  batches: batchMigrations,
  idempotency: idempotencyMigrations,
  reports: reportMigrations,
  tokens: tokenMigrations,
  watches: watchMigrations,
};

/** A command of `diag` that writes to a file holds it for milliseconds. */
const busyTimeoutMs = 5000;
/** All pages in one step: a copy made in several begins anew whenever the service writes between two of them. */
const allPages = 0x7fff_ffff;

/**
 * Copies every database of DATA_DIR into a new folder, beside a running service: each file as it is at one moment, complete and checked, or
 * none. @param folder that the copies are put into; it must not exist, or be empty
 */
export async function backup(folder: string): Promise<void> {
  const from = dataFolder(readConfig());
  const names = databasesIn(from);
  if (names.length === 0) throw new UsageError(`DATA_DIR (${from}) has no databases. Nothing was copied.`);
  if (filesOf(folder).length > 0)
    throw new UsageError(`${folder} is not empty. Name a new folder for each backup.`);
  await copyAll(names, from, folder);
  say(show`${names.length} databases copied to ${folder}: ${names.join(', ')}`);
}

/**
 * Puts the databases of a backup into DATA_DIR. What was there is moved into a folder beside them. Throws ConfigError, and changes nothing,
 * where a service uses DATA_DIR, or a copy is damaged or from a newer version. @param folder that `backup` made
 */
export async function restore(folder: string): Promise<void> {
  const to = dataFolder(readConfig());
  const names = databasesIn(folder);
  if (names.length === 0)
    throw new UsageError(`${folder} has no databases. Name a folder that diag backup made.`);
  const unlock = lockDataFolder(to);
  try {
    for (const name of names) await checkCopy(databasePath(folder, name), name);
    let kept: string | undefined;
    await copyAll(names, folder, to, () => {
      kept = moveAway(to);
    });
    say(show`${names.length} databases restored to ${to}: ${names.join(', ')}`);
    if (kept !== undefined)
      say(show`What was there is in ${kept}. Delete that folder when you no longer need it.`);
  } finally {
    unlock();
  }
}

function dataFolder({ DATA_DIR, MONGODB_URL }: Config): string {
  if (MONGODB_URL !== undefined)
    throw new UsageError(
      'MONGODB_URL is set: reports are in MongoDB. Use mongodump and mongorestore (docs/data.md, "Backup and restore").',
    );
  if (DATA_DIR === ':memory:') throw new UsageError('DATA_DIR is ":memory:": there are no files.');
  return DATA_DIR;
}

/** The files of a folder; none where it is not there. Throws UsageError for what is no folder, or may not be read. */
function filesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return [];
    throw new UsageError(`${folder} is no folder that can be read (${message})`);
  }
}

function databasesIn(folder: string): readonly DatabaseName[] {
  const files = new Set(filesOf(folder));
  const unknown = [...files].find(
    (file) => file.endsWith('.sqlite') && !['lock', ...databaseNames].includes(file.slice(0, -7)),
  );
  if (unknown !== undefined)
    throw new ConfigError(`${join(folder, unknown)} is of a newer version. Use that version of diag.`);
  return databaseNames.filter((name) => files.has(`${name}.sqlite`));
}

/** Copies databases from one folder to another, in which they appear when all are there. @param makeRoom called just before they appear */
async function copyAll(
  names: readonly DatabaseName[],
  from: string,
  to: string,
  makeRoom?: () => void,
): Promise<void> {
  const unfinished = join(to, 'unfinished');
  rmSync(unfinished, { recursive: true, force: true });
  try {
    for (const name of names) await copyDatabase(databasePath(from, name), databasePath(unfinished, name));
    makeRoom?.();
    for (const name of names) renameSync(databasePath(unfinished, name), databasePath(to, name));
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

async function copyDatabase(from: string, to: string): Promise<void> {
  makeFile(to, 'copy');
  await withFile(from, (database) => copyPages(database, to, { rate: allPages }));
  await withFile(to, (database) => {
    // With a journal of its own kind a file can be read where nothing can be written; the service changes it back.
    database.exec('PRAGMA journal_mode = DELETE');
    checkPages(database, to);
  });
}

function checkCopy(path: string, name: DatabaseName): Promise<void> {
  const known = migrations[name].length;
  return withFile(path, (database) => {
    const version = readNumber(database, 'user_version');
    if (version > known)
      throw new ConfigError(
        `${path} was written by a newer version (schema ${version}, this one knows ${known}). Restore it with that version.`,
      );
    checkPages(database, path);
  });
}

function checkPages(database: DatabaseSync, path: string): void {
  const [found] = database.prepare('PRAGMA quick_check(1)').all();
  if (found?.['quick_check'] !== 'ok')
    throw new ConfigError(`${path} is damaged (${String(found?.['quick_check'])})`);
}

/** Opens a file for one act. What SQLite cannot do with it is a matter of the disk or of the file. */
async function withFile<T>(path: string, act: (database: DatabaseSync) => T | Promise<T>): Promise<T> {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { timeout: busyTimeoutMs });
    return await act(database);
  } catch (error) {
    if ((error as { readonly code?: string }).code !== 'ERR_SQLITE_ERROR') throw error;
    throw new ConfigError(`${path} cannot be copied (${(error as Error).message})`);
  } finally {
    database?.close();
  }
}

/** @returns the folder that now has the databases; undefined where there were none */
function moveAway(folder: string): string | undefined {
  const files = readdirSync(folder).filter((file) =>
    databaseNames.some((name) => file.startsWith(`${name}.sqlite`)),
  );
  if (files.length === 0) return undefined;
  const kept = join(folder, `before-restore-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`);
  mkdirSync(kept, { mode: 0o700 });
  for (const file of files) renameSync(join(folder, file), join(kept, file));
  return kept;
}
