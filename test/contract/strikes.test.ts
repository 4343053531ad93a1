import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openMemoryStrikes } from '#shared/limits/strikes/memory';
import { openRedisStrikes } from '#shared/limits/strikes/redis';
import { freeze } from '../kit/freeze.ts';
import { openReadyRedis, quietLog } from '../kit/ready-redis.ts';
import { hasRedis, startRedis, type TestRedis } from '../kit/redis.ts';
import { strikesContract } from './strikes.contract.ts';

const job = (caller: string, host: string) => ({ caller, host, jobId: `${caller} ${host}` });

describe('memory strikes', () => {
  strikesContract(async () => openMemoryStrikes());

  test('three are too many only within an hour, and a refusal ends after an hour', async () => {
    let now = 0;
    const strikes = openMemoryStrikes(() => now);
    const minute = 60_000;
    for (const at of [0, 40, 61]) {
      now = at * minute;
      await strikes.add(job('a', `${at}.test`));
    }
    expect(await strikes.look(job('a', 'b.test'))).toBeUndefined();
    now = 70 * minute;
    await strikes.add(job('a', '70.test'));
    expect(await strikes.look(job('a', 'b.test'))).toEqual({ who: 'caller', forS: 3600 });
    now = 130 * minute;
    expect(await strikes.look(job('a', 'b.test'))).toBeUndefined();
  });
});

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
