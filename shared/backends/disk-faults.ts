import { basename } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';

/** A database file of this process. */
type Opened = { readonly path: string; readonly database: DatabaseSync };
/** Told when the first file cannot be written, and when all can again. */
type Listener = (fault: DiskFault | undefined) => void;

export type DiskFault = { readonly file: string; readonly cause: Error };

const tryEveryMs = 1000;

const opened = new Set<Opened>();
const listeners = new Set<Listener>();
let fault: (DiskFault & { readonly timer: NodeJS.Timeout }) | undefined;

/** From now on this file is tried where a disk does not take writes. */
export function watchDisk(path: string, database: DatabaseSync): void {
  if (path !== ':memory:') opened.add({ path, database });
}

/** Notes that a database could not be written, or read, because of its disk; from then on all files are tried each second until they can be. */
export function noteDiskFault(cause: Error): void {
  if (fault) return;
  const found = tryAll();
  // What went wrong is over by now, or was of a database in memory.
  if (!found && opened.size > 0) return;
  const timer = setInterval(look, tryEveryMs).unref();
  fault = { file: 'DATA_DIR', cause, ...found, timer };
  for (const listener of listeners) listener(fault);
}

/** True, or which file of DATA_DIR cannot be written and why. */
export function diskState(): true | string {
  return fault ? `${fault.file} cannot be written (${fault.cause.message})` : true;
}

/** Hears of each change. */
export function onDiskFault(listener: Listener): void {
  listeners.add(listener);
}

function look(): void {
  if (tryAll()) return;
  clearInterval(fault?.timer);
  fault = undefined;
  for (const listener of listeners) listener(undefined);
}

/** Writes a page of each file. Undefined where all take it. */
function tryAll(): DiskFault | undefined {
  for (const one of opened) {
    const { path, database } = one;
    if (!database.isOpen) {
      opened.delete(one);
      continue;
    }
    try {
      if (!database.isTransaction) writePage(database);
    } catch (error) {
      return { file: basename(path), cause: error as Error };
    }
  }
  return undefined;
}

/** Larger than what most writes need, so that what has room for this has room for them. */
const pieceBytes = 65_536;

// What the log of writes holds of the disk may be all that is missing.
function writePage(database: DatabaseSync): void {
  try {
    database.exec(
      `PRAGMA wal_checkpoint(TRUNCATE);
       BEGIN IMMEDIATE; CREATE TABLE room (piece BLOB); INSERT INTO room VALUES (zeroblob(${pieceBytes})); DROP TABLE room; COMMIT;`,
    );
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}
