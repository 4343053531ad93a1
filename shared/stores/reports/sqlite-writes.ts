import type { DatabaseSync } from 'node:sqlite';
import { freeBytesOf, isDiskFault, withSqlite } from '../../backends/sqlite.ts';
import { Problem } from '../../model/problem.ts';
import type { Logger } from '../../telemetry/logger.ts';

/** Where `tryWrite` writes. */
export const writesMigration = 'CREATE TABLE written (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT;';

/** The only way to write into a database: knows whether its disk takes writes. */
export type Writes = {
  /** Does something that writes. Rejects with Problem `store_unavailable` where the disk is full or broken, or the file is locked. */
  write<T>(act: () => T): T;
  /** The Problem of the disk, from the first write that failed until writing works again. */
  fault(): Problem | undefined;
  /** Writes a little. True, or in a few words why that cannot be done. */
  tryWrite(): true | string;
  close(): void;
};

const retryMs = 1000;
/** Larger than nearly every report: what has room for this has room for the next ones. */
const retryBytes = 262_144;

/** Watches what is written into a database. @param path of its file; the log tells how much is free there */
export function openWrites(database: DatabaseSync, path: string, log: Logger): Writes {
  const put = database.prepare('INSERT OR REPLACE INTO written (id, bytes) VALUES (1, zeroblob(?))');
  let fault: { readonly problem: Problem; readonly at: number; readonly timer: NodeJS.Timeout } | undefined;
  const retry = () => {
    try {
      withSqlite(() => {
        // What the log of writes holds of the disk may be all that is missing.
        database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
        put.run(retryBytes);
        put.run(0);
      });
    } catch (error) {
      // A Problem was told when it began.
      if (!(error instanceof Problem)) log.error({ err: error }, 'a trial write failed');
      return;
    }
    if (!fault) return;
    clearInterval(fault.timer);
    log.info(
      { forMs: Math.round(performance.now() - fault.at), freeBytes: freeBytesOf(path) },
      'reports can be written again',
    );
    fault = undefined;
  };
  const note = (problem: Problem) => {
    if (fault || !isDiskFault(problem.cause)) return;
    log.error({ err: problem.cause, freeBytes: freeBytesOf(path) }, 'reports cannot be written');
    fault = { problem, at: performance.now(), timer: setInterval(retry, retryMs).unref() };
  };
  const write = <T>(act: () => T): T => {
    try {
      return withSqlite(act);
    } catch (error) {
      if (error instanceof Problem) note(error);
      throw error;
    }
  };
  return {
    write,
    fault: () => fault?.problem,
    tryWrite() {
      try {
        if (!fault) write(() => put.run(0));
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        return wordsOf(error);
      }
      return fault ? wordsOf(fault.problem) : true;
    },
    close: () => clearInterval(fault?.timer),
  };
}

function wordsOf({ cause }: Problem): string {
  return `reports cannot be written (${cause instanceof Error ? cause.message : 'no reason given'})`;
}
