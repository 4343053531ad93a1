import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { randomId } from '#shared/model/job';
import { makeReport } from '#shared/model/report';
import { openMongoReportStore } from '#shared/stores/reports/mongo';
import { watchOutages } from '#shared/telemetry/outages';
import { hasMongo, startMongo, type TestMongo } from '../kit/mongo.ts';
import { openOneAtATime, type OneAtATime } from './one-at-a-time.ts';

const lines: string[] = [];
const told = (_fields: object, message: string) => void lines.push(message);
const log = { error: told, warn: told, info: told, debug: () => undefined };

/** As many runs as a worker of 50 may have under way. */
const runs = 100;
/** One call after the other, each so long: 100 at once are far more than the driver waits for. */
const callMs = 15;
const lastsMs = 8000;

function reportOf(reportId: string) {
  const facts = {
    check: 'redirect-check',
    target: { url: 'http://a.test/' },
    rules: {},
    rulesVersion: 1,
    reportId,
    checkedAtMs: Date.now(),
    durationMs: 1,
    freshForS: 60,
    keepForS: 600,
  };
  return makeReport(facts, { state: 'complete', verdicts: {}, fields: {} });
}

describe.skipIf(!hasMongo)('a store that answers everything, but slower than it is asked', () => {
  let mongo: TestMongo;
  let way: OneAtATime;
  beforeAll(async () => {
    mongo = await startMongo();
    way = await openOneAtATime(Number(new URL(mongo.url).port));
  });
  afterAll(async () => {
    await way.close();
    await mongo.stop();
  });

  const open = () => {
    lines.length = 0;
    const store = openMongoReportStore(`mongodb://127.0.0.1:${way.port}/diag`, {
      log,
      limitBytes: 1e9,
      isPatient: true,
    });
    return watchOutages(store, { part: 'store', code: 'store_unavailable', log });
  };

  test('is never away: runs wait for it, no call fails, and no connection is dropped', async () => {
    const watched = open();
    const { port: store } = watched;
    await expect.poll(() => store.ping()).toBe(true);
    way.take(callMs);
    const tally: Record<string, number> = {};
    const count = (acting: Promise<unknown>) =>
      acting
        .then(
          () => 'works',
          (error: { code?: string }) => error.code ?? String(error),
        )
        .then((outcome) => {
          tally[outcome] = (tally[outcome] ?? 0) + 1;
        });
    const until = performance.now() + lastsMs;
    const run = async () => {
      while (performance.now() < until) {
        const reportId = randomId();
        const question = { jobKey: reportId, wanted: { since: 0, orFresh: true } };
        await count(store.findFresh([question]));
        await count(store.keepBlob({ reportId, kind: 'evidence' }, new Uint8Array(500), Date.now() + 60_000));
        await count(store.insert(reportOf(reportId), { reportId, jobId: reportId, jobKey: reportId }));
      }
    };
    const look = async () => {
      while (performance.now() < until) {
        await store.ping();
        await delay(500);
      }
    };
    const before = { ...way.seen };
    await Promise.all([look(), ...Array.from({ length: runs }, run)]);
    way.take(0);
    console.log(
      `slow store: ${JSON.stringify(tally)}, ${lines.filter((line) => line === 'store is away').length} times away, ${way.seen.connections - before.connections} connections opened, ${way.seen.calls - before.calls} calls`,
    );
    // Once, where the machine itself stands still.
    expect(lines.filter((line) => line === 'store is away').length).toBeLessThanOrEqual(1);
    // A busy machine may hold up some calls for longer than the driver waits.
    const { works = 0, ...failures } = tally;
    expect(Object.keys(failures).filter((code) => code !== 'store_unavailable')).toEqual([]);
    expect(failures['store_unavailable'] ?? 0).toBeLessThan(works / 10);
    // Those of the pool, and some of the monitor.
    expect(way.seen.connections - before.connections).toBeLessThan(100);
    watched.close();
    await store.close();
  });

  test('is not away when it pauses, and no call fails; it is away when it stands still', async () => {
    const watched = open();
    const { port: store } = watched;
    await expect.poll(() => store.ping()).toBe(true);
    const isOver = new AbortController();
    let failed = 0;
    const ask = async () => {
      while (!isOver.signal.aborted) {
        await store.get('x').catch(() => {
          failed += 1;
        });
        await delay(20);
      }
    };
    const asking = Promise.all(Array.from({ length: 4 }, ask));
    // What was found is trusted for a moment.
    await delay(300);
    way.pause(1200);
    expect(await store.ping()).toBe(true);
    await expect.poll(() => store.get('x')).toBeUndefined();
    await expect.poll(() => store.ping()).toBe(true);
    expect(failed).toBe(0);
    expect(lines).not.toContain('store is away');
    way.pause(12_000);
    await expect.poll(() => lines).toContain('store is away');
    expect(failed).toBeGreaterThan(0);
    await expect.poll(() => lines).toContain('store is back');
    isOver.abort();
    await asking;
    watched.close();
    await store.close();
  });
});
