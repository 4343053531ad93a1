import { expect, test } from 'vitest';
import { openAdminServer } from '#shared/lifecycle/admin-server';
import { openReadiness } from '#shared/lifecycle/readiness';
import type { Able, Checks } from '#shared/model/readiness';
import { openMemoryJobQueue } from '#shared/queue/memory';
import { openLogger } from '#shared/telemetry/logger';
import { openMetrics } from '#shared/telemetry/metrics';

const log = openLogger('silent');
const away = 'does not answer';
const api: Able = { canWork: ({ queue, store }) => queue === true || store === true };
const worker: Able = {
  readiness: () => ({ browser: away }),
  canWork: ({ queue, store }) => queue === true && store === true,
};

/** Asks /readyz and /metrics of a process whose parts are so. */
async function ask(checks: Checks, parts: readonly Able[]) {
  const pings = Object.fromEntries(Object.entries(checks).map(([part, state]) => [part, async () => state]));
  const queue = openMemoryJobQueue({ hostConcurrency: 1, hostWaitingLimit: 1, waitingLimit: 1 });
  const store = { use: async () => ({ usedBytes: 0, limitBytes: 0 }), ping: async () => true as const };
  const metrics = openMetrics(queue, store);
  const readiness = openReadiness(pings, parts, log);
  metrics.watchReadiness(readiness);
  const admin = await openAdminServer(
    { host: '127.0.0.1', port: 0, defaultPort: 0, publicUrl: undefined },
    { readiness, metrics },
    log,
  );
  const answer = await fetch(`http://127.0.0.1:${admin.port}/readyz`);
  const told = await (await fetch(`http://127.0.0.1:${admin.port}/metrics`)).text();
  await admin.close();
  await queue.close(0);
  const gauges = told.split('\n').filter((line) => line.startsWith('diag_degraded'));
  return { status: answer.status, body: await answer.json(), gauges };
}

const cases: {
  name: string;
  checks: Checks;
  parts: readonly Able[];
  status: number;
  body: object;
  gauges: string[];
}[] = [
  {
    name: 'all there',
    checks: { queue: true, store: true },
    parts: [api],
    status: 200,
    body: { status: 'ready' },
    gauges: ['diag_degraded{part="queue"} 0', 'diag_degraded{part="store"} 0'],
  },
  {
    name: 'an API without its queue is ready and says what is away',
    checks: { queue: away, store: true },
    parts: [api],
    status: 200,
    body: { status: 'degraded', degraded: { queue: away } },
    gauges: ['diag_degraded{part="queue"} 1', 'diag_degraded{part="store"} 0'],
  },
  {
    name: 'an API without queue and store is not ready',
    checks: { queue: away, store: away },
    parts: [api],
    status: 503,
    body: { status: 'not-ready', degraded: { queue: away, store: away } },
    gauges: ['diag_degraded{part="queue"} 1', 'diag_degraded{part="store"} 1'],
  },
  {
    name: 'a worker without its queue is not ready',
    checks: { queue: away, store: true },
    parts: [worker],
    status: 503,
    body: { status: 'not-ready', degraded: { queue: away, browser: away } },
    gauges: [
      'diag_degraded{part="queue"} 1',
      'diag_degraded{part="store"} 0',
      'diag_degraded{part="browser"} 1',
    ],
  },
  {
    name: 'a process of both is ready while one of them is',
    checks: { queue: away, store: true },
    parts: [api, worker],
    status: 200,
    body: { status: 'degraded' },
    gauges: [
      'diag_degraded{part="queue"} 1',
      'diag_degraded{part="store"} 0',
      'diag_degraded{part="browser"} 1',
    ],
  },
];
test.for(cases)('$name', async ({ checks, parts, status, body, gauges }) => {
  const found = await ask(checks, parts);
  expect(found).toMatchObject({ status, body, gauges });
});

test('a store that never answers, and a ping that throws, are told as faults of their part', async () => {
  const pings = {
    queue: () => Promise.reject(new Error('a defect')),
    store: () => new Promise<true>(() => undefined),
  };
  expect((await openReadiness(pings, [api], log)()).checks).toEqual({
    queue: 'cannot be asked; the log has the cause',
    store: 'no answer within 1000 ms',
  });
});
