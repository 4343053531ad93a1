import { afterAll, beforeAll, describe } from 'vitest';
import { openMongoAccountTurns } from '#shared/stores/account-turns/mongo';
import { accountTurnsContract } from '../contract/account-turns.contract.ts';
import { hasMongo, startMongo, type TestMongo } from '../kit/mongo.ts';

const log = { error: console.error, warn: () => undefined, info: () => undefined, debug: () => undefined };

describe.skipIf(!hasMongo)('turns of accounts in MongoDB', () => {
  let mongo: TestMongo;
  beforeAll(async () => {
    mongo = await startMongo();
  });
  afterAll(() => mongo.stop());
  accountTurnsContract(async () => [1, 2, 3].map(() => openMongoAccountTurns(mongo.url, log)));
});
