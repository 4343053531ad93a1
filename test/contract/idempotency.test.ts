import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { openMongoIdempotency } from '#shared/stores/idempotency/mongo';
import { openSqliteIdempotency } from '#shared/stores/idempotency/sqlite';
import { hasMongo, startMongo, type TestMongo } from '../kit/mongo.ts';
import { idempotencyContract } from './idempotency.contract.ts';

const log = { error: console.error, warn: () => undefined, info: () => undefined, debug: () => undefined };

describe('sqlite idempotency keys', () => {
  const folder = mkdtempSync(join(tmpdir(), 'diag-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  idempotencyContract(async () => openSqliteIdempotency(join(folder, 'idempotency.sqlite')));
});

describe.skipIf(!hasMongo)('MongoDB idempotency keys', () => {
  let mongo: TestMongo;
  beforeAll(async () => {
    mongo = await startMongo();
  });
  afterAll(() => mongo.stop());
  idempotencyContract(async () => openMongoIdempotency(mongo.url, log));
});
