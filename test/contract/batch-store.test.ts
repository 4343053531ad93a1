import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { openMongoBatches } from '#shared/stores/batches/mongo';
import { openSqliteBatches } from '#shared/stores/batches/sqlite';
import { hasMongo, startMongo, type TestMongo } from '../kit/mongo.ts';
import { batchStoreContract } from './batch-store.contract.ts';

const log = { error: console.error, warn: () => undefined, info: () => undefined, debug: () => undefined };

describe('sqlite batch store', () => {
  const folder = mkdtempSync(join(tmpdir(), 'diag-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  batchStoreContract(async () => openSqliteBatches(join(folder, 'batches.sqlite'), log));
});

describe.skipIf(!hasMongo)('MongoDB batch store', () => {
  let mongo: TestMongo;
  beforeAll(async () => {
    mongo = await startMongo();
  });
  afterAll(() => mongo.stop());
  batchStoreContract(async () => openMongoBatches(mongo.url, log));
});
