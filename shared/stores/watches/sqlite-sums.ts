import type { DatabaseSync } from 'node:sqlite';
import { withSqlite } from '../../backends/sqlite.ts';
import { readRateText } from '../../model/watch.ts';
import type { WatchStore } from '../../ports/watch-store.ts';

/** What an account's watches come to. */
export type SumPart = Pick<WatchStore, 'sumOf' | 'countTargets' | 'ratesOf' | 'bytesOf'>;

/** Sums over the watches of an account, each from an index alone. */
export function openSqliteSums(database: DatabaseSync): SumPart {
  const sum = database.prepare(
    `SELECT SUM(count) AS total, MAX(count) AS mostOfHost
     FROM (SELECT COUNT(*) AS count FROM targets WHERE account = ? GROUP BY host)`,
  );
  const ofAccount = database.prepare('SELECT COUNT(*) AS count FROM targets WHERE account = ?');
  const ofWatch = database.prepare('SELECT COUNT(*) AS count FROM targets WHERE watchId = ? AND account = ?');
  const ofHosts = database.prepare(
    `SELECT host, COUNT(*) AS count FROM targets
     WHERE account = ? AND host IN (SELECT value FROM json_each(?)) AND watchId <> ? GROUP BY host`,
  );
  const rates = database.prepare(
    `SELECT rate, SUM(targetCount) AS count FROM watches WHERE account = ? AND isPaused = 0 AND rate > ?
     GROUP BY rate ORDER BY rate LIMIT ?`,
  );
  const own = database.prepare(
    'SELECT rate, targetCount AS count FROM watches WHERE watchId = ? AND account = ? AND isPaused = 0',
  );
  const bytes = database.prepare('SELECT bytes AS count FROM kept WHERE account = ?');
  const countOf = (row: Record<string, unknown> | undefined) => Number(row?.['count'] ?? 0);
  const byHost = (rows: readonly Record<string, unknown>[]) =>
    new Map(rows.map((row) => [String(row['host']), countOf(row)]));
  return {
    sumOf: async (account) =>
      withSqlite(() => {
        const row = sum.get(account);
        return { total: Number(row?.['total'] ?? 0), mostOfHost: Number(row?.['mostOfHost'] ?? 0) };
      }),
    bytesOf: async (account) => withSqlite(() => countOf(bytes.get(account))),
    countTargets: async (account, { hosts: wanted, except = '' }) =>
      withSqlite(() => ({
        total: countOf(ofAccount.get(account)) - countOf(ofWatch.get(except, account)),
        hosts: byHost(ofHosts.all(account, JSON.stringify(wanted), except)),
      })),
    ratesOf: async (account, { except = '', after, limit }) =>
      withSqlite(() => {
        const left = own.get(except, account);
        const found = rates.all(account, after, limit);
        return {
          rates: found.map((row) => ({
            ...readRateText(String(row['rate'])),
            targetCount: countOf(row) - (row['rate'] === left?.['rate'] ? countOf(left) : 0),
          })),
          next: found.length < limit ? '' : String(found.at(-1)?.['rate'] ?? ''),
        };
      }),
  };
}
