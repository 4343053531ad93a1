import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe } from 'vitest';
import { openSqliteIdempotency } from '#shared/stores/idempotency/sqlite';
import { idempotencyContract } from './idempotency.contract.ts';

describe('sqlite idempotency keys', () => {
  const folder = mkdtempSync(join(tmpdir(), 'diag-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  idempotencyContract(async () => openSqliteIdempotency(join(folder, 'idempotency.sqlite')));
});
