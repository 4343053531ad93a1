import { afterAll, beforeAll, describe } from 'vitest';
import { openMongoIdempotency } from '#shared/stores/idempotency/mongo';
import { idempotencyContract } from '../contract/idempotency.contract.ts';
import { hasMongo, startMongo, type TestMongo } from '../kit/mongo.ts';

const log = { error: console.error, warn: () => undefined, info: () => undefined, debug: () => undefined };

describe.skipIf(!hasMongo)('MongoDB idempotency keys', () => {
  let mongo: TestMongo;
  beforeAll(async () => {
    mongo = await startMongo();
  });
  afterAll(() => mongo.stop());
  idempotencyContract(async () => openMongoIdempotency(mongo.url, log));
});
