import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freeze } from '../kit/freeze.ts';
import { hasMongo } from '../kit/mongo.ts';
import { findProgram } from '../kit/programs.ts';
import { hasRedis } from '../kit/redis.ts';
import { type AlarmFleet, openAlarmFleet } from './alarm-fleet.ts';

const promtool = findProgram('promtool') ?? '';
const isHere = promtool !== '' && hasRedis && hasMongo;

describe.skipIf(!isHere)('alarms, by what real processes told', () => {
  let alarms: AlarmFleet;
  beforeAll(async () => {
    alarms = await openAlarmFleet({ hosts: 4, isPatient: false });
  }, 60_000);
  afterAll(() => alarms?.fleet.close());

  test('none fires when nothing is wrong', async () => {
    alarms.record();
    await alarms.pass(15);
    alarms.expectAlarms();
    expect(alarms.judge(promtool)).toBe('');
  });

  test(
    'Redis that is frozen: down and refused; and none once it is back',
    {
      concurrent: false,
    },
    async () => {
      const { redis } = alarms.fleet;
      alarms.record();
      await alarms.pass(3);
      await freeze(redis.process);
      await alarms.pass(9);
      alarms.expectAlarms('DiagBackendDown', 'DiagRefusing');
      redis.process?.kill('SIGCONT');
      await expect.poll(async () => (await alarms.askNew('t2.test')).status).toBe(200);
      await alarms.untilUp();
      await alarms.pass(8);
      alarms.expectAlarms();
      expect(alarms.judge(promtool)).toBe('');
    },
  );

  test('a worker that is killed, and again and again', async () => {
    const { members, fleet } = alarms;
    alarms.record();
    await alarms.pass(3);
    members.worker.process.kill('SIGKILL');
    await alarms.pass(3);
    alarms.expectAlarms('DiagProcessDown');
    for (let times = 0; times < 3; times += 1) {
      // Prometheus is told of a start in whole seconds.
      await delay(1000);
      members.worker = await fleet.startWorker();
      await alarms.pass(1);
      if (times < 2) members.worker.process.kill('SIGKILL');
    }
    await alarms.pass(2);
    alarms.expectAlarms('DiagRestarts');
    expect(alarms.judge(promtool)).toBe('');
  });

  test('a part of which no process is known', async () => {
    alarms.record();
    for (let minute = 0; minute < 5; minute += 1) await alarms.scrape({ known: ['api'] });
    alarms.expectAlarms('DiagNoProcess');
    expect(alarms.judge(promtool)).toBe('');
  });
});
