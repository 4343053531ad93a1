import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { randomId } from '#shared/model/job';
import type { Quota, RateLimiter } from '#shared/ports/rate-limiter';

const quota: Quota = { policy: 'scans', points: 10, windowS: 60 };

/** What every rate limiter promises. */
export function rateLimiterContract(open: () => Promise<RateLimiter>): void {
  let limiter: RateLimiter;
  beforeEach(async () => {
    limiter = await open();
  });
  afterEach(async () => {
    await limiter.close();
  });

  test('points are taken until there are none, each caller on its own', async () => {
    const [a, b] = [randomId(), randomId()];
    expect(await limiter.take(quota, a, 7)).toMatchObject({ allowed: true, remaining: 3 });
    expect(await limiter.take(quota, a, 3)).toMatchObject({ allowed: true, remaining: 0 });
    expect(await limiter.take(quota, a, 1)).toMatchObject({ allowed: false, remaining: 0 });
    expect(await limiter.take(quota, b, 1)).toMatchObject({ allowed: true, remaining: 9 });
  });

  test('a refusal costs nothing: what is left can still be taken', async () => {
    const caller = randomId();
    await limiter.take(quota, caller, 8);
    for (let index = 0; index < 5; index += 1)
      expect(await limiter.take(quota, caller, 5)).toMatchObject({ allowed: false, remaining: 2 });
    expect(await limiter.take(quota, caller, 2)).toMatchObject({ allowed: true, remaining: 0 });
  });

  test('points given back can be taken again, never more than were taken', async () => {
    const caller = randomId();
    const taken = await limiter.take(quota, caller, 10);
    await limiter.giveBack(quota, caller, 4, taken);
    expect(await limiter.look(quota, caller)).toMatchObject({ remaining: 4 });
    await limiter.giveBack(quota, caller, 100, taken);
    expect(await limiter.look(quota, caller)).toMatchObject({ remaining: 10 });
  });

  test('in a new window nothing is owed, and a late refund is no credit', async () => {
    const caller = randomId();
    const short: Quota = { policy: 'scans', points: 3, windowS: 1 };
    const taken = await limiter.take(short, caller, 3);
    await expect.poll(async () => (await limiter.look(short, caller)).remaining, { timeout: 30_000 }).toBe(3);
    await limiter.giveBack(short, caller, 3, taken);
    expect(await limiter.look(short, caller)).toMatchObject({ remaining: 3 });
    await limiter.take(short, caller, 2);
    await limiter.giveBack(short, caller, 3, taken);
    expect(await limiter.look(short, caller)).toMatchObject({ remaining: 1 });
    await expect.poll(async () => (await limiter.look(short, caller)).remaining, { timeout: 30_000 }).toBe(3);
    expect(await limiter.take(short, caller, 4)).toMatchObject({ allowed: false });
  });

  test.for([
    ['back', -3_600_000],
    ['ahead', 3_600_000],
  ] as const)("a window ends in its time where this machine's clock is set %s", async ([, ms]) => {
    const [caller, other] = [randomId(), randomId()];
    const short: Quota = { policy: 'scans', points: 3, windowS: 1 };
    await limiter.take(short, caller, 3);
    const taken = await limiter.take(quota, other, 3);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms });
    try {
      // A call that went wrong gives its points back, whatever the clock shows.
      await limiter.giveBack(quota, other, 3, taken);
      expect(await limiter.look(quota, other)).toMatchObject({ remaining: 10 });
      expect((await limiter.take(quota, other, 1)).resetS).toBeLessThanOrEqual(60);
      await expect
        .poll(async () => (await limiter.take(short, caller, 3)).allowed, { timeout: 30_000 })
        .toBe(true);
    } finally {
      vi.useRealTimers();
    }
  });

  test('it says when the window ends, in whole seconds', async () => {
    const caller = randomId();
    const { resetS } = await limiter.take(quota, caller, 1);
    expect(resetS).toBeGreaterThan(58);
    expect(resetS).toBeLessThanOrEqual(60);
    expect(Number.isInteger(resetS)).toBe(true);
  });
}
