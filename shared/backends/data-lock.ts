import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ConfigError } from '../settings/config.ts';
import { makeFile } from './sqlite.ts';

/** A service that is just ending lets go within this. */
const waitMs = 500;

/**
 * Takes a data folder for this process alone: a second service would double its queue, slots and paces. It is held by an open transaction of a
 * database of its own, and the kernel gives it back with the process, however that ends. Commands of `diag` beside a service take nothing.
 * @param folder DATA_DIR; nothing is taken of ":memory:"
 * @returns what lets go of it. Throws ConfigError where another process has it.
 */
export function lockDataFolder(folder: string): () => void {
  if (folder === ':memory:') return () => undefined;
  const path = join(folder, 'lock.sqlite');
  makeFile(path);
  const database = new DatabaseSync(path, { timeout: waitMs });
  try {
    // Nothing is written, so there is no journal that a killed process could leave.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE;');
  } catch (error) {
    database.close();
    throw new ConfigError(
      `DATA_DIR: another service uses ${folder}. Stop it, or give each service a folder of its own; several processes of one service need REDIS_URL and MONGODB_URL (${(error as Error).message})`,
    );
  }
  return () => database.close();
}
