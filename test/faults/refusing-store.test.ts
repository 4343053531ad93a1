import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { drawToken } from '../kit/draw-token.ts';
import { type MongoProxy, openMongoProxy, refusal } from '../kit/mongo-proxy.ts';
import { hasMongo, startMongo, type TestMongo } from '../kit/mongo.ts';
import { hasRedis, startRedis, type TestRedis } from '../kit/redis.ts';
import { type ServiceProcess, startService } from '../kit/service-process.ts';
import type { Lab } from '../lab/kit/lab.ts';
import { callerOf, hostNames, openSlowLab, slower, tool } from './slow-pages.ts';

const writing = new Set(['insert', 'update', 'delete', 'findAndModify', 'createIndexes']);
const hosts = hostNames(30);

describe.skipIf(!hasMongo || !hasRedis)('a server of MongoDB’s protocol that refuses writes', () => {
  let mongo: TestMongo;
  let redis: TestRedis;
  let proxy: MongoProxy;
  let lab: Lab;
  let service: ServiceProcess;
  let headers: Record<string, string>;
  beforeAll(async () => {
    [mongo, redis] = await Promise.all([startMongo(), startRedis()]);
    proxy = await openMongoProxy(mongo.url);
    lab = await openSlowLab(hosts);
    const settings = lab.settings({
      REDIS_URL: redis.url,
      MONGODB_URL: proxy.url,
      RATE_LIMIT: 'off',
      LOG_LEVEL: 'info',
      FRESH_SECONDS: '600',
      WORKER_CONCURRENCY: '2',
    });
    headers = {
      authorization: `Bearer ${await drawToken(settings, ['--scopes', 'tools,reports:read,watch'])}`,
    };
    service = await startService({
      program: process.execPath,
      args: ['cli/diag.js', 'serve'],
      environment: settings,
    });
  }, 120_000);
  afterAll(async () => {
    service?.kill('SIGKILL');
    await service?.closed;
    await lab?.close();
    await proxy?.close();
    await Promise.all([mongo?.stop(), redis?.stop()]);
  });

  test('cached reports are answered, new work is 503 with the reason, and all goes on within ten seconds', async () => {
    const { get, look, post } = callerOf(service, headers);
    const batch = (targets: readonly string[]) => post('/api/batches', { check: 'redirect-check', targets });
    const watch = () =>
      post('/api/watches', { check: 'redirect-check', targets: ['http://t1.test/'], everySeconds: 86_400 });
    expect(await get(tool('http://t0.test/cached'))).toBe(200);
    expect((await watch()).status).toBe(201);
    const made = await batch(hosts.map((host) => `http://${host}/batch`));
    expect(made.status).toBe(201);
    proxy.decide(({ name }) => (writing.has(name) ? { answer: refusal(14_031, 'OutOfDiskSpace') } : 'pass'));
    await delay(1000);
    for (const refused of [await batch(['http://t2.test/x']), await watch()])
      expect(refused).toMatchObject({ status: 503, body: { code: 'store_unavailable' } });
    for (let times = 0; times < 15; times += 1) {
      expect(await get('/livez', service.adminUrl)).toBe(200);
      expect(await get(tool('http://t0.test/cached'))).toBe(200);
      await delay(200);
    }
    const metrics = await (await fetch(`${service.adminUrl}/metrics`)).text();
    const failures = Number(/^diag_loop_failures_total\{loop="batches"\} (\d+)$/m.exec(metrics)?.[1]);
    // It pauses between two tries.
    expect(failures).toBeLessThan(20);
    proxy.decide(() => 'pass');
    const again = performance.now();
    await expect
      .poll(async () => (await batch(['http://t2.test/y'])).status, { timeout: 15_000 * slower })
      .toBe(201);
    await expect.poll(async () => (await watch()).status, { timeout: 15_000 * slower }).toBe(201);
    await expect.poll(() => get(tool('http://t3.test/new')), { timeout: 15_000 * slower }).toBe(200);
    expect(performance.now() - again).toBeLessThan(10_000 * slower);
    const id = String(made.body['batchId']);
    await expect
      .poll(() => look(`/api/batches/${id}`), { timeout: 90_000, interval: 500 })
      .toMatchObject({ state: 'done', done: hosts.length });
  }, 180_000);
});
