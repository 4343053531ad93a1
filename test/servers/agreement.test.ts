import type { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Agreement, openAgreement } from '#shared/lifecycle/agreement/agreement';
import { openReadyRedis, quietLog } from '../kit/ready-redis.ts';
import { hasRedis, startRedis, type TestRedis } from '../kit/redis.ts';

type Member = { readonly agreement: Agreement; readonly client: Redis; end(): void; die(): Promise<void> };

const otherwise = (name: string, here: string) =>
  `${name} is "${here}" here and another value in the oldest process`;
const log = { ...quietLog, error: () => undefined };

describe.skipIf(!hasRedis)('settings that must agree', () => {
  let redis: TestRedis;
  let members: Member[] = [];
  beforeEach(async () => {
    redis = await startRedis();
  });
  afterEach(async () => {
    for (const member of members) member.end();
    members = [];
    await redis.stop();
  });

  /** A process with these values: of a setting that is needed, and of one that is not. */
  const open = async (store: string | undefined, pace = ''): Promise<Member> => {
    const client = await openReadyRedis(redis.url);
    const settings = [
      { name: 'STORE', isNeeded: true, read: async () => store },
      { name: 'PACE', isNeeded: false, read: async () => pace },
    ];
    const agreement = openAgreement(client, settings, log);
    const end = () => {
      agreement.close();
      client.disconnect();
    };
    /** Ends, and is dead for the others at once. */
    const die = async () => {
      agreement.close();
      for (const id of await client.lrange('diag:settings:processes', 0, 0))
        await client.del(`diag:settings:${id}`);
      end();
    };
    const member = { agreement, client, end, die };
    members.push(member);
    // As a new connection does.
    client.emit('ready');
    await expect.poll(() => agreement.state()).not.toContain('not compared');
    return member;
  };
  const told = async ({ client }: Member) => {
    const ids = await client.lrange('diag:settings:processes', 0, -1);
    const texts = await Promise.all(ids.map((id) => client.get(`diag:settings:${id}`)));
    return texts.map((text) => (JSON.parse(text ?? '{}') as { refused?: boolean }).refused);
  };

  test('the oldest decides, not the majority; one that differs where it may works on', async () => {
    const oldest = await open('one', 'slow');
    const others = [await open('two', 'slow'), await open('two', 'slow')];
    const next = await open('one', 'fast');
    expect([oldest, ...others].map(({ agreement }) => agreement.state())).toEqual([
      true,
      otherwise('STORE', 'two'),
      otherwise('STORE', 'two'),
    ]);
    expect([next.agreement.state(), next.agreement.refusal()]).toEqual([
      otherwise('PACE', 'fast'),
      undefined,
    ]);
    expect(await told(oldest)).toEqual([false, true, true, false]);
  });

  test('when the oldest has ended, the next oldest that works decides', async () => {
    const oldest = await open('one', 'slow');
    const refused = await open('two', 'fast');
    const next = await open('one', 'fast');
    await oldest.die();
    await expect.poll(() => next.agreement.state()).toBe(true);
    await expect.poll(() => refused.agreement.state()).toBe(otherwise('STORE', 'two'));
    // The one that has ended is no longer in the list.
    await expect.poll(() => told(next)).toEqual([true, false]);
  });

  test('of many that start at once, exactly one value holds', async () => {
    const stores = Array.from({ length: 8 }, (_, index) => `store ${index}`);
    const opened = await Promise.all(stores.map((store) => open(store)));
    const working = opened.filter(({ agreement }) => agreement.refusal() === undefined);
    expect(working).toHaveLength(1);
    // Once nobody has worked for a while, one of those that waited takes over, and only one.
    await working[0]?.die();
    const waiting = opened.filter((each) => each !== working[0]);
    const states = () => waiting.filter(({ agreement }) => agreement.refusal() === undefined).length;
    await expect.poll(states, { timeout: 45_000 }).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 6000));
    expect(states()).toBe(1);
  });

  test('a process that was refused is not the first in a Redis that comes back empty', async () => {
    const right = await open('one');
    const foreign = await open('two');
    expect([right.agreement.refusal(), foreign.agreement.refusal()]).toEqual([
      undefined,
      otherwise('STORE', 'two'),
    ]);
    await expect.poll(() => told(right)).toEqual([false, true]);
    // Its timer is not to be the one that comes first.
    right.agreement.close();
    await right.client.flushall();
    await expect.poll(() => told(foreign)).toEqual([true]);
    right.client.emit('ready');
    await expect.poll(() => told(right)).toEqual([true, false]);
    foreign.client.emit('ready');
    await foreign.client.ping();
    expect([right.agreement.state(), foreign.agreement.refusal()]).toEqual([true, otherwise('STORE', 'two')]);
  });

  test('a setting that is unset in the others differs from one that is set here', async () => {
    const others = await open('');
    const here = await open('https://checks.example');
    expect([others.agreement.state(), here.agreement.state()]).toEqual([
      true,
      otherwise('STORE', 'https://checks.example'),
    ]);
  });

  test('a process stays refused while the one that decides has not read its own value', async () => {
    const oldest = await open('one');
    const unread = await open(undefined);
    const foreign = await open('two');
    await oldest.die();
    await expect.poll(() => told(unread), { timeout: 10_000 }).toEqual([false, true]);
    foreign.client.emit('ready');
    await foreign.client.ping();
    expect([unread.agreement.state(), foreign.agreement.refusal()]).toEqual([
      true,
      otherwise('STORE', 'two'),
    ]);
  });

  test('in a Redis without memory what is there is still compared', async () => {
    const oldest = await open('one');
    await oldest.client.config('SET', 'maxmemory', '1');
    const [foreign, right] = [await open('two'), await open('one')];
    expect([foreign.agreement.refusal(), right.agreement.state()]).toEqual([otherwise('STORE', 'two'), true]);
    await oldest.client.config('SET', 'maxmemory', '0');
    await expect.poll(() => told(oldest)).toHaveLength(3);
  });
});
