import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasMongo } from '../kit/mongo.ts';
import { hasRedis } from '../kit/redis.ts';
import { type Fleet, type Member, openFleet } from './fleet.ts';

// Redis as others use it too: what is theirs stays as it is, and what they do to ours costs time, no answer.

const hosts = 24;

/** Everything that another service may keep, under names that look like ours. */
async function fillNeighbour(redis: Redis): Promise<void> {
  for (const prefix of [
    'shop',
    'bull',
    'bull:network',
    'diagnostics',
    'diag2',
    'diag-old',
    'x:diag',
    '{diag',
  ]) {
    await redis.set(`${prefix}:text`, 'theirs', 'EX', 3600);
    await redis.hset(`${prefix}:hash`, { a: '1', b: '2' });
    await redis.zadd(`${prefix}:sorted`, 1, 'one', 2, 'two');
    await redis.rpush(`${prefix}:list`, 'one', 'two');
    await redis.sadd(`${prefix}:set`, 'one', 'two');
    await redis.xadd(`${prefix}:stream`, '*', 'field', 'value');
  }
  await redis.set('text without a prefix', 'theirs');
}

/** Every key that is not ours, as Redis would move it to another server, and until when it is kept. */
async function readNeighbour(redis: Redis): Promise<readonly string[]> {
  const theirs = (await redis.keys('*')).filter((key) => !key.startsWith('diag:'));
  const seen = await Promise.all(
    theirs.map(async (key) => {
      const content = (await redis.dumpBuffer(key))?.toString('base64');
      return `${key} ${await redis.pexpiretime(key)} ${content}`;
    }),
  );
  return seen.toSorted();
}

describe.skipIf(!hasRedis || !hasMongo)('a Redis that others use as well', () => {
  let fleet: Fleet;
  let api: Member;
  let worker: Member;
  let admin: Redis;
  beforeAll(async () => {
    fleet = await openFleet({
      hosts,
      settings: {
        FRESH_SECONDS: '600',
        RATE_LIMIT: 'on',
        LIMIT_ANON_SCANS: '10000/60',
        LIMIT_ANON_REQUESTS: '10000/60',
      },
      answer: (_request, response) => void setTimeout(() => response.writeHead(204).end(), 300),
    });
    [api, worker] = await Promise.all([fleet.startApi(), fleet.startWorker()]);
    admin = new Redis(fleet.redis.url);
  }, 90_000);
  afterAll(async () => {
    admin?.disconnect();
    await fleet?.close();
  });

  /** Asks for a check of every host at once, until each is answered. */
  const askAll = async (path: string, meanwhile: () => Promise<unknown> = async () => undefined) => {
    const asked = fleet.hosts.map((host) => fleet.ask(() => api, `http://${host}/${path}`, {}));
    await meanwhile();
    const answers = await Promise.all(asked);
    expect(answers.map(({ body }) => body['state'])).toEqual(answers.map(() => 'complete'));
  };
  const untilBusy = () =>
    expect
      .poll(async () => (await admin.keys('diag:jobs:at:host *')).length, { timeout: 30_000 })
      .toBeGreaterThan(4);

  test(
    'keys of others are neither read away, nor changed, nor given another end',
    { timeout: 120_000 },
    async () => {
      await fillNeighbour(admin);
      const before = await readNeighbour(admin);
      expect(before).toHaveLength(49);
      await askAll('beside');
      expect(await readNeighbour(admin)).toEqual(before);
    },
  );

  test(
    'a neighbour who empties Redis under running checks: each is answered, and no process ends',
    { timeout: 150_000 },
    async () => {
      await askAll('emptied', async () => {
        await untilBusy();
        await admin.flushall();
      });
      await askAll('after');
      for (const { process: child } of [api, worker])
        expect([child.exitCode, child.signalCode]).toEqual([null, null]);
    },
  );

  test('scripts that a neighbour has flushed are loaded again', { timeout: 120_000 }, async () => {
    await askAll('scripts', async () => {
      await untilBusy();
      expect(await admin.script('FLUSH')).toBe('OK');
    });
  });

  test(
    'keys that Redis evicts for a neighbour, every second of ours: each check is answered',
    { timeout: 150_000 },
    async () => {
      await askAll('evicted', async () => {
        await untilBusy();
        const ours = (await admin.keys('diag:*')).toSorted();
        await admin.unlink(...ours.filter((_, at) => at % 2 === 0));
      });
      await expect
        .poll(async () => (await fetch(`${api.adminUrl}/readyz`)).status, { timeout: 30_000 })
        .toBe(200);
    },
  );
});
