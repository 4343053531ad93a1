import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe } from 'vitest';
import { openSqliteBatches } from '#shared/stores/batches/sqlite';
import { batchStoreContract } from './batch-store.contract.ts';

const log = { error: console.error, warn: () => undefined, info: () => undefined, debug: () => undefined };

describe('sqlite batch store', () => {
  const folder = mkdtempSync(join(tmpdir(), 'diag-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  batchStoreContract(async () => openSqliteBatches(join(folder, 'batches.sqlite'), log));
});
