import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AnyRedis } from '#shared/backends/redis';
import { openAgreement } from '#shared/lifecycle/agreement/agreement';
import { openReadyRedis, quietLog } from '../kit/ready-redis.ts';
import { hasRedis, startRedis, type TestRedis } from '../kit/redis.ts';

/** How often this Redis was asked for the settings. */
async function comparisons(client: AnyRedis): Promise<number> {
  return Number(/cmdstat_eval:calls=(\d+)/.exec(await client.info('commandstats'))?.[1] ?? 0);
}

describe.skipIf(!hasRedis)('settings that must agree', () => {
  let redis: TestRedis;
  beforeEach(async () => {
    redis = await startRedis();
  });
  afterEach(() => redis.stop());

  /** A process with this value of a setting; `look` has it compare now, as a new connection does. */
  const open = async (value: string) => {
    const client = await openReadyRedis(redis.url);
    const log = { ...quietLog, error: () => undefined };
    const agreement = openAgreement(
      client,
      [{ name: 'STORE', isNeeded: true, read: async () => value }],
      log,
    );
    const look = () => client.emit('ready');
    look();
    await agreement.firstLook;
    return { agreement, client, look };
  };

  test('a process that was refused is not the first in a Redis that comes back empty', async () => {
    const right = await open('one');
    const foreign = await open('two');
    expect([right.agreement.refusal(), foreign.agreement.refusal()]).toEqual([
      undefined,
      'STORE is "two" here and "one" in other processes',
    ]);
    // Its timer is not to be the one that comes first.
    right.agreement.close();
    await right.client.flushall();
    const before = await comparisons(right.client);
    await expect.poll(() => comparisons(right.client)).toBeGreaterThan(before);
    expect(await right.client.keys('*')).toEqual([]);
    right.look();
    await expect.poll(() => right.client.keys('*')).toHaveLength(1);
    foreign.look();
    await foreign.client.ping();
    expect([right.agreement.state(), foreign.agreement.refusal()]).toEqual([
      true,
      'STORE is "two" here and "one" in other processes',
    ]);
    for (const { agreement, client } of [right, foreign]) {
      agreement.close();
      client.disconnect();
    }
  });

  test('a setting that is unset in the others differs from one that is set here', async () => {
    const others = await open('');
    const here = await open('https://checks.example');
    expect([others.agreement.state(), here.agreement.state()]).toEqual([
      true,
      'STORE is "https://checks.example" here and "" in other processes',
    ]);
    for (const { agreement, client } of [others, here]) {
      agreement.close();
      client.disconnect();
    }
  });
});
