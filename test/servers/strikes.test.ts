import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRedisStrikes } from '#shared/limits/strikes/redis';
import { strikesContract } from '../contract/strikes.contract.ts';
import { freeze } from '../kit/freeze.ts';
import { openReadyRedis, quietLog } from '../kit/ready-redis.ts';
import { hasRedis, startRedis, type TestRedis } from '../kit/redis.ts';

const job = (caller: string, host: string) => ({ caller, host, jobId: `${caller} ${host}` });

describe.skipIf(!hasRedis)('Redis strikes', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());
  const open = async () => openRedisStrikes(await openReadyRedis(redis.url), quietLog);
  strikesContract(open);

  test('processes count together; each goes by its own while Redis does not answer', async () => {
    const [a, b] = [await open(), await open()];
    await a.add(job('x', 'x1.test'));
    await b.add(job('x', 'x2.test'));
    await b.add(job('x', 'x3.test'));
    expect(await a.look(job('x', 'x9.test'))).toMatchObject({ who: 'caller' });
    await freeze(redis.process);
    expect(await a.look(job('x', 'x9.test'))).toBeUndefined();
    redis.process?.kill('SIGCONT');
  });
});
