import type { DatabaseSync } from 'node:sqlite';
import { inTransaction, readNumber } from '../../backends/sqlite.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { type Failures, openFailures } from '../../telemetry/loops.ts';
import { type Checkpoints, openCheckpoints } from './checkpoints.ts';
import type { Writes } from './sqlite-writes.ts';

/** In one step as many rows of each go: a report has about one of each beside it. */
const tables = ['reports', 'blobs', 'grants'] as const;

/** What a step may hold the loop for: as many rows are deleted in the next one as fit by what the last one took. */
const stepMs = 4;
const rowsOfStep = { first: 25, least: 5, most: 200 } as const;
/** Between two steps the loop is left alone for as long as the step took. */
const leastRestMs = 2;
const idleMs = 10_000;
/**
 * While there is much to delete, the log of writes is copied into the file by a thread, once for so many rows. What expires together
 * is spread over all of the file, about six pages a report: a thousand of them held the loop for 30 to 250 ms, and fifty
 * at a time had a busy disk sync for most of the time. Should the thread fail, the loop does it itself beyond so many pages.
 */
const checkpoint = { rows: 1000, pagesWithoutThread: 20_000, usualPages: 1000 } as const;
/** Free pages are used again; beyond so many, or this share of the file, they are given back to the disk. */
const keptPages = 256;
const keptShare = 0.1;
const vacuumPages = 64;

/** Deletes what has expired, and what is oldest where the store is larger than it may be. */
export type Expiry = {
  /** Bytes of the pages that hold something. */
  usedBytes(): number;
  close(): Promise<void>;
};

export type ExpiryOptions = {
  /** Of the database file. */
  readonly path: string;
  readonly writes: Writes;
  /** What reports, evidence, pictures and grants may take together. */
  readonly limitBytes: number;
  readonly log: Logger;
};

/** Starts the expiry of a store: small steps, one after another while there is something to do, else a look each 10 s. */
export function openExpiry(database: DatabaseSync, { path, writes, limitBytes, log }: ExpiryOptions): Expiry {
  const [pageCount, freePages] = [readPragma(database, 'page_count'), readPragma(database, 'freelist_count')];
  const pageSize = readNumber(database, 'page_size');
  const usedBytes = () => (pageCount() - freePages()) * pageSize;
  const deleteExpired = openDeletion(database);
  const isTooFull = () => usedBytes() > limitBytes;
  const evict = openEviction(database, isTooFull);
  const isVacuumable = readNumber(database, 'auto_vacuum') === 2;
  const hasSpareFree = () => isVacuumable && freePages() > Math.max(keptPages, pageCount() * keptShare);
  /** Returns whether there is more to do. */
  const step = (rows: number): boolean => {
    const deleted = deleteExpired(rows);
    const evicted = isTooFull() ? evict(rows) : 0;
    if (deleted + evicted > 0) return true;
    if (!hasSpareFree()) return false;
    const before = freePages();
    database.exec(`PRAGMA incremental_vacuum(${vacuumPages})`);
    return freePages() < before;
  };
  const turns = openTurns({ database, checkpoints: openCheckpoints(path), log });
  let timer: NodeJS.Timeout;
  const act = async () => {
    const restMs = await turns.take((rows) => writes.write(() => step(rows)));
    timer = setTimeout(() => void act(), restMs).unref();
    if (isClosed) clearTimeout(timer);
  };
  let isClosed = false;
  timer = setTimeout(() => void act(), leastRestMs).unref();
  return {
    usedBytes,
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await turns.close();
    },
  };
}

type TurnOptions = {
  readonly database: DatabaseSync;
  readonly checkpoints: Checkpoints;
  readonly log: Logger;
};

/** Opens the turns of expiry: each does a step, as large as the loop bears, and says how long to rest after it. */
function openTurns({ database, checkpoints, log }: TurnOptions) {
  const failures = openFailures('expiry of reports', log);
  let rows: number = rowsOfStep.first;
  let rowsInLog = 0;
  let isDeleting = false;
  const note = (isMore: boolean) => {
    if (isMore === isDeleting) return;
    isDeleting = isMore;
    const pages = isMore ? checkpoint.pagesWithoutThread : checkpoint.usualPages;
    database.exec(`PRAGMA wal_autocheckpoint = ${pages}`);
  };
  const copyLog = async () => {
    rowsInLog = 0;
    await checkpoints
      .run()
      .catch((error: unknown) => log.debug({ err: error }, 'no checkpoint while deleting'));
  };
  return {
    /** Does a step; gives the ms to rest. */
    async take(step: (rows: number) => boolean): Promise<number> {
      const start = performance.now();
      const outcome = tryStep(() => step(rows), failures);
      const tookMs = performance.now() - start;
      const isMore = outcome === true;
      note(isMore);
      if (typeof outcome === 'number') return outcome;
      if (!isMore) {
        await checkpoints.end();
        return idleMs;
      }
      rowsInLog += rows;
      rows = rowsAfter(rows, tookMs);
      if (rowsInLog >= checkpoint.rows) await copyLog();
      return Math.max(leastRestMs, tookMs);
    },
    close: () => checkpoints.end(),
  };
}

/** So many that a step takes as long as it may; at most twice or half as many as in the last one. */
function rowsAfter(rows: number, tookMs: number): number {
  const wanted = Math.round(rows * Math.min(2, Math.max(0.5, stepMs / tookMs)));
  return Math.min(rowsOfStep.most, Math.max(rowsOfStep.least, wanted));
}

/** Deletes of each table so many rows that have expired, those that expired first, in one transaction. Returns how many. */
function openDeletion(database: DatabaseSync): (rows: number) => number {
  const keys = { reports: 'rowid', blobs: 'reportId, kind', grants: 'reportId, account' } as const;
  const deletes = tables.map((table) =>
    database.prepare(
      `DELETE FROM ${table} WHERE (${keys[table]}) IN (SELECT ${keys[table]} FROM ${table} WHERE expiresAt <= ? ORDER BY expiresAt LIMIT ?)`,
    ),
  );
  return (rows) => {
    const now = Date.now();
    let deleted = 0;
    inTransaction(database, () => {
      for (const statement of deletes) deleted += Number(statement.run(now, rows).changes);
    });
    return deleted;
  };
}

/** Whether there is more to do; how long to pause where it failed, as a disk that takes no writes takes no deletes. */
function tryStep(step: () => boolean, failures: Failures): boolean | number {
  try {
    const isMore = step();
    failures.over();
    return isMore;
  } catch (error) {
    return failures.note(error);
  }
}

/** Deletes the reports that would expire first, with all that is kept beside them, until there is room; without reports, other bytes. Returns how many rows. */
function openEviction(database: DatabaseSync, isTooFull: () => boolean): (rows: number) => number {
  const oldest = database.prepare('SELECT reportId FROM reports ORDER BY expiresAt LIMIT ?');
  const ofReport = tables.map((table) => database.prepare(`DELETE FROM ${table} WHERE reportId = ?`));
  const orphans = database.prepare(
    'DELETE FROM blobs WHERE (reportId, kind) IN (SELECT reportId, kind FROM blobs ORDER BY expiresAt LIMIT ?)',
  );
  return (rows) => {
    const found = oldest.all(rows) as { readonly reportId: string }[];
    if (found.length === 0) return Number(orphans.run(rows).changes);
    let evicted = 0;
    inTransaction(database, () => {
      for (const { reportId } of found) {
        if (!isTooFull()) break;
        for (const statement of ofReport) statement.run(reportId);
        evicted += 1;
      }
    });
    return evicted;
  };
}

function readPragma(database: DatabaseSync, name: string): () => number {
  const statement = database.prepare(`PRAGMA ${name}`);
  return () => (statement.get() as Record<string, number>)[name] ?? 0;
}
