// In a file of its own, beside the others: it mostly waits until a job is old enough.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freeze } from '../kit/freeze.ts';
import { hasMongo } from '../kit/mongo.ts';
import { findProgram } from '../kit/programs.ts';
import { hasRedis } from '../kit/redis.ts';
import { type AlarmFleet, openAlarmFleet } from './alarm-fleet.ts';
import type { Member } from './fleet.ts';

const promtool = findProgram('promtool') ?? '';
const isHere = promtool !== '' && hasRedis && hasMongo;

describe.skipIf(!isHere)('alarms of a queue that stands still', () => {
  let alarms: AlarmFleet;
  beforeAll(async () => {
    alarms = await openAlarmFleet({ hosts: 4, isPatient: false });
  }, 60_000);
  afterAll(() => alarms?.fleet.close());

  test('workers that stand still while jobs wait', async () => {
    const { api, worker, other } = alarms.members;
    alarms.record();
    await alarms.pass(3);
    await Promise.all([freeze(worker.process), freeze(other.process)]);
    await alarms.askNew('t3.test', '&wait=0');
    const waitedS = async (...members: readonly Member[]) => {
      const told = members.map(async ({ adminUrl }) => {
        const text = await (await fetch(`${adminUrl}/metrics`)).text();
        return Number(/^diag_queue_oldest_waiting_seconds\{queue="network"\} (\S+)$/m.exec(text)?.[1]);
      });
      return Math.max(...(await Promise.all(told)));
    };
    await expect.poll(() => waitedS(api), { timeout: 60_000, interval: 1000 }).toBeGreaterThan(30);
    // Nobody is asked meanwhile: that no worker is there any more is another fault.
    for (let minute = 0; minute < 7; minute += 1) await alarms.scrape({ frozen: ['worker', 'other'] });
    alarms.expectAlarms('DiagProcessDown', 'DiagQueueWaits');
    worker.process.kill('SIGCONT');
    other.process.kill('SIGCONT');
    // Each process keeps what it has asked the queue for a moment.
    await expect.poll(() => waitedS(api, worker, other), { timeout: 30_000 }).toBe(0);
    await alarms.untilUp();
    await alarms.pass(3);
    alarms.expectAlarms();
    expect(alarms.judge(promtool)).toBe('');
  });
});
