import type { DatabaseSync } from 'node:sqlite';
import type { Logger } from '../logger.ts';
import { Problem } from '../model/problem.ts';
import { inTransaction, readNumber } from '../sqlite.ts';
import type { Writes } from './sqlite-writes.ts';

/** Rows deleted in one step: 200 reports held the event loop for 17 ms. */
const batches = [
  { table: 'reports', key: 'reportId', rows: 25 },
  { table: 'blobs', key: 'reportId, kind', rows: 10 },
  { table: 'grants', key: 'reportId, account', rows: 50 },
] as const;

const idleMs = 10_000;
/** Between two steps the loop is left alone for so many times as long as the step took: expiry takes a third of it at most. */
const restShare = 2;
const leastRestMs = 5;
/** Free pages are used again; beyond so many, or this share of the file, they are given back to the disk. */
const keptPages = 256;
const keptShare = 0.1;
const vacuumPages = 64;

/** Deletes what has expired, and what is oldest where the store is larger than it may be. */
export type Expiry = {
  /** Bytes of the pages that hold something. */
  usedBytes(): number;
  close(): void;
};

export type ExpiryOptions = {
  readonly writes: Writes;
  /** What reports, evidence, pictures and grants may take together. */
  readonly limitBytes: number;
  readonly log: Logger;
};

/** Starts the expiry of a store: small steps, one after another while there is something to do, else a look each 10 s. */
export function openExpiry(database: DatabaseSync, { writes, limitBytes, log }: ExpiryOptions): Expiry {
  const [pageCount, freePages] = [readPragma(database, 'page_count'), readPragma(database, 'freelist_count')];
  const pageSize = readNumber(database, 'page_size');
  const usedBytes = () => (pageCount() - freePages()) * pageSize;
  const deletes = batches.map(({ table, key, rows }) =>
    database.prepare(
      `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE expiresAt <= ? ORDER BY expiresAt LIMIT ${rows})`,
    ),
  );
  const evict = openEviction(database);
  const isVacuumable = readNumber(database, 'auto_vacuum') === 2;
  const hasSpareFree = () => isVacuumable && freePages() > Math.max(keptPages, pageCount() * keptShare);
  /** Returns whether there is more to do. */
  const step = (): boolean => {
    const now = Date.now();
    const deleted = deletes.reduce((sum, statement) => sum + Number(statement.run(now).changes), 0);
    const evicted = usedBytes() > limitBytes ? evict() : 0;
    if (deleted + evicted > 0) return true;
    if (!hasSpareFree()) return false;
    const before = freePages();
    database.exec(`PRAGMA incremental_vacuum(${vacuumPages})`);
    return freePages() < before;
  };
  let timer: NodeJS.Timeout;
  const act = () => {
    const start = performance.now();
    const isMore = tryStep(() => writes.write(step), log);
    const restMs = Math.max(leastRestMs, (performance.now() - start) * restShare);
    timer = setTimeout(act, isMore ? restMs : idleMs).unref();
  };
  timer = setTimeout(act, leastRestMs).unref();
  return { usedBytes, close: () => clearTimeout(timer) };
}

function tryStep(step: () => boolean, log: Logger): boolean {
  try {
    return step();
  } catch (error) {
    // A disk that takes no writes takes no deletes, which the log has been told. The next look tries again.
    if (error instanceof Problem) log.debug({ err: error }, 'expired reports not deleted yet');
    else log.error({ err: error }, 'expired reports cannot be deleted');
    return false;
  }
}

/** Deletes the reports that would expire first, with all that is kept beside them; without reports, other bytes. Returns how many rows. */
function openEviction(database: DatabaseSync): () => number {
  const oldest = database.prepare(`SELECT reportId FROM reports ORDER BY expiresAt LIMIT ${batches[0].rows}`);
  const ofReport = batches.map(({ table }) => database.prepare(`DELETE FROM ${table} WHERE reportId = ?`));
  const orphans = database.prepare(
    `DELETE FROM blobs WHERE (reportId, kind) IN (SELECT reportId, kind FROM blobs ORDER BY expiresAt LIMIT ${batches[1].rows})`,
  );
  return () => {
    const rows = oldest.all() as { readonly reportId: string }[];
    if (rows.length === 0) return Number(orphans.run().changes);
    inTransaction(database, () => {
      for (const { reportId } of rows) for (const statement of ofReport) statement.run(reportId);
    });
    return rows.length;
  };
}

function readPragma(database: DatabaseSync, name: string): () => number {
  const statement = database.prepare(`PRAGMA ${name}`);
  return () => (statement.get() as Record<string, number>)[name] ?? 0;
}
