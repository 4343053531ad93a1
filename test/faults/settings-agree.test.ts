import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasMongo } from '../kit/mongo.ts';
import { hasRedis } from '../kit/redis.ts';
import { type Fleet, get, type Member, openFleet } from './fleet.ts';
import { checksOf, messagesOf, readyz, refused, world } from './settings-told.ts';

describe.skipIf(!(hasRedis && hasMongo))('processes over one Redis', () => {
  let fleet: Fleet;
  let api: Member;
  let worker: Member;
  beforeAll(async () => {
    fleet = await openFleet(world);
    [api, worker] = await Promise.all([fleet.startApi(), fleet.startWorker()]);
  }, 60_000);
  afterAll(() => fleet?.close());

  test(
    'with another store: a worker and an API take no work and are not ready, and the others go on',
    {
      concurrent: false,
    },
    async () => {
      const other = { MONGODB_URL: fleet.mongo.url.replace(/\/diag$/, '/other') };
      const [foreignWorker, foreignApi] = await Promise.all([
        fleet.startWorker(other, 'not-ready'),
        fleet.startApi(other, 'not-ready'),
      ]);
      for (const member of [foreignWorker, foreignApi]) {
        await expect
          .poll(() => readyz(member))
          .toMatchObject({
            status: 'not-ready',
            checks: { settings: expect.stringMatching(/^store of MONGODB_URL is "/) },
          });
        await expect.poll(() => messagesOf(member)).toEqual([refused]);
      }
      // A busy machine's 503 is asked again.
      for (let count = 0; count < 20; count += 1)
        await fleet.ask(() => api, `http://t${count % 8}.test/store${count}`, {});
      expect(await checksOf(foreignWorker)).toBe(0);
      expect(await get(foreignApi, 'http://t1.test/refused')).toMatchObject({
        status: 503,
        body: { code: 'queue_unavailable' },
      });
      await expect.poll(async () => (await readyz(api)).status).toBe('ready');
      for (const member of [foreignWorker, foreignApi]) member.process.kill('SIGKILL');
    },
  );

  test(
    'with another HOST_CONCURRENCY: a process goes on, says so, and stops saying so once all have the new value',
    {
      concurrent: false,
    },
    async () => {
      const next = { HOST_CONCURRENCY: '7' };
      const [nextApi, nextWorker] = await Promise.all([
        fleet.startApi(next, 'degraded'),
        fleet.startWorker(next, 'degraded'),
      ]);
      await expect
        .poll(() => readyz(nextApi))
        .toMatchObject({
          status: 'degraded',
          checks: { settings: 'HOST_CONCURRENCY is "7" here and another value in the oldest process' },
        });
      await fleet.ask(() => nextApi, 'http://t2.test/rolling', {});
      for (const member of [api, worker]) member.process.kill('SIGTERM');
      for (const member of [nextApi, nextWorker])
        await expect.poll(() => readyz(member), { timeout: 40_000 }).toMatchObject({ status: 'ready' });
      await expect
        .poll(() => messagesOf(nextWorker))
        .toEqual([
          'settings differ from those of other processes',
          'settings agree with those of other processes',
        ]);
      [api, worker] = [nextApi, nextWorker];
    },
  );

  test('a Redis that comes back empty finds the same settings in force', async () => {
    const next = { HOST_CONCURRENCY: '7' };
    const foreign = await fleet.startWorker(
      { ...next, MONGODB_URL: fleet.mongo.url.replace(/\/diag$/, '/other') },
      'not-ready',
    );
    await expect.poll(() => messagesOf(foreign)).toEqual([refused]);
    fleet.redis.process?.kill('SIGKILL');
    await fleet.redis.restart();
    await expect.poll(() => readyz(worker), { timeout: 20_000 }).toMatchObject({ status: 'ready' });
    await expect.poll(async () => (await readyz(foreign)).checks['queue'], { timeout: 20_000 }).toBe(true);
    expect((await readyz(foreign)).status).toBe('not-ready');
    await fleet.ask(() => api, 'http://t3.test/after', {});
    expect(await checksOf(foreign)).toBe(0);
    foreign.process.kill('SIGKILL');
  });
});
