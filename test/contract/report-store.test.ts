import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openMongoReportStore } from '../../shared/report-store/mongo.ts';
import { openSqliteReportStore } from '../../shared/report-store/sqlite.ts';
import { freeze } from '../kit/freeze.ts';
import { hasMongo, startMongo, type TestMongo } from '../kit/mongo.ts';
import { reportStoreContract } from './report-store.contract.ts';

describe('sqlite report store', () => {
  reportStoreContract(async () => openSqliteReportStore(':memory:'));

  test('keeps its reports in a file, and refuses one of a newer version by name', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'diag-'));
    const path = join(folder, 'deep', 'reports.sqlite');
    await openSqliteReportStore(path).close();
    await openSqliteReportStore(path).close();
    const database = new DatabaseSync(path);
    database.exec('PRAGMA user_version = 99');
    database.close();
    expect(() => openSqliteReportStore(path)).toThrow(/newer version/);
    rmSync(folder, { recursive: true });
  });
});

describe.skipIf(!hasMongo)('MongoDB report store', () => {
  const log = { error: console.error, warn: () => undefined, info: () => undefined, debug: () => undefined };
  let mongo: TestMongo;
  beforeAll(async () => {
    mongo = await startMongo();
  });
  afterAll(() => mongo.stop());
  reportStoreContract(async () => openMongoReportStore(mongo.url, log));

  test('answers a server that is frozen within a second, and works again with it', async () => {
    const store = openMongoReportStore(mongo.url, log);
    expect(await store.ping()).toBe(true);
    await freeze(mongo.process);
    const start = performance.now();
    await expect(store.get('x')).rejects.toMatchObject({ code: 'store_unavailable', retryAfterS: 5 });
    expect(performance.now() - start).toBeLessThan(1500);
    mongo.process?.kill('SIGCONT');
    await expect.poll(() => store.ping()).toBe(true);
    await store.close();
  });
});
