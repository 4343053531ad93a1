import { expect, test } from 'vitest';
import { randomId } from '#shared/model/job';
import type { Pace } from '#shared/pace/port';

const rate = { perSecond: 2, burst: 10 };

/** What every pace must do. */
export function paceContract(open: () => Promise<Pace>): void {
  test('so many at once go at once; the next waits for its time, and what would wait too long takes nothing', async () => {
    const pace = await open();
    const key = randomId();
    const waits = [];
    for (let taken = 0; taken < 10; taken += 1) waits.push(await pace.take(key, 1, rate, 10_000));
    expect(waits.every((wait) => wait === 0)).toBe(true);
    // Two a second: the eleventh half a second from now, the fifteenth two and a half.
    const late = [];
    for (let taken = 0; taken < 5; taken += 1) late.push((await pace.take(key, 1, rate, 10_000)) ?? -1);
    expect(late.every((wait, index) => wait > index * 500 - 2000 && wait <= (index + 1) * 500)).toBe(true);
    expect(await pace.take(key, 1, rate, 0)).toBeNull();
    expect(await pace.take(key, 100, rate, 10_000)).toBeNull();
    expect(await pace.take(key, 1, rate, 10_000)).toBeLessThanOrEqual(3000);
    await pace.close();
  });

  test('each key has its own rate', async () => {
    const pace = await open();
    const [a, b] = [randomId(), randomId()];
    expect(await pace.take(a, 10, rate, 0)).toBe(0);
    expect(await pace.take(a, 10, rate, 0)).toBeNull();
    expect(await pace.take(b, 10, rate, 0)).toBe(0);
    await pace.close();
  });
}
