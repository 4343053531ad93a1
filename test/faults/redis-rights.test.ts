import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { hasMongo, startMongo, type TestMongo } from '../kit/mongo.ts';
import { hasRedis, startRedis, type TestRedis } from '../kit/redis.ts';
import { type ServiceProcess, startService } from '../kit/service-process.ts';
import { openSlowWay, type SlowWay } from './slow-way.ts';

const check = `/api/tools/redirect-check?url=${encodeURIComponent('http://example.com/')}&wait=0`;

describe.skipIf(!hasRedis || !hasMongo)('a Redis that answers ping', () => {
  let redis: TestRedis;
  let mongo: TestMongo;
  let way: SlowWay | undefined;
  let service: ServiceProcess | undefined;
  beforeAll(async () => {
    [redis, mongo] = await Promise.all([startRedis(), startMongo()]);
    const client = new Redis(redis.url);
    await client.call('ACL', 'SETUSER', 'noscripts', 'on', '>word', '~*', '&*', '+@all', '-@scripting');
    client.disconnect();
  });
  afterEach(async () => {
    service?.kill('SIGKILL');
    await service?.closed;
    await way?.close();
  });
  afterAll(async () => void (await Promise.all([redis?.stop(), mongo?.stop()])));

  async function start(name: 'api' | 'worker', url: string): Promise<ServiceProcess> {
    service = await startService({
      program: process.execPath,
      args: ['cli/diag.js', name],
      environment: {
        REDIS_URL: url,
        MONGODB_URL: mongo.url,
        WORKER_QUEUES: 'network',
        PORT: '0',
        ADMIN_PORT: '0',
        DATA_DIR: ':memory:',
      },
    });
    return service;
  }
  const errorsOf = ({ lines }: ServiceProcess) =>
    lines.filter((line) => (JSON.parse(line) as { level: number }).level >= 50);
  const readyz = async ({ adminUrl }: ServiceProcess) => {
    const answer = await fetch(`${adminUrl}/readyz`);
    const { degraded = {}, checks = {} } = (await answer.json()) as Record<string, Record<string, string>>;
    return { status: answer.status, queue: degraded['queue'] ?? checks['queue'] };
  };
  const withoutScripts = () => redis.url.replace('redis://', 'redis://noscripts:word@');

  test('and runs no scripts for this user: an API says so, and refuses new checks as it does without a queue', async () => {
    const api = await start('api', withoutScripts());
    await expect
      .poll(() => readyz(api), { timeout: 20_000 })
      .toMatchObject({ queue: expect.stringContaining('lacks a right') as unknown });
    const answers = await Promise.all(Array.from({ length: 30 }, () => fetch(`${api.url}${check}`)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 503));
    // Not one for each request: the queue is away, and what is wrong with the start.
    expect(errorsOf(api).length).toBeLessThanOrEqual(4);
    expect(errorsOf(api).join('\n')).toMatch(/REDIS_URL/);
  });

  test('and runs no scripts for this user: a worker is not ready', async () => {
    const worker = await start('worker', withoutScripts());
    await expect
      .poll(() => readyz(worker), { timeout: 20_000 })
      .toMatchObject({ status: 503, queue: expect.stringContaining('lacks a right') as unknown });
  });

  test('and hangs in scripts: a worker says that its queue is away', async () => {
    way = await openSlowWay(Number(new URL(redis.url).port), { answerMs: 0, holdFrom: '\r\neval' });
    const worker = await start('worker', `redis://127.0.0.1:${way.port}`);
    await expect.poll(() => readyz(worker), { timeout: 20_000 }).toMatchObject({ status: 503 });
    await expect
      .poll(() => errorsOf(worker).join('\n'), { timeout: 20_000 })
      .toContain('"msg":"queue is away"');
  });
});
