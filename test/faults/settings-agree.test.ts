import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasMongo } from '../kit/mongo.ts';
import { hasRedis } from '../kit/redis.ts';
import { hasRedisCluster, startRedisCluster, type TestCluster } from '../kit/redis-cluster.ts';
import { type Fleet, type FleetOptions, get, type Member, openFleet } from './fleet.ts';

const world: FleetOptions = {
  hosts: 8,
  answer: (_request, response) => void response.writeHead(204).end(),
  settings: { FRESH_SECONDS: '600' },
};

type Readyz = { readonly status: string; readonly checks: Readonly<Record<string, true | string>> };

async function readyz({ adminUrl }: Member): Promise<Readyz> {
  return (await (await fetch(`${adminUrl}/readyz`)).json()) as Readyz;
}

const messagesOf = ({ lines }: Member) =>
  lines.filter((line) => line.includes('settings')).map((line) => (JSON.parse(line) as { msg: string }).msg);
const refused = 'settings differ from those of other processes: this one takes no work';
const checksOf = async (member: Member) => {
  const text = await (await fetch(`${member.adminUrl}/metrics`)).text();
  const counts = [...text.matchAll(/^diag_checks_total\{.*?\} (\d+)$/gm)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
};

describe.skipIf(!(hasRedis && hasMongo))('processes over one Redis', () => {
  let fleet: Fleet;
  let api: Member;
  let worker: Member;
  beforeAll(async () => {
    fleet = await openFleet(world);
    [api, worker] = await Promise.all([fleet.startApi(), fleet.startWorker()]);
  }, 60_000);
  afterAll(() => fleet?.close());

  test('with another store: a worker and an API take no work and are not ready, and the others go on', async () => {
    const other = { MONGODB_URL: fleet.mongo.url.replace(/\/diag$/, '/other') };
    const [foreignWorker, foreignApi] = await Promise.all([fleet.startWorker(other), fleet.startApi(other)]);
    for (const member of [foreignWorker, foreignApi]) {
      await expect.poll(() => readyz(member)).toMatchObject({ status: 'not-ready' });
      expect((await readyz(member)).checks['settings']).toMatch(/^store of MONGODB_URL is "/);
      await expect.poll(() => messagesOf(member)).toEqual([refused]);
    }
    for (let count = 0; count < 20; count += 1)
      expect((await get(api, `http://t${count % 8}.test/store${count}`)).status).toBe(200);
    expect(await checksOf(foreignWorker)).toBe(0);
    expect(await get(foreignApi, 'http://t1.test/refused')).toMatchObject({
      status: 503,
      body: { code: 'queue_unavailable' },
    });
    expect((await readyz(api)).status).toBe('ready');
    for (const member of [foreignWorker, foreignApi]) member.process.kill('SIGKILL');
  });

  test('with another HOST_CONCURRENCY: a process goes on, says so, and stops saying so once all have the new value', async () => {
    const next = { HOST_CONCURRENCY: '7' };
    const [nextApi, nextWorker] = await Promise.all([fleet.startApi(next), fleet.startWorker(next)]);
    await expect.poll(() => readyz(nextApi)).toMatchObject({ status: 'degraded' });
    expect((await readyz(nextApi)).checks['settings']).toBe(
      'HOST_CONCURRENCY is "7" here and "4" in other processes',
    );
    expect((await get(nextApi, 'http://t2.test/rolling')).status).toBe(200);
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
  });

  test('a Redis that comes back empty finds the same settings in force', async () => {
    const next = { HOST_CONCURRENCY: '7' };
    const foreign = await fleet.startWorker({
      ...next,
      MONGODB_URL: fleet.mongo.url.replace(/\/diag$/, '/other'),
    });
    await expect.poll(() => readyz(foreign)).toMatchObject({ status: 'not-ready' });
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

describe.skipIf(!(hasRedisCluster && hasMongo))('processes over a cluster', () => {
  let cluster: TestCluster;
  let fleet: Fleet;
  beforeAll(async () => {
    cluster = await startRedisCluster();
    fleet = await openFleet({ ...world, cluster });
  }, 90_000);
  afterAll(async () => {
    await fleet?.close();
  });

  test('another REDIS_SHARDS is refused while the first is in force, and taken once all have stopped', async () => {
    const [api, worker] = await Promise.all([fleet.startApi(), fleet.startWorker()]);
    const more = { REDIS_SHARDS: '32' };
    const [nextApi, nextWorker] = await Promise.all([fleet.startApi(more), fleet.startWorker(more)]);
    for (const member of [nextApi, nextWorker]) {
      expect(await readyz(member)).toMatchObject({
        status: 'not-ready',
        checks: { settings: 'REDIS_SHARDS is "32" here and "16" in other processes' },
      });
      await expect.poll(() => messagesOf(member)).toEqual([refused]);
    }
    for (let count = 0; count < 8; count += 1)
      expect((await get(api, `http://t${count}.test/shards`)).status).toBe(200);
    expect([await checksOf(worker), await checksOf(nextWorker)]).toEqual([8, 0]);
    expect((await get(nextApi, 'http://t1.test/shards32')).status).toBe(503);
    for (const member of [api, worker]) member.process.kill('SIGTERM');
    for (const member of [nextApi, nextWorker])
      await expect.poll(() => readyz(member), { timeout: 60_000 }).toMatchObject({ status: 'ready' });
    await fleet.ask(() => nextApi, 'http://t1.test/shards32', {});
    expect(await checksOf(nextWorker)).toBe(1);
  });
});
