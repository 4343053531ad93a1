import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { hasMongo, startMongo, type TestMongo } from '../kit/mongo.ts';
import { hasRedis, startRedis, type TestRedis } from '../kit/redis.ts';
import { type ServiceProcess, startService } from '../kit/service-process.ts';
import { openSlowWay, type SlowWay, type SlowWayOptions } from './slow-way.ts';

/** What tells the other processes that somebody serves these queues. */
const heartbeats = ['diag:jobs:alive:network', 'diag:jobs:alive:composite'];

describe.skipIf(!hasRedis || !hasMongo)('a worker that starts', () => {
  let redis: TestRedis;
  let mongo: TestMongo;
  let client: Redis;
  let way: SlowWay | undefined;
  let worker: ServiceProcess | undefined;
  beforeAll(async () => {
    [redis, mongo] = await Promise.all([startRedis(), startMongo()]);
    client = new Redis(redis.url);
  });
  afterEach(stop);
  afterAll(async () => {
    client?.disconnect();
    await Promise.all([redis?.stop(), mongo?.stop()]);
  });

  /** Starts a worker that reaches Redis over a way of its own, in a Redis that knows of no worker. */
  async function startBehind(options: SlowWayOptions) {
    await client.flushall();
    way = await openSlowWay(Number(new URL(redis.url).port), options);
    worker = await startService({
      program: process.execPath,
      args: ['cli/diag.js', 'worker'],
      environment: {
        REDIS_URL: `redis://127.0.0.1:${way.port}`,
        MONGODB_URL: mongo.url,
        WORKER_QUEUES: 'network',
        // A lab on this machine: what the network of this machine lacks is no part of the test.
        TARGET_ALLOW_CIDRS: '127.0.0.0/8',
        ADMIN_PORT: '0',
        DATA_DIR: ':memory:',
      },
    });
    return { way, worker };
  }

  async function stop() {
    worker?.kill('SIGKILL');
    await worker?.closed;
    await way?.close();
    [worker, way] = [undefined, undefined];
  }

  test('is not ready while Redis has not taken its first heartbeat, though all else works', async () => {
    const started = await startBehind({ answerMs: 0, holdFrom: '$4\r\nbeat' });
    const said = () => readyz(started.worker);
    await expect.poll(said).toEqual({
      status: 503,
      degraded: { announced: expect.stringContaining('serves network, composite') },
    });
    expect(await client.exists(...heartbeats)).toBe(0);
    started.way.release();
    await expect.poll(said).toEqual({ status: 200, degraded: undefined });
    expect(await client.exists(...heartbeats)).toBe(2);
  });

  test('says ready only when its heartbeats are in a slow Redis, at each of three starts', async () => {
    const seen: number[] = [];
    for (const answerMs of [0, 100, 200]) {
      const started = await startBehind({ answerMs });
      while ((await readyz(started.worker)).status !== 200);
      seen.push(await client.exists(...heartbeats));
      await stop();
    }
    expect(seen).toEqual([2, 2, 2]);
  });
});

test.skipIf(!hasRedis || !hasMongo)(
  'ten seconds after the last worker was killed, new checks are refused instead of kept',
  async () => {
    const [redis, mongo] = await Promise.all([startRedis(), startMongo()]);
    const environment = {
      REDIS_URL: redis.url,
      MONGODB_URL: mongo.url,
      TARGET_ALLOW_CIDRS: '127.0.0.0/8',
      PORT: '0',
      ADMIN_PORT: '0',
      DATA_DIR: ':memory:',
    };
    const start = (part: string) =>
      startService({ program: process.execPath, args: ['cli/diag.js', part], environment });
    const [api, worker] = await Promise.all([start('api'), start('worker')]);
    let asked = 0;
    const ask = async () => {
      const target = encodeURIComponent(`http://made-up-${++asked}.com/`);
      return (await fetch(`${api.url}/api/tools/redirect-check?url=${target}&wait=0`)).status;
    };
    try {
      await expect.poll(ask, { timeout: 10_000 }).toBe(202);
      worker.kill('SIGKILL');
      await worker.closed;
      expect(await ask()).toBe(202);
      await expect.poll(ask, { timeout: 11_000, interval: 500 }).toBe(503);
    } finally {
      [api, worker].forEach((process) => process.kill('SIGKILL'));
      await Promise.all([redis.stop(), mongo.stop()]);
    }
  },
  60_000,
);

async function readyz({ adminUrl }: ServiceProcess) {
  const answer = await fetch(`${adminUrl}/readyz`);
  const { degraded } = (await answer.json()) as { readonly degraded?: Record<string, string> };
  return { status: answer.status, degraded };
}
