import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { openSqliteReportStore } from '../../shared/report-store/sqlite.ts';
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
