import { afterAll, beforeAll, describe } from 'vitest';
import { openMongoAccess } from '#shared/stores/access/mongo';
import { accessContract, log } from '../contract/access-record.contract.ts';
import { hasMongo, startMongo, type TestMongo, withDatabase } from '../kit/mongo.ts';

describe.skipIf(!hasMongo)('MongoDB access records', () => {
  let mongo: TestMongo;
  beforeAll(async () => {
    mongo = await startMongo();
  });
  afterAll(() => mongo.stop());
  accessContract(async () => openMongoAccess(withDatabase(mongo.url, 'diag'), log));
});
