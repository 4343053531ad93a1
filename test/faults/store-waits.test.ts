import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ReportStore } from '#shared/ports/report-store';
import { openMongoReportStore } from '#shared/stores/reports/mongo';
import { freeze } from '../kit/freeze.ts';
import { canStopMongo, hasMongo, startMongo, type TestMongo } from '../kit/mongo.ts';
import { type OneAtATime, openOneAtATime } from './one-at-a-time.ts';
import { openSlowWay } from './slow-way.ts';

const silence = { error() {}, warn() {}, info() {}, debug() {} };
const open = (port: number | string, query = '') =>
  openMongoReportStore(`mongodb://127.0.0.1:${port}/diag${query}`, { log: silence, limitBytes: 1e9 });
/** As long as a caller may wait for a store that is slow; a busy machine tells it later. */
const [slowMs, laterMs] = [5000, 4000];

async function timed(acting: Promise<unknown>): Promise<{ readonly outcome: string; readonly ms: number }> {
  const start = performance.now();
  const outcome = await acting.then(
    () => 'works',
    (error: { code?: string }) => error.code ?? String(error),
  );
  return { outcome, ms: performance.now() - start };
}

/** What so many callers at once get. */
async function askAll(store: ReportStore, count: number): Promise<readonly string[]> {
  const all = await Promise.all(Array.from({ length: count }, () => timed(store.get('x'))));
  return [...new Set(all.map(({ outcome }) => outcome))];
}

describe.skipIf(!hasMongo || !canStopMongo)('a store that callers wait for', () => {
  let mongo: TestMongo;
  let port: string;
  beforeAll(async () => {
    mongo = await startMongo();
    ({ port } = new URL(mongo.url));
  });
  afterAll(() => mongo.stop());

  test('answers everything a second late: a hundred callers at once are answered, also the first ones', async () => {
    const way = await openSlowWay(Number(port), { answerMs: 1000 });
    const store = open(way.port);
    expect(await askAll(store, 4)).toEqual(['works']);
    expect(await askAll(store, 60)).toEqual(['works']);
    await store.close();
    await way.close();
  });

  test('stands still for longer than a second: nobody is refused', async () => {
    const way: OneAtATime = await openOneAtATime(Number(port));
    const store = open(way.port);
    await expect.poll(() => store.ping()).toBe(true);
    way.pause(1500);
    expect(await askAll(store, 100)).toEqual(['works']);
    await store.close();
    await way.close();
  });

  test('hangs: who comes before that is known is told after 5 s, who comes later at once', async () => {
    const store = open(port);
    await expect.poll(() => store.ping()).toBe(true);
    await freeze(mongo.process);
    const early = await Promise.all(Array.from({ length: 100 }, () => timed(store.get('x'))));
    expect(new Set(early.map(({ outcome }) => outcome))).toEqual(new Set(['store_unavailable']));
    expect(Math.max(...early.map(({ ms }) => ms))).toBeLessThan(slowMs + laterMs);
    expect(Math.max(...early.map(({ ms }) => ms))).toBeGreaterThan(slowMs / 2);
    const late = await Promise.all(Array.from({ length: 20 }, () => timed(store.get('x'))));
    expect(new Set(late.map(({ outcome }) => outcome))).toEqual(new Set(['store_unavailable']));
    expect(Math.max(...late.map(({ ms }) => ms))).toBeLessThan(slowMs / 2);
    mongo.process?.kill('SIGCONT');
    await expect.poll(() => askAll(store, 1)).toEqual(['works']);
    await store.close();
  });

  test('hangs while thousands ask: those beyond some are refused at once, and it works again with it', async () => {
    const store = open(port);
    await expect.poll(() => store.ping()).toBe(true);
    await freeze(mongo.process);
    const all = await Promise.all(Array.from({ length: 5000 }, () => timed(store.get('x'))));
    expect(new Set(all.map(({ outcome }) => outcome))).toEqual(new Set(['store_unavailable']));
    // Those under way and those in line.
    expect(all.filter(({ ms }) => ms > slowMs / 2).length).toBeLessThan(2200);
    mongo.process?.kill('SIGCONT');
    await expect.poll(() => askAll(store, 1)).toEqual(['works']);
    await store.close();
  });

  test('takes the limits that its URL names', async () => {
    const way = await openSlowWay(Number(port), { answerMs: 1500 });
    const store = open(way.port, '?socketTimeoutMS=300');
    const { outcome, ms } = await timed(store.get('x'));
    expect(outcome).toBe('store_unavailable');
    expect(ms).toBeLessThan(slowMs + laterMs);
    await store.close();
    await way.close();
  });

  test('is away, before and after it was there: every caller is told at once', async () => {
    const late = await startMongo();
    const store = open(new URL(late.url).port);
    const end = async () => {
      const ended = new Promise((resolve) => late.process?.once('exit', resolve));
      late.process?.kill('SIGKILL');
      await ended;
    };
    await expect.poll(() => store.ping()).toBe(true);
    await end();
    const never = open(new URL(late.url).port);
    for (const away of [store, never]) {
      for (let rounds = 0; rounds < 3; rounds += 1) {
        const told = await Promise.all(Array.from({ length: 20 }, () => timed(away.get('x'))));
        expect(new Set(told.map(({ outcome }) => outcome))).toEqual(new Set(['store_unavailable']));
        expect(Math.max(...told.map(({ ms }) => ms))).toBeLessThan(slowMs / 2);
      }
    }
    await late.restart();
    await expect.poll(() => askAll(store, 1)).toEqual(['works']);
    await expect.poll(() => askAll(never, 1)).toEqual(['works']);
    await Promise.all([store.close(), never.close()]);
    await late.stop();
  });
});
