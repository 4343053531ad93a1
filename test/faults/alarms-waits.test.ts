// In a file of its own, beside the others: it mostly waits until a process looks at the store again.
import { setTimeout as after } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { drawToken } from '../kit/draw-token.ts';
import { freeze } from '../kit/freeze.ts';
import { canStopMongo, withOptions } from '../kit/mongo.ts';
import { findProgram } from '../kit/programs.ts';
import { hasRedis } from '../kit/redis.ts';
import { type AlarmFleet, openAlarmFleet } from './alarm-fleet.ts';
import { get, type Member } from './fleet.ts';

const promtool = findProgram('promtool') ?? '';
const isHere = promtool !== '' && hasRedis && canStopMongo;
const limitMb = 10;
/** Nine tenths of it, and a little more: nothing is deleted yet. */
const nearlyFullBytes = 0.93 * limitMb * 1e6;
const piece = Buffer.alloc(50_000, 7);
/** More than a quick answer may take, less than any call of a patient process. */
const stillMs = 450;
const hostSlots = 4;
const hour = 3_600_000;

describe.skipIf(!isHere)('alarms of a store that is full or slow, and of a host that is held', () => {
  let alarms: AlarmFleet;
  beforeAll(async () => {
    alarms = await openAlarmFleet({
      hosts: 4,
      isPatient: true,
      settings: { STORE_MAX_MB: String(limitMb), HOST_CONCURRENCY: String(hostSlots) },
    });
  }, 90_000);
  afterAll(() => alarms?.fleet.close());

  test('a store that holds nearly all it may', async () => {
    const { fleet, members } = alarms;
    const mongo = new MongoClient(fleet.mongo.url);
    const pieces = mongo.db().collection<{ readonly bytes: Buffer }>('blobs');
    const size = async () => Number((await mongo.db().command({ dbStats: 1 }))['dataSize']);
    while ((await size()) < nearlyFullBytes) await pieces.insertOne({ bytes: piece });
    alarms.record();
    await alarms.pass(8);
    alarms.expectAlarms('DiagStoreNearLimit');
    await pieces.deleteMany({ bytes: { $exists: true } });
    await mongo.close();
    const told = () => Promise.all(Object.values(members).map((member) => read(member, 'diag_store_bytes')));
    // A process looks at the size now and then.
    await expect
      .poll(async () => Math.max(...(await told())), { timeout: 90_000, interval: 1000 })
      .toBeLessThan(nearlyFullBytes / 2);
    await alarms.pass(2);
    alarms.expectAlarms();
    expect(alarms.judge(promtool)).toBe('');
  });

  test('a store that lets answers wait which need no check', async () => {
    const { fleet, members } = alarms;
    const { redis, mongo } = fleet;
    const patient = withOptions(mongo.url, { socketTimeoutMS: '20000', serverSelectionTimeoutMS: '20000' });
    members.api.process.kill('SIGTERM');
    members.api = await fleet.startApi({ MONGODB_URL: patient });
    const authorization = `Bearer ${await drawToken({ REDIS_URL: redis.url, MONGODB_URL: mongo.url })}`;
    const list = () => fetch(`${members.api.url}/api/reports?limit=20`, { headers: { authorization } });
    expect((await list()).status).toBe(200);
    alarms.record();
    await alarms.pass(3);
    await alarms.pass(9, async () => {
      await freeze(mongo.process);
      const answers = [list(), list()];
      await after(stillMs);
      mongo.process?.kill('SIGCONT');
      expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200]);
      await alarms.scrape();
    });
    alarms.expectAlarms('DiagAnswersSlow');
    await alarms.untilUp();
    await alarms.pass(8);
    alarms.expectAlarms();
    expect(alarms.judge(promtool)).toBe('');
  });

  test('a job that has waited for its host for longer than five minutes', async () => {
    const { fleet, members } = alarms;
    const redis = new Redis(fleet.redis.url);
    const slots = 'diag:jobs:at:host t3.test';
    alarms.record();
    await alarms.pass(3);
    alarms.expectAlarms();
    for (let slot = 0; slot < hostSlots; slot += 1)
      await redis.zadd(slots, Date.now() + hour, `held elsewhere ${slot}`);
    const url = 'http://t3.test/held';
    const { status, body } = await get(members.api, url, '&wait=0');
    expect(status).toBe(202);
    // It is told that the job came earlier: nobody waits five minutes here.
    await redis.zadd('diag:jobs:parks:network', 'XX', Date.now() - 400_000, String(body['id']));
    const parked = () =>
      Promise.all(
        Object.values(members).map((member) =>
          read(member, 'diag_queue_oldest_parked_seconds{queue="network"}'),
        ),
      );
    await expect.poll(async () => Math.min(...(await parked())), { timeout: 30_000 }).toBeGreaterThan(300);
    await alarms.pass(5);
    alarms.expectAlarms('DiagHostWaits');
    await redis.del(slots);
    // Nobody ends who would hand a slot on: the next GET takes it.
    await fleet.ask(() => members.api, url, {});
    await expect.poll(async () => Math.max(...(await parked())), { timeout: 60_000 }).toBeLessThan(300);
    await alarms.pass(2);
    alarms.expectAlarms();
    redis.disconnect();
    expect(alarms.judge(promtool)).toBe('');
  });
});

/** The value of a series that a process tells. */
async function read({ adminUrl }: Member, series: string): Promise<number> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text();
  const line = text.split('\n').find((each) => each.startsWith(`${series} `)) ?? '';
  return Number(line.slice(series.length + 1));
}
