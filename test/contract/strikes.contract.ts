import { expect, test } from 'vitest';
import type { Strikes } from '#shared/ports/strikes';

/** What every count of strikes must do. */
export function strikesContract(open: () => Promise<Strikes>): void {
  const job = (caller: string, host: string, jobId = `${caller} ${host}`) => ({ caller, host, jobId });

  test('nobody is refused for two processes', async () => {
    const strikes = await open();
    for (const host of ['a1.test', 'a2.test']) await strikes.add(job('two', host));
    expect(await strikes.look(job('two', 'a1.test'))).toBeUndefined();
  });

  test('a caller is refused for an hour after the third, whatever it asks about', async () => {
    const strikes = await open();
    for (const host of ['b1.test', 'b2.test', 'b3.test']) await strikes.add(job('three', host));
    expect(await strikes.look(job('three', 'b9.test'))).toMatchObject({ who: 'caller' });
    const { forS = 0 } = (await strikes.look(job('three', 'b9.test'))) ?? {};
    expect(forS).toBeGreaterThan(3500);
    expect(forS).toBeLessThanOrEqual(3600);
    expect(await strikes.look(job('another', 'b1.test'))).toBeUndefined();
  });

  test('a host is refused for all callers', async () => {
    const strikes = await open();
    for (const caller of ['c1', 'c2', 'c3']) await strikes.add(job(caller, 'c.test'));
    expect(await strikes.look(job('c9', 'c.test'))).toMatchObject({ who: 'host' });
    expect(await strikes.look(job('c1', 'other.test'))).toBeUndefined();
  });

  test('a job that was counted is known by its id', async () => {
    const strikes = await open();
    await strikes.add(job('d', 'd.test', 'struck'));
    expect(await strikes.has('struck')).toBe(true);
    expect(await strikes.has('other')).toBe(false);
  });
}
