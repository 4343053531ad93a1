import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { randomId } from '#shared/model/job';
import { toRow } from '#shared/stores/reports/row';
import { openSqliteReportStore } from '#shared/stores/reports/sqlite';
import { openLogger } from '#shared/telemetry/logger';
import { type StoreUnderTest, sampleReport } from './store-measure.ts';

const reportsOfKey = 10;
const dayMs = 86_400_000;

/** Fills a file with reports, ten of each key over a month, and opens the store on it. */
export async function openSqliteSide(path: string, count: number): Promise<StoreUnderTest> {
  const options = { log: openLogger('silent'), limitBytes: 1e12 };
  await openSqliteReportStore(path, options).close();
  const database = new DatabaseSync(path, { timeout: 5000 });
  database.exec('PRAGMA synchronous = NORMAL; PRAGMA cache_size = -200000;');
  const keys = Array.from({ length: count / reportsOfKey }, () => randomId());
  const accounts = Array.from({ length: 100 }, () => randomId());
  fill(database, keys, accounts);
  const store = openSqliteReportStore(path, options);
  const half = keys.length / 2;
  return {
    name: 'sqlite',
    store,
    bare: openBare(database),
    freshKeys: keys.slice(0, half),
    oldKeys: keys.slice(half),
    accounts,
    tickKeys: 500,
    async makeExpired(rows) {
      database.exec(
        `UPDATE reports SET expiresAt = 1 WHERE rowid IN (SELECT rowid FROM reports WHERE expiresAt > 1 ORDER BY rowid LIMIT ${rows})`,
      );
    },
    countExpired: async () =>
      Number(database.prepare('SELECT COUNT(*) AS n FROM reports WHERE expiresAt <= 1').get()?.['n']),
    count: async () => Number(database.prepare('SELECT COUNT(*) AS n FROM reports').get()?.['n']),
    diskBytes: async () => statSync(path).size,
    serverCpuMs: () => 0,
    async close() {
      database.close();
      await store.close();
    },
  };
}

const columns =
  'reportId, jobId, jobKey, target, "check", state, score, grade, checkedAt, freshUntil, expiresAt, body, isOpen, digest, jsonBytes, bodyCrc';
const insertSql = `INSERT INTO reports (${columns}) VALUES (:reportId, :jobId, :jobKey, :target, :check, :state, :score, :grade, :checkedAt, :freshUntil, :expiresAt, :body, :isOpen, :digest, :jsonBytes, :bodyCrc)`;

// The newest report of the first half of the keys is fresh; all bodies are the same.
function fill(database: DatabaseSync, keys: readonly string[], accounts: readonly string[]): void {
  const insert = database.prepare(insertSql);
  const give = database.prepare(
    `INSERT INTO grants (account, reportId, "check", target, checkedAt, expiresAt, score, grade, state) VALUES (?, ?, 'c', 't', ?, ?, 1, 'F', 'complete')`,
  );
  const { row: sample } = toRow(sampleReport(randomId()), { reportId: '', jobId: '', jobKey: '' });
  const now = Date.now();
  for (let age = reportsOfKey - 1; age >= 0; age -= 1) {
    database.exec('BEGIN');
    for (const [index, jobKey] of keys.entries()) {
      const checkedAt = now - age * 3 * dayMs - (index % 1000) * 1000 - dayMs;
      const isFresh = age === 0 && index < keys.length / 2;
      const row = { ...sample, reportId: randomId(), jobId: randomId(), jobKey, checkedAt, isOpen: 0 };
      insert.run({
        ...row,
        freshUntil: isFresh ? now + dayMs : checkedAt + 300_000,
        expiresAt: checkedAt + 60 * dayMs,
      });
      if (index % 10 === 0)
        give.run(
          accounts[(index / 10) % accounts.length] ?? '',
          row.reportId,
          checkedAt,
          checkedAt + 60 * dayMs,
        );
    }
    database.exec('COMMIT');
  }
  database.exec('PRAGMA wal_checkpoint(TRUNCATE); PRAGMA cache_size = -16000;');
}

function openBare(database: DatabaseSync): StoreUnderTest['bare'] {
  const insert = database.prepare(insertSql);
  const find = database.prepare(
    'SELECT * FROM reports WHERE jobKey = ? AND freshUntil > ? ORDER BY checkedAt DESC LIMIT 1',
  );
  const list = database.prepare(
    'SELECT * FROM grants WHERE account = ? AND expiresAt > ? ORDER BY checkedAt DESC, reportId DESC LIMIT 20',
  );
  return {
    async insert(report, keys) {
      insert.run({ ...toRow(report, keys).row, isOpen: 0 });
    },
    async findFresh(jobKey) {
      return find.get(jobKey, Date.now());
    },
    history: async (account) => list.all(account, Date.now()),
    async expire() {
      database.exec('DELETE FROM reports WHERE expiresAt = 1');
    },
  };
}
