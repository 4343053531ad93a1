// In a file of its own, beside the others: its jobs may wait for a second only.
import { setTimeout as after } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canStopMongo } from '../kit/mongo.ts';
import { findProgram } from '../kit/programs.ts';
import { hasRedis } from '../kit/redis.ts';
import { type AlarmFleet, openAlarmFleet } from './alarm-fleet.ts';

const promtool = findProgram('promtool') ?? '';
const isHere = promtool !== '' && hasRedis && canStopMongo;
/** A beat of a worker, which ends what is late, comes every three. */
const expiresMs = 4500;

describe.skipIf(!isHere)('the alarm of a queue that loses what it was given', () => {
  let alarms: AlarmFleet;
  beforeAll(async () => {
    alarms = await openAlarmFleet({ hosts: 4, isPatient: false, settings: { QUEUE_SECONDS: '1' } });
  }, 90_000);
  afterAll(() => alarms?.fleet.close());

  test('jobs of a paused check that expire', { timeout: 240_000 }, async () => {
    const redis = new Redis(alarms.fleet.redis.url);
    alarms.record();
    await alarms.pass(2);
    await redis.hset('diag:jobs:pauses', 'check redirect-check', Date.now() + 3_600_000);
    await alarms.pass(16, async () => {
      await after(expiresMs);
      await alarms.scrape();
    });
    alarms.expectAlarms('DiagQueueEvents');
    await redis.del('diag:jobs:pauses');
    await after(expiresMs);
    await alarms.pass(8);
    alarms.expectAlarms();
    redis.disconnect();
    expect(alarms.judge(promtool)).toBe('');
  });
});
