import { afterAll, beforeAll, describe } from 'vitest';
import { randomId } from '#shared/model/job';
import { openMongoWatchStore } from '#shared/stores/watches/mongo';
import { watchStoreContract } from '../contract/watch-store.contract.ts';
import { hasMongo, startMongo, type TestMongo, withDatabase } from '../kit/mongo.ts';

const log = { error: console.error, warn: () => undefined, info: () => undefined, debug: () => undefined };

describe.skipIf(!hasMongo)('mongo watch store', () => {
  let mongo: TestMongo;
  beforeAll(async () => {
    mongo = await startMongo();
  });
  afterAll(() => mongo.stop());
  watchStoreContract(
    async () => openMongoWatchStore(withDatabase(mongo.url, `w${randomId().slice(0, 12)}`), log),
    45,
  );
});
