import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { zstdCompressSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { randomId } from '#shared/model/job';
import { openSqliteReportStore } from '#shared/stores/reports/sqlite';
import { reportMigrations } from '#shared/stores/reports/sqlite-schema';
import {
  aFreshOne,
  keepMany,
  log,
  openErrorLog,
  options,
  reportOf,
  reportStoreContract,
} from './report-store.contract.ts';

describe('sqlite report store', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'diag-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const pathOf = (name: string) => join(folder, 'deep', name);

  reportStoreContract(async () => openSqliteReportStore(':memory:', options));

  test('keeps its reports in a file of its own user, and refuses one of a newer version by name', async () => {
    const path = pathOf('reports.sqlite');
    await openSqliteReportStore(path, options).close();
    const store = openSqliteReportStore(path, options);
    const modes = ['', '-wal', '-shm'].map((ending) => statSync(path + ending).mode & 0o777);
    expect([statSync(join(folder, 'deep')).mode & 0o777, ...modes]).toEqual([0o700, 0o600, 0o600, 0o600]);
    await store.close();
    const database = new DatabaseSync(path);
    database.exec('PRAGMA user_version = 99');
    database.close();
    expect(() => openSqliteReportStore(path, options)).toThrow(/newer version/);
  });

  test('a row that somebody spoilt is absent, and logged once', async () => {
    const path = pathOf('reports.sqlite');
    const { errors, log: errorLog } = openErrorLog();
    const store = openSqliteReportStore(path, { ...options, log: errorLog });
    const spoils = [
      "body = x'00'",
      "state = 'fine'",
      "grade = 'Z'",
      "body = x'28b52ffd0458110000007b7d'",
      'bodyCrc = 1',
      // Another character than base64url has may begin a header field of its own.
      "digest = '0123456789012345678' || char(13, 10) || 'a'",
      'jsonBytes = 1',
      // As a row of an earlier version, whose body is not under gzip.
      'digest = NULL',
    ];
    const ids = await keepMany(store, spoils.length);
    // The first who asks for a report that was just written gets it without a look at its row.
    for (const id of ids) expect(await store.get(id)).toBeDefined();
    const database = new DatabaseSync(path);
    for (const [index, spoil] of spoils.entries())
      database.exec(`UPDATE reports SET ${spoil}, jobKey = 'key' WHERE reportId = '${ids[index]}'`);
    database.close();
    for (const id of [...ids, ...ids]) expect(await store.get(id)).toBeUndefined();
    expect(await store.findFresh([{ jobKey: 'key', wanted: aFreshOne }])).toEqual(new Map());
    expect(errors).toHaveLength(spoils.length);
    await store.close();
  });

  test('a row that unpacks to another length than it says is told as damaged to its reader', async () => {
    const path = pathOf('reports.sqlite');
    const store = openSqliteReportStore(path, options);
    const [id = ''] = await keepMany(store, 1);
    await store.get(id);
    for (const by of [1, -2]) {
      const database = new DatabaseSync(path);
      database.exec(`UPDATE reports SET jsonBytes = jsonBytes + ${by}`);
      database.close();
      const stored = await store.get(id);
      expect(() => stored?.json()).toThrow(/damaged/);
    }
    await store.close();
  });

  test('reports of an earlier version are read as they were kept, beside new ones, and replaced by none', async () => {
    const path = join(folder, 'old.sqlite');
    const old = openOldFile(path, 5);
    const [report, spoilt] = [reportOf({ note: 'snow ☃', checked: -5 }), reportOf({ checked: -5 })];
    const insert = old.prepare(
      `INSERT INTO reports (reportId, jobId, jobKey, target, "check", state, score, grade, checkedAt, freshUntil, expiresAt, body, isOpen)
       VALUES (?, 'job', ?, 'http://a.test/', 'redirect-check', 'complete', 100, 'A', ?, ?, ?, ?, 1)`,
    );
    for (const [jobKey, { reportId, checkedAt, freshUntil, expiresAt }, text] of [
      ['key', report, JSON.stringify(report)],
      ['spoilt', spoilt, '{}'],
    ] as const) {
      const times = [checkedAt, freshUntil, expiresAt].map((time) => Date.parse(time));
      insert.run(reportId, jobKey, ...times, zstdCompressSync(text));
    }
    old.close();
    const { errors, log: errorLog } = openErrorLog();
    const store = openSqliteReportStore(path, { ...options, log: errorLog });
    const find = async (jobKey: string) =>
      (await store.findFresh([{ jobKey, wanted: aFreshOne }])).get(jobKey);
    for (const found of [await store.get(report.reportId), await find('key')]) {
      expect(Buffer.from(found?.json() ?? []).toString()).toBe(JSON.stringify(report));
      expect(found).toMatchObject({ isOpen: true, prepared: undefined });
    }
    expect(await store.get(spoilt.reportId)).toBeUndefined();
    expect(errors).toHaveLength(1);
    const keys = { reportId: report.reportId, jobId: randomId(), jobKey: 'key' };
    const again = await store.insert(reportOf({ reportId: report.reportId, note: 'second' }), keys);
    expect(Buffer.from(again.json()).toString()).toBe(JSON.stringify(report));
    const newer = reportOf({ note: 'newer' });
    await store.insert(newer, { reportId: newer.reportId, jobId: randomId(), jobKey: 'key' });
    expect((await find('key'))?.prepared?.jsonBytes).toBe(JSON.stringify(newer).length);
    await store.close();
  });

  test('what has expired is deleted in the background, and the file gets smaller', async () => {
    const path = pathOf('reports.sqlite');
    const store = openSqliteReportStore(path, options);
    // So many that the log of writes is copied into the file by the thread.
    await keepMany(store, 1500, 1);
    await store.close();
    const before = statSync(path).size;
    const database = new DatabaseSync(path);
    database.exec('UPDATE reports SET expiresAt = 1');
    database.close();
    let foreignWrites = 0;
    const again = openSqliteReportStore(path, { ...options, onForeignWrite: () => (foreignWrites += 1) });
    await expect.poll(() => rowsIn(path), { timeout: 20_000 }).toBe(0);
    await expect.poll(async () => (await again.use()).usedBytes).toBeLessThan(before / 10);
    await expect.poll(() => sizeIn(path)).toBeLessThan(before / 2);
    // A checkpoint by the thread is no write of somebody else, which would clear what is in memory.
    expect(foreignWrites).toBe(0);
    await again.close();
    expect(statSync(path).size).toBeLessThan(before / 2);
  });

  test('beyond its limit the oldest reports go first, with what is kept beside them', async () => {
    const path = pathOf('reports.sqlite');
    const filled = openSqliteReportStore(path, options);
    const ids = await keepMany(filled, 300);
    const [first = '', last = ''] = [ids[0], ids.at(-1)];
    for (const reportId of [first, last])
      await filled.keepBlob({ reportId, kind: 'evidence' }, Buffer.alloc(100), Date.now() + 60_000);
    const { usedBytes } = await filled.use();
    await filled.close();
    const limitBytes = Math.round(usedBytes / 2);
    const store = openSqliteReportStore(path, { log, limitBytes });
    await expect.poll(async () => (await store.use()).usedBytes).toBeLessThanOrEqual(limitBytes);
    const left = (await Promise.all(ids.map((id) => store.get(id)))).map((stored) => stored !== undefined);
    expect(left.indexOf(true)).toBeGreaterThan(0);
    expect(left.slice(left.indexOf(true))).not.toContain(false);
    expect(left.filter(Boolean).length).toBeGreaterThan(50);
    expect(await store.getBlob({ reportId: first, kind: 'evidence' })).toBeUndefined();
    expect(await store.getBlob({ reportId: last, kind: 'evidence' })).toBeDefined();
    await store.close();
  });

  test('a file of an earlier version is lifted: it can give space back, and lacks the indexes nobody uses', async () => {
    const path = join(folder, 'old.sqlite');
    openOldFile(path, 4).close();
    await openSqliteReportStore(path, options).close();
    const database = new DatabaseSync(path);
    expect(database.prepare('PRAGMA auto_vacuum').get()).toEqual({ auto_vacuum: 2 });
    const names = database
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL")
      .all();
    expect(names.map((row) => row['name']).sort()).toEqual([
      'blobs_by_expiry',
      'grants_by_account',
      'grants_by_expiry',
      'grants_by_target',
      'reports_by_expiry',
      'reports_by_freshness',
      'reports_by_key',
    ]);
    database.close();
  });
});

/** A file as an earlier version left it. */
function openOldFile(path: string, version: number): DatabaseSync {
  const old = new DatabaseSync(path);
  old.exec('PRAGMA journal_mode = WAL');
  for (const step of reportMigrations.slice(0, version)) old.exec(step);
  old.exec(`PRAGMA user_version = ${version}`);
  return old;
}

function rowsIn(path: string): number {
  const database = new DatabaseSync(path);
  const row = database.prepare('SELECT COUNT(*) AS count FROM reports').get();
  database.close();
  return Number(row?.['count']);
}

function sizeIn(path: string): number {
  const database = new DatabaseSync(path);
  const row = database.prepare('PRAGMA page_count').get();
  database.close();
  return Number(row?.['page_count']) * 4096;
}
