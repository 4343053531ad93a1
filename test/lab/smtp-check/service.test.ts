import { request } from 'node:http';
import { afterAll, expect, test } from 'vitest';
import { openBackend } from '#shared/lifecycle/backend';
import type { Report } from '#shared/model/report';
import { readConfig } from '#shared/settings/config';
import { openMetrics } from '#shared/telemetry/metrics';
import { openApi } from '../../../api/open.ts';
import { openWorker } from '../../../worker/start/open.ts';
import { openMailWorld } from './world.ts';

const customers = Array.from({ length: 6 }, (_, at) => `c${at}.test`);
const world = await openMailWorld(
  {
    ...Object.fromEntries(
      customers.map((name) => [name, { MX: [{ preference: 1, exchange: 'mx.big.test' }] }]),
    ),
    'mx.big.test': { A: ['127.0.0.151'] },
    'quiet.test': { MX: [{ preference: 1, exchange: 'mx.quiet.test' }] },
    'mx.quiet.test': { A: ['127.0.0.152'] },
    'control.test': { A: ['127.0.0.153'] },
  },
  { settings: { SMTP_CONTROL_HOST: 'control.test', RATE_LIMIT: 'off', REPORT_TTL_DAYS: '1' } },
);
const server = await world.serve(151, { tls: await world.authority.issue(['mx.big.test']) });
const config = readConfig({ ...world.settings, WORKER_QUEUES: 'network' });
const silent = () => undefined;
const warned: string[] = [];
const log = {
  error: silent,
  warn: (_: object, words: string) => void warned.push(words),
  info: silent,
  debug: silent,
};
const backend = await openBackend(config, log);
const meters = [1, 2].map(() => openMetrics(backend.jobQueue, backend.reportStore));
// A runner process reads the settings of the environment, and files that run in this process later must not find them there.
const before = { ...process.env };
Object.assign(process.env, world.settings);
// Two workers of one service: one with a runner process, the other without, as on two machines.
const workers = meters.map((metrics, at) => openWorker({ config, backend, log, metrics, isApart: at === 0 }));
await Promise.all(workers.map(async ({ ready }) => ready));
const api = await openApi({ config, backend, log });
afterAll(async () => {
  await api.close(1000);
  await Promise.all(workers.map(async (worker) => worker.close(1000)));
  await backend.close(1000);
  await world.close();
  for (const name of Object.keys(world.settings)) {
    if (before[name] === undefined) delete process.env[name];
    else process.env[name] = before[name];
  }
});

function get(path: string): Promise<Report> {
  return new Promise((resolve, reject) => {
    const sent = request({ port: api.port, host: '127.0.0.1', path }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('end', () => resolve(JSON.parse(Buffer.concat(pieces).toString()) as Report));
    });
    sent.on('error', reject).end();
  });
}

test('a port that is blocked is told to the operator once, and to callers as what it is', async () => {
  const report = await get('/api/tools/smtp-check/quiet.test?wait=55');
  expect(report).toMatchObject({ state: 'unreachable', hosts: [{ addresses: [{ state: 'blocked-here' }] }] });
  await expect.poll(() => warned.filter((words) => words.includes('port 25 is blocked')).length).toBe(1);
  expect(workers.map(({ about }) => about())).toContainEqual({ smtp: { port25: 'blocked' } });
  const texts = await Promise.all(meters.map(async (metrics) => (await metrics.text()).body));
  expect(texts.join('')).toContain('diag_mail_port_looks_total{sight="blocked"} 1');
});

test('what one run saw of a mail host serves the runs of all workers', async () => {
  const first = await get(`/api/tools/smtp-check/${customers[0]}?wait=55`);
  expect(first).toMatchObject({ check: 'smtp-check', state: 'complete', connections: 2 });
  const more = await Promise.all(
    customers.slice(1).map(async (name) => get(`/api/tools/smtp-check/${name}?wait=55`)),
  );
  expect(more.map((report) => report['connections'])).toEqual(customers.slice(1).map(() => 0));
  expect(server.connections()).toBe(2);
});
