import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { randomId } from '#shared/model/job';
import type { ReportStore } from '#shared/ports/report-store';
import { openMongoReportStore } from '#shared/stores/reports/mongo';
import { type Fault, type FaultyWay, openFaultyWay } from '../kit/faulty-way.ts';
import { hasMongo, startMongo, type TestMongo } from '../kit/mongo.ts';

const count = 12;
const silence = { error() {}, warn() {}, info() {}, debug() {} };
/** The driver's own limits, which a URL may take away: it then waits for ever on a connection that is gone, its monitor too. */
const limits = { 'its own limits': '', 'no limits': '?connectTimeoutMS=0&socketTimeoutMS=0' } as const;
const faults: readonly Fault[] = ['reset', 'ended', 'frozen', 'requests lost', 'answers lost'];

type Client = { readonly store: ReportStore; hangs: number };

const look = async (client: Client, act: () => Promise<unknown>) => {
  client.hangs += 1;
  const outcome = await act().then(
    () => 'works',
    (error: { code?: string }) => error.code ?? String(error),
  );
  client.hangs -= 1;
  return outcome;
};
const read = (client: Client) => look(client, () => client.store.get('x'));
// Larger than what a socket takes at once: the driver waits for it to drain.
const bytes = new Uint8Array(1_000_000).fill(1);
const write = (client: Client) =>
  look(client, () =>
    client.store.keepBlob({ reportId: randomId(), kind: 'evidence' }, bytes, Date.now() + 60_000),
  );

describe.skipIf(!hasMongo)('the way to the store', () => {
  let mongo: TestMongo;
  let way: FaultyWay;
  beforeAll(async () => {
    mongo = await startMongo();
  });
  afterAll(() => mongo.stop());

  const isHalfOpen = (fault: Fault) => fault !== 'reset' && fault !== 'ended';
  const cases = Object.entries(limits).flatMap(([name, query]) =>
    faults.filter((fault) => query === '' || isHalfOpen(fault)).map((fault) => ({ fault, name, query })),
  );
  test.for(cases)(
    'with connections $fault for a while under load, a driver with $name: every client works again',
    async ({ fault, query }) => {
      way = await openFaultyWay(Number(new URL(mongo.url).port));
      const url = `mongodb://127.0.0.1:${way.port}/diag${query}`;
      const clients = Array.from({ length: count }, (): Client => ({
        store: openMongoReportStore(url, { log: silence, limitBytes: 1e9 }),
        hangs: 0,
      }));
      await Promise.all(clients.map(async (client) => expect.poll(() => client.store.ping()).toBe(true)));
      const loads = loadAll(clients);
      await delay(500);
      way.strike(fault);
      await delay(2500);
      way.heal();
      const start = performance.now();
      // Each alone: one that works says nothing of the others.
      await Promise.all(
        clients.map(async (client) =>
          expect.poll(() => read(client), { timeout: 20_000, interval: 250 }).toBe('works'),
        ),
      );
      await loads.stop();
      console.log(
        `${fault}${query}: ${count} of ${count} work ${Math.round(performance.now() - start)} ms later`,
      );
      await Promise.all(
        clients.map(async (client) => expect.poll(() => write(client), { interval: 250 }).toBe('works')),
      );
      // No call is left that nobody ends.
      await expect.poll(() => clients.map(({ hangs }) => hangs)).toEqual(clients.map(() => 0));
      await Promise.all(clients.map(({ store }) => store.close()));
      await way.close();
    },
  );
});

function loadAll(clients: readonly Client[]): { stop(): Promise<void> } {
  let isOn = true;
  const keepOn = async (act: () => Promise<unknown>, everyMs: number) => {
    while (isOn) {
      await act();
      await delay(everyMs);
    }
  };
  const loads = clients.flatMap((client) => [
    ...Array.from({ length: 4 }, () => keepOn(() => read(client), 50)),
    keepOn(() => write(client), 500),
  ]);
  return {
    async stop() {
      isOn = false;
      await Promise.all(loads);
    },
  };
}
