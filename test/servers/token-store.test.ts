import { afterAll, beforeAll, describe } from 'vitest';
import { openRedisAnnouncements } from '#shared/stores/tokens/announce';
import { openMongoTokenStore } from '#shared/stores/tokens/mongo';
import type { Logger } from '#shared/telemetry/logger';
import { tokenStoreContract } from '../contract/token-store.contract.ts';
import { hasMongo, startMongo, type TestMongo } from '../kit/mongo.ts';
import { hasRedis, startRedis, type TestRedis } from '../kit/redis.ts';

const log: Logger = {
  error: console.error,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
};

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
