import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openCheckpoints } from '#shared/stores/reports/checkpoints';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'diag-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('the log of writes is copied into the file by another thread, as often as it is asked', async () => {
  const path = join(folder, 'a.sqlite');
  const database = new DatabaseSync(path);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (bytes BLOB)');
  const insert = database.prepare('INSERT INTO t VALUES (randomblob(100000))');
  const checkpoints = openCheckpoints(path);
  for (const least of [100_000, 200_000]) {
    insert.run();
    await checkpoints.run();
    expect(statSync(path).size).toBeGreaterThan(least);
  }
  await checkpoints.end();
  database.close();
});

test('what is no database rejects, and so does a thread that is ended; the next run starts another', async () => {
  const path = join(folder, 'b.sqlite');
  writeFileSync(path, 'this is no database, whatever its name says'.repeat(100));
  const checkpoints = openCheckpoints(path);
  await expect(checkpoints.run()).rejects.toThrow(/not a database/);
  rmSync(path);
  const run = checkpoints.run();
  await Promise.all([expect(run).rejects.toThrow(/aborted/), checkpoints.end()]);
  await checkpoints.run();
  await checkpoints.end();
});

test('a database in memory has no log, and nothing to wait for', async () => {
  const checkpoints = openCheckpoints(':memory:');
  expect(await checkpoints.run()).toBeUndefined();
  await checkpoints.end();
});
