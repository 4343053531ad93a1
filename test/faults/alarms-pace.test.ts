import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasMongo } from '../kit/mongo.ts';
import { findProgram } from '../kit/programs.ts';
import { hasRedis } from '../kit/redis.ts';
import { type AlarmFleet, openAlarmFleet } from './alarm-fleet.ts';

const promtool = findProgram('promtool') ?? '';
const isHere = promtool !== '' && hasRedis && hasMongo;
/** After the burst has been used: ten seconds of it. */
const waitMs = 10_000 + 4500;
const portionMs = 1500;

describe.skipIf(!isHere)('the alarm of a pace that stalls checks', () => {
  let alarms: AlarmFleet;
  beforeAll(async () => {
    alarms = await openAlarmFleet({ hosts: 4, isPatient: true });
    const { fleet, members } = alarms;
    fleet.killWorkers();
    const settings = { RATE_LIMIT: 'on' };
    [members.worker, members.other] = await Promise.all([
      fleet.startWorker(settings),
      fleet.startWorker(settings),
    ]);
  }, 90_000);
  afterAll(() => alarms?.fleet.close());

  test('a host that others have asked as often as is allowed, minute after minute', async () => {
    const redis = new Redis(alarms.fleet.redis.url);
    alarms.record();
    await alarms.pass(3);
    alarms.expectAlarms();
    const useUp = async () => {
      const usedUpAt = Date.now() + waitMs;
      await redis.set('diag:pace:{0}:requests 127.0.0.1', `${usedUpAt} ${usedUpAt}`, 'PX', waitMs);
    };
    await useUp();
    await alarms.pass(9, async () => {
      await useUp();
      // What workers have in hand of the pace ends after a second; a quick machine asks again within that.
      await delay(portionMs);
      await alarms.scrape();
    });
    redis.disconnect();
    alarms.expectAlarms('DiagPaceWaits');
    await alarms.pass(7);
    alarms.expectAlarms();
    expect(alarms.judge(promtool)).toBe('');
  });
});
