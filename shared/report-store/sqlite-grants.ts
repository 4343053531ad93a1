import type { DatabaseSync } from 'node:sqlite';
import { withSqlite } from '../sqlite.ts';
import type { RowReader } from '../stored-row.ts';
import { anonymousAccount, type Grants, readGrant } from './grants.ts';
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
    `INSERT INTO grants (account, reportId, "check", target, checkedAt, expiresAt, score, grade, state)
     VALUES (:account, :reportId, :check, :target, :checkedAt, :expiresAt, :score, :grade, :state)
     ON CONFLICT DO NOTHING`,
  );
  const find = database.prepare(
    `SELECT 1 FROM grants WHERE reportId = :reportId AND account IN (:account, :anyone) AND expiresAt > :now
     UNION ALL SELECT 1 FROM reports WHERE reportId = :reportId AND isOpen = 1 AND expiresAt > :now LIMIT 1`,
  );
  const columns = 'reportId, "check", target, checkedAt, expiresAt, score, grade, state';
  const list = (isOfTarget: boolean) =>
    database.prepare(
      `SELECT ${columns} FROM grants WHERE account = :account AND expiresAt > :now ${isOfTarget ? 'AND target = :target' : ''}
       AND (:check IS NULL OR "check" = :check) AND (checkedAt, reportId) < (:checkedAt, :reportId)
       ORDER BY checkedAt DESC, reportId DESC LIMIT :limit`,
    );
  const [listAll, listOfTarget] = [list(false), list(true)];
  return {
    give: async (account, grant) => writes.write(() => void give.run({ account, ...grant })),
    isGiven: async (account, reportId) =>
      withSqlite(
        () => find.get({ reportId, account, anyone: anonymousAccount, now: Date.now() }) !== undefined,
      ),
    list: async ({ account, target, check = null, limit, before }) =>
      withSqlite(() => {
        const { checkedAt, reportId } = before ?? { checkedAt: Number.MAX_SAFE_INTEGER, reportId: '' };
        const page = { account, check, limit, checkedAt, reportId, now: Date.now() };
        const rows = target === undefined ? listAll.all(page) : listOfTarget.all({ ...page, target });
        return rows.flatMap(
          (row) => readRow({ kind: 'grant', id: String(row['reportId']) }, () => readGrant({ ...row })) ?? [],
        );
      }),
  };
}
