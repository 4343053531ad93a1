import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { randomId } from '#shared/model/job';
import type { Pace, PaceOrder } from '#shared/ports/pace';
import { steadyNow } from '#shared/time/steady-time';

/** Of it anonymous callers may use five a second, and ten at once. */
const rate = { perSecond: 20, burst: 40 };

/** An order of a caller with a token, placed now, that waits for ten seconds. */
export function order(key: string, different: Partial<PaceOrder> = {}): PaceOrder {
  const now = steadyNow();
  return { key, rate, isAnonymous: false, askedAt: now, since: now, until: now + 10_000, ...different };
}

/** Waits until the unit may be used, as runs do. @returns false where it is refused */
export async function takeOne(pace: Pace, wanted: PaceOrder): Promise<boolean> {
  for (;;) {
    const waitMs = await pace.take(wanted);
    if (waitMs === null || waitMs === 0) return waitMs === 0;
    await delay(waitMs);
  }
}

/** How many of so many orders, all placed now, are let through within the time. */
export async function countThrough(
  paces: readonly Pace[],
  count: number,
  different: Partial<PaceOrder> & Pick<PaceOrder, 'key'>,
  withinMs: number,
): Promise<number> {
  const until = steadyNow() + withinMs;
  const wanted = order(different.key, { ...different, until });
  const taken = Array.from({ length: count }, (_, at) => takeOne(paces[at % paces.length] as Pace, wanted));
  return (await Promise.all(taken)).filter(Boolean).length;
}

/** What every pace must do. */
export function paceContract(open: () => Promise<Pace>): void {
  test('so many go at once; what comes after them waits for its time or is told to come back, and what would wait too long is refused', async () => {
    const pace = await open();
    const key = randomId();
    const start = steadyNow();
    expect(await countThrough([pace], 40, { key, rate }, 10_000)).toBe(40);
    // Without a burst they would take two seconds.
    expect(steadyNow() - start).toBeLessThan(1900);
    const wanted = order(key);
    const next = await Promise.all(Array.from({ length: 60 }, () => pace.take(wanted)));
    const through = next.filter((waitMs) => waitMs === 0).length;
    const away = next.filter((waitMs) => waitMs !== null && waitMs > 0).length;
    expect(through).toBeGreaterThanOrEqual(15);
    expect(through).toBeLessThanOrEqual(24 + (steadyNow() - start) / 50);
    expect(through + away).toBe(60);
    expect(await pace.take(order(key, { until: steadyNow() + 100 }))).toBeNull();
    await pace.close();
  });

  test('over four seconds no more than burst and rate are let through, and nearly as many', async () => {
    const pace = await open();
    const key = randomId();
    const through = await countThrough([pace], 300, { key }, 4000);
    expect(through).toBeLessThanOrEqual((40 + 4 * 20) * 1.1);
    expect(through).toBeGreaterThanOrEqual(40 + 3 * 20);
    await pace.close();
  });

  test('anonymous work uses a quarter, and what known callers need is left', async () => {
    const pace = await open();
    const key = randomId();
    const anonymous = countThrough([pace], 200, { key, isAnonymous: true }, 3000);
    const start = steadyNow();
    expect(await countThrough([pace], 25, { key }, 3000)).toBe(25);
    // Behind anonymous work they would take as long as that.
    expect(steadyNow() - start).toBeLessThan(1200);
    expect(await anonymous).toBeLessThanOrEqual((10 + 3 * 5) * 1.1);
    await pace.close();
  });

  test('a run that asked for much stands behind one that came later and asks for little', async () => {
    const pace = await open();
    const key = randomId();
    await countThrough([pace], 40, { key }, 1000);
    const now = steadyNow();
    const ends: string[] = [];
    const greedy = Array.from({ length: 20 }, () =>
      takeOne(pace, order(key, { since: now + 3000 })).then(() => ends.push('greedy')),
    );
    await delay(20);
    await takeOne(pace, order(key)).then(() => ends.push('modest'));
    expect(ends.length).toBeLessThanOrEqual(5);
    await Promise.all(greedy);
    await pace.close();
  });

  test('each key has its own rate', async () => {
    const pace = await open();
    const [a, b] = [randomId(), randomId()];
    const slow = { perSecond: 1, burst: 10 };
    expect(await countThrough([pace], 20, { key: a, rate: slow }, 300)).toBe(10);
    expect(await pace.take(order(a, { rate: slow, until: steadyNow() }))).toBeNull();
    expect(await pace.take(order(b, { rate: slow, until: steadyNow() + 300 }))).toBe(0);
    await pace.close();
  });
}
