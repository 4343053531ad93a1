import type { DatabaseSync } from 'node:sqlite';
import { withSqlite } from '../../backends/sqlite.ts';
import { everPlainChecks, plainOptions } from '../../catalogue/asked-options.ts';
import { anonymousAccount, type HistoryQuestion } from '../../model/grant.ts';
import type { Grants } from '../../ports/report-store.ts';
import type { RowReader } from '../stored-row.ts';
import type { StoredFields } from './fields.ts';
import { readGrant } from './read-report.ts';
import type { Writes } from './sqlite-writes.ts';

/** The table of the grants. */
export const grantsMigration = `CREATE TABLE grants (
     account TEXT NOT NULL, reportId TEXT NOT NULL, "check" TEXT NOT NULL, target TEXT NOT NULL,
     checkedAt INTEGER NOT NULL, expiresAt INTEGER NOT NULL, score REAL, grade TEXT, state TEXT NOT NULL,
     PRIMARY KEY (reportId, account)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX grants_by_account ON grants (account, checkedAt, reportId);
   CREATE INDEX grants_by_target ON grants (account, target, checkedAt, reportId);
   CREATE INDEX grants_by_expiry ON grants (expiresAt);`;

/** Grants in the database of the reports. */
export function openSqliteGrants(database: DatabaseSync, writes: Writes, readRow: RowReader): Grants {
  const give = database.prepare(
    `INSERT INTO grants (account, reportId, "check", target, checkedAt, expiresAt, score, grade, state, options, rulesVersion)
     VALUES (:account, :reportId, :check, :target, :checkedAt, :expiresAt, :score, :grade, :state, :options, :rulesVersion)
     ON CONFLICT DO NOTHING`,
  );
  const find = database.prepare(
    `SELECT 1 FROM grants WHERE reportId = :reportId AND account IN (:account, :anyone) AND expiresAt > :now
     UNION ALL SELECT 1 FROM reports WHERE reportId = :reportId AND isOpen = 1 AND expiresAt > :now LIMIT 1`,
  );
  const list = openList(database);
  return {
    give: async (account, grant) => writes.write(() => void give.run({ account, ...grant })),
    isGiven: async (account, reportId) =>
      withSqlite(
        () => find.get({ reportId, account, anyone: anonymousAccount, now: Date.now() }) !== undefined,
      ),
    list: async (question) =>
      withSqlite(() =>
        list(question).flatMap(
          (row) => readRow({ kind: 'grant', id: String(row['reportId']) }, () => readGrant(row)) ?? [],
        ),
      ),
  };
}

const isPlain = `AND (options = '${plainOptions}' OR (options IS NULL AND "check" IN (${everPlainChecks.map((check) => `'${check}'`).join(', ')}))) `;

/** Asks only for what is wanted: conditions that are always true cost a third of a page. */
function openList(database: DatabaseSync): (question: HistoryQuestion) => StoredFields[] {
  const prepared = new Map<string, ReturnType<DatabaseSync['prepare']>>();
  const prepare = (wanted: string) => {
    const statement = database.prepare(
      `SELECT reportId, "check", target, checkedAt, expiresAt, score, grade, state, options, rulesVersion FROM grants
       WHERE account = ? AND expiresAt > ? ${wanted} ORDER BY checkedAt DESC, reportId DESC LIMIT ?`,
    );
    prepared.set(wanted, statement);
    return statement;
  };
  return ({ account, target, check, options, since, limit, before }) => {
    const wanted =
      (target === undefined ? '' : 'AND target = ? ') +
      (check === undefined ? '' : 'AND "check" = ? ') +
      (options === 'plain' ? isPlain : options === undefined ? '' : 'AND options = ? ') +
      (since === undefined ? '' : 'AND checkedAt >= ? ') +
      (before === undefined ? '' : 'AND (checkedAt, reportId) < (?, ?)');
    const asked = options === 'plain' ? undefined : options?.text;
    const place = [before?.checkedAt, before?.reportId];
    const values = [account, Date.now(), target, check, asked, since, ...place, limit];
    return (prepared.get(wanted) ?? prepare(wanted)).all(...values.filter((value) => value !== undefined));
  };
}
