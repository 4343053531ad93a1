import { describe } from 'vitest';
import { ownCacheContract } from '../api/own-cache.contract.ts';
import { hasMongo, startMongo } from '../kit/mongo.ts';
import { hasRedis, startRedis } from '../kit/redis.ts';

describe.skipIf(!hasRedis || !hasMongo)('Redis and MongoDB', () => {
  ownCacheContract(async () => {
    const [redis, mongo] = await Promise.all([startRedis(), startMongo()]);
    const settings = { REDIS_URL: redis.url, MONGODB_URL: mongo.url };
    return { settings, stop: () => Promise.all([redis.stop(), mongo.stop()]) };
  });
});
