import { afterAll, beforeAll, describe } from 'vitest';
import { randomId } from '#shared/model/job';
import { openMongoWatchStore } from '#shared/stores/watches/mongo';
import { openSqliteWatchStore } from '#shared/stores/watches/sqlite';
import { hasMongo, startMongo, type TestMongo, withDatabase } from '../kit/mongo.ts';
import { watchStoreContract } from './watch-store.contract.ts';

const log = { error: console.error, warn: () => undefined, info: () => undefined, debug: () => undefined };

describe('sqlite watch store', () => {
  watchStoreContract(async () => openSqliteWatchStore(':memory:', log));
});

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
