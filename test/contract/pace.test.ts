import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { openLeasedPace } from '#shared/limits/pace/leased';
import { openMemoryLedger, openMemoryPace } from '#shared/limits/pace/memory';
import { openPaceOfWorker } from '../../worker/supervise/runner-side.ts';
import { order, paceContract } from './pace.contract.ts';

describe.concurrent('memory pace', () => {
  paceContract(async () => openMemoryPace());

  test('a burst waits for nothing, whatever fraction of a millisecond the clock shows', async () => {
    for (let now = 1; now < 2e4; now += 997.0937) {
      const pace = openMemoryPace(() => now);
      const wanted = order('a', { rate: { perSecond: 10, burst: 10 }, since: now, until: now });
      const waits = await Promise.all(Array.from({ length: 10 }, () => pace.take(wanted)));
      expect([waits.every((waitMs) => waitMs === 0), now]).toEqual([true, now]);
      expect(await pace.take(wanted)).toBeNull();
      await pace.close();
    }
  });
});

describe.concurrent('the pace of a runner process, whose worker keeps the account', () => {
  const openAside = () => {
    const ledger = openMemoryLedger();
    const told: string[] = [];
    const ofWorker = openPaceOfWorker(
      async (asks) => {
        told.push('asked');
        return ledger.lease(asks);
      },
      (message) => {
        told.push(message.kind);
        if (message.kind === 'returned') void ledger.lease(message.asks); // never rejects
      },
    );
    return { pace: openLeasedPace(ofWorker), told };
  };
  paceContract(async () => openAside().pace);

  test('what a busy run asks takes few messages, and what is left over comes back in one', async ({
    expect: own,
  }) => {
    const { pace, told } = openAside();
    const rate = { perSecond: 100, burst: 100 };
    for (let unit = 0; unit < 20; unit += 1) expect(await pace.take(order('a', { rate }))).toBe(0);
    expect(told.length).toBeLessThan(8);
    // Of this test: others run beside it.
    await own.poll(() => told.at(-1)).toBe('returned');
    expect(told.filter((kind) => kind === 'returned')).toHaveLength(1);
    await pace.close();
  });

  test('of a large burst a run gets enough at its first question', async () => {
    const { pace, told } = openAside();
    const rate = { perSecond: 200, burst: 2000 };
    for (let unit = 0; unit < 30; unit += 1) expect(await pace.take(order('a', { rate }))).toBe(0);
    expect(told).toEqual(['asked']);
    await pace.close();
  });
});

test('what many keys leave over goes back together', async () => {
  const ledger = openMemoryLedger();
  const returned: number[] = [];
  const pace = openLeasedPace({
    ...ledger,
    async lease(asks) {
      if (asks.every(({ wanted }) => wanted === 0)) returned.push(asks.length);
      return ledger.lease(asks);
    },
  });
  for (const key of ['a', 'b', 'c', 'd', 'e']) {
    expect(await pace.take(order(key))).toBe(0);
    await delay(20);
  }
  await expect.poll(() => returned.reduce((sum, count) => sum + count, 0)).toBe(5);
  // One, where the machine is not busy: the first of them waits for the others.
  expect(returned.length).toBeLessThanOrEqual(2);
  await pace.close();
});
