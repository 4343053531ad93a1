import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBackend } from '#shared/lifecycle/backend';
import { readConfig } from '#shared/settings/config';
import { makeToken } from '#shared/stores/tokens/make-token';
import { openLogger } from '#shared/telemetry/logger';
import { leaseMs } from '../../api/batches/feed/feed-batch.ts';
import { type ServiceProcess, startService } from '../kit/service-process.ts';
import { type Lab, openLab } from '../lab/kit/lab.ts';

const hosts = Array.from({ length: 60 }, (_, at) => `t${at}.test`);
/** Long enough that some run and some wait whenever it is killed. */
const targetMs = 400;

const folder = mkdtempSync(join(tmpdir(), 'diag-batch-'));
const visits = new Map<string, number>();
let lab: Lab;
let settings: Readonly<Record<string, string>>;
beforeAll(async () => {
  const site = (host: string) => (_request: unknown, response: { end(text: string): void }) => {
    visits.set(host, (visits.get(host) ?? 0) + 1);
    setTimeout(() => response.end('page'), targetMs);
  };
  lab = await openLab({ sites: Object.fromEntries(hosts.map((host) => [`http://${host}`, site(host)])) });
  settings = lab.settings({
    DATA_DIR: join(folder, 'data'),
    LOG_LEVEL: 'info',
    RATE_LIMIT: 'off',
    WORKER_CONCURRENCY: '4',
  });
});
afterAll(async () => {
  await lab?.close();
  rmSync(folder, { recursive: true });
});

async function drawToken(): Promise<Readonly<Record<string, string>>> {
  const backend = await openBackend(readConfig(settings), openLogger('silent'));
  const wish = { name: 'test', scopes: ['tools' as const], limits: {}, expiresAt: null };
  const { text, token } = makeToken(wish, Date.now());
  await backend.tokenStore.insert(token);
  await backend.close(0);
  return { authorization: `Bearer ${text}` };
}

const serve = (): Promise<ServiceProcess> =>
  startService({ program: process.execPath, args: ['cli/diag.js', 'serve'], environment: settings });

test('a batch of a single process outlives it: killed twice, it goes on where it was', async () => {
  const headers = await drawToken();
  let service = await serve();
  const targets = hosts.map((host) => `http://${host}/`);
  const made = await fetch(`${service.url}/api/batches`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ check: 'redirect-check', targets }),
  });
  expect(made.status).toBe(201);
  const { batchId } = (await made.json()) as { readonly batchId: string };
  const look = async () => {
    const response = await fetch(`${service.url}/api/batches/${batchId}`, { headers });
    return (await response.json()) as { readonly state: string; readonly done: number };
  };
  const restarts = [];
  for (const [share, signal] of [
    [0.2, 'SIGKILL'],
    [0.5, 'SIGTERM'],
  ] as const) {
    await expect
      .poll(async () => (await look()).done, { timeout: 60_000 })
      .toBeGreaterThanOrEqual(targets.length * share);
    const before = (await look()).done;
    service.kill(signal);
    await service.closed;
    service = await serve();
    const { state, done } = await look();
    expect(state).toBe('running');
    expect(done).toBeGreaterThanOrEqual(before);
    // Nobody else can have it: it goes on at once, and not when the lease of the dead process has ended.
    const start = performance.now();
    await expect.poll(async () => (await look()).done, { timeout: 60_000 }).toBeGreaterThan(done);
    restarts.push({ before, after: done, goesOnMs: Math.round(performance.now() - start) });
    expect(performance.now() - start).toBeLessThan(leaseMs / 2);
  }
  await expect.poll(look, { timeout: 90_000, interval: 500 }).toMatchObject({ state: 'done', done: 60 });
  const response = await fetch(`${service.url}/api/batches/${batchId}/results`, { headers });
  const lines = (await response.text()).trimEnd().split('\n');
  const indexes = lines.map((line) => (JSON.parse(line) as { readonly index: number }).index);
  expect(indexes.toSorted((a, b) => a - b)).toEqual(targets.map((_, index) => index));
  const asked = hosts.map((host) => visits.get(host) ?? 0);
  console.log(
    `${JSON.stringify(restarts)}; targets asked twice: ${asked.filter((times) => times > 1).length}`,
  );
  expect(Math.min(...asked)).toBeGreaterThan(0);
  // What ran in the moment of a kill, and nothing that had ended.
  expect(asked.reduce((sum, times) => sum + times, 0)).toBeLessThanOrEqual(targets.length + 2 * 2 * 4);
  service.kill('SIGKILL');
  await service.closed;
}, 240_000);
