import { inTransaction, openDatabase, withSqlite } from '../../backends/sqlite.ts';
import { anonymousAccount } from '../../model/grant.ts';
import { type Purged, type PurgeWish, purgeBatch, targetMatcher } from './purge.ts';
import { reportMigrations } from './sqlite-schema.ts';

/** Deletes from the file of a single machine, also beside a running service. What is deleted is overwritten. @param path of the database file */
export function purgeSqlite(path: string, wish: PurgeWish): Purged {
  const database = openDatabase(path, reportMigrations);
  try {
    return withSqlite(() => {
      database.exec('PRAGMA secure_delete = ON');
      const purged = deleteAll(database, idsOf(database, wish), wish);
      // The log of writes holds earlier versions of the pages.
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      return purged;
    });
  } finally {
    database.close();
  }
}

type Database = ReturnType<typeof openDatabase>;

function idsOf(database: Database, wish: PurgeWish): string[] {
  if ('target' in wish) return idsOfTarget(database, wish.target);
  return 'account' in wish ? idsOfAccount(database, wish.account) : idsMadeBefore(database, wish.madeBefore);
}

function idsMadeBefore(database: Database, time: number): string[] {
  const rows = database
    .prepare(
      'SELECT reportId FROM reports WHERE checkedAt < :time UNION SELECT reportId FROM grants WHERE checkedAt < :time',
    )
    .all({ time });
  return rows.map(({ reportId }) => String(reportId));
}

function idsOfTarget(database: Database, name: string): string[] {
  const isMeant = targetMatcher(name);
  const rows = database
    .prepare('SELECT reportId, target FROM reports UNION SELECT reportId, target FROM grants')
    .iterate();
  return [...rows].flatMap(({ reportId, target }) => (isMeant(String(target)) ? String(reportId) : []));
}

// A report that others were answered with as well stays theirs.
function idsOfAccount(database: Database, account: string): string[] {
  const rows = database
    .prepare(
      `SELECT reportId FROM grants WHERE account = :account
       AND NOT EXISTS (SELECT 1 FROM grants AS others WHERE others.reportId = grants.reportId AND others.account <> :account)
       AND (:account = :anyone OR NOT EXISTS (SELECT 1 FROM reports WHERE reports.reportId = grants.reportId AND isOpen = 1))
       UNION SELECT reportId FROM reports WHERE :account = :anyone AND isOpen = 1
       AND NOT EXISTS (SELECT 1 FROM grants AS others WHERE others.reportId = reports.reportId AND others.account <> :account)`,
    )
    .all({ account, anyone: anonymousAccount });
  return rows.map(({ reportId }) => String(reportId));
}

function deleteAll(database: Database, ids: readonly string[], wish: PurgeWish): Purged {
  const purged = { reports: 0, grants: 0, blobs: 0 };
  const names = ['reports', 'grants', 'blobs'] as const;
  const statements = names.map((name) => database.prepare(`DELETE FROM ${name} WHERE reportId = ?`));
  for (let at = 0; at < ids.length; at += purgeBatch)
    inTransaction(database, () => {
      for (const id of ids.slice(at, at + purgeBatch))
        for (const [index, name] of names.entries())
          purged[name] += Number(statements[index]?.run(id).changes ?? 0);
    });
  if ('account' in wish)
    purged.grants += Number(
      database.prepare('DELETE FROM grants WHERE account = ?').run(wish.account).changes,
    );
  return purged;
}
