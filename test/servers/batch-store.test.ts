import { afterAll, beforeAll, describe } from 'vitest';
import { openMongoBatches } from '#shared/stores/batches/mongo';
import { batchStoreContract } from '../contract/batch-store.contract.ts';
import { hasMongo, startMongo, type TestMongo } from '../kit/mongo.ts';

const log = { error: console.error, warn: () => undefined, info: () => undefined, debug: () => undefined };

describe.skipIf(!hasMongo)('MongoDB batch store', () => {
  let mongo: TestMongo;
  beforeAll(async () => {
    mongo = await startMongo();
  });
  afterAll(() => mongo.stop());
  batchStoreContract(async () => openMongoBatches(mongo.url, log));
});
