import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { openRedisAnnouncements } from '#shared/stores/tokens/announce';
import { openMongoTokenStore } from '#shared/stores/tokens/mongo';
import { openSqliteTokenStore } from '#shared/stores/tokens/sqlite';
import type { Logger } from '#shared/telemetry/logger';
import { hasMongo, startMongo, type TestMongo } from '../kit/mongo.ts';
import { hasRedis, startRedis, type TestRedis } from '../kit/redis.ts';
import { tokenStoreContract } from './token-store.contract.ts';

const log: Logger = {
  error: console.error,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
};

describe('sqlite token store', () => {
  const folder = mkdtempSync(join(tmpdir(), 'diag-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  tokenStoreContract(async () => openSqliteTokenStore(join(folder, 'tokens.sqlite'), log));
});

describe.skipIf(!hasMongo || !hasRedis)('MongoDB token store', () => {
  let mongo: TestMongo;
  let redis: TestRedis;
  beforeAll(async () => {
    [mongo, redis] = await Promise.all([startMongo(), startRedis()]);
  });
  afterAll(async () => {
    await Promise.all([mongo.stop(), redis.stop()]);
  });
  tokenStoreContract(async () => openMongoTokenStore(mongo.url, openRedisAnnouncements(redis.url, log), log));
});
