import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freeze } from '../kit/freeze.ts';
import { hasMongo } from '../kit/mongo.ts';
import { findProgram } from '../kit/programs.ts';
import { openRecording, type Recording } from '../kit/recorded-metrics.ts';
import { hasRedis } from '../kit/redis.ts';
import { type Fleet, get, type Member, openFleet } from './fleet.ts';

const promtool = findProgram('promtool');

describe.skipIf(!(promtool && hasRedis && hasMongo))('alarms, by what real processes told', () => {
  let fleet: Fleet;
  let api: Member;
  let worker: Member;
  let other: Member;
  let recording: Recording;
  let count = 0;
  beforeAll(async () => {
    fleet = await openFleet({
      hosts: 4,
      answer: (_request, response) => void response.writeHead(204).end(),
      settings: { FRESH_SECONDS: '600' },
    });
    [api, worker, other] = await Promise.all([fleet.startApi(), fleet.startWorker(), fleet.startWorker()]);
    await fleet.ask(() => api, 'http://t0.test/cached', {});
  }, 60_000);
  afterAll(() => fleet?.close());

  /** Some minutes of Prometheus' time, with a cached GET and two new checks in each. */
  const pass = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute += 1) {
      const fresh = () => get(api, `http://t1.test/${count++}`, '&wait=0');
      await Promise.all([get(api, 'http://t0.test/cached'), fresh(), fresh()]);
      await recording.scrape([
        { job: 'api', instance: 'a', adminUrl: api.adminUrl },
        { job: 'worker', instance: 'w', adminUrl: worker.adminUrl },
        { job: 'browser', instance: 'b', adminUrl: other.adminUrl },
      ]);
    }
  };
  const judged = () => recording.judge(promtool ?? '');

  test('none fires when nothing is wrong', async () => {
    recording = openRecording();
    await pass(15);
    recording.expectAlarms();
    expect(judged()).toContain('SUCCESS');
  });

  test('Redis that is frozen: down and refused; and none once it is back', async () => {
    recording = openRecording();
    await pass(3);
    await freeze(fleet.redis.process);
    await pass(9);
    recording.expectAlarms('DiagBackendDown', 'DiagRefusing');
    fleet.redis.process?.kill('SIGCONT');
    await expect.poll(async () => (await get(api, `http://t2.test/${count++}`)).status).toBe(200);
    await pass(8);
    recording.expectAlarms();
    expect(judged()).toContain('SUCCESS');
  });

  test('a worker that is killed, and again and again', async () => {
    recording = openRecording();
    await pass(3);
    worker.process.kill('SIGKILL');
    await pass(3);
    recording.expectAlarms('DiagProcessDown');
    for (let times = 0; times < 3; times += 1) {
      // Prometheus is told of a start in whole seconds.
      await delay(1000);
      worker = await fleet.startWorker();
      await pass(1);
      if (times < 2) worker.process.kill('SIGKILL');
    }
    await pass(2);
    recording.expectAlarms('DiagRestarts');
    expect(judged()).toContain('SUCCESS');
  });

  test('workers that stand still while jobs wait', async () => {
    recording = openRecording();
    await pass(3);
    await Promise.all([freeze(worker.process), freeze(other.process)]);
    await get(api, `http://t3.test/${count++}`, '&wait=0');
    const waitedS = async () =>
      Number(
        /^diag_queue_oldest_waiting_seconds\{queue="network"\} (\S+)$/m.exec(
          await (await fetch(`${api.adminUrl}/metrics`)).text(),
        )?.[1],
      );
    await expect.poll(waitedS, { timeout: 60_000, interval: 1000 }).toBeGreaterThan(30);
    // Nobody is asked meanwhile: that no worker is there any more is another fault.
    for (let minute = 0; minute < 7; minute += 1)
      await recording.scrape([
        { job: 'api', instance: 'a', adminUrl: api.adminUrl },
        { job: 'worker', instance: 'w', adminUrl: worker.adminUrl },
        { job: 'browser', instance: 'b', adminUrl: other.adminUrl },
      ]);
    recording.expectAlarms('DiagProcessDown', 'DiagQueueWaits');
    worker.process.kill('SIGCONT');
    other.process.kill('SIGCONT');
    await expect.poll(waitedS, { timeout: 30_000 }).toBe(0);
    await pass(3);
    recording.expectAlarms();
    expect(judged()).toContain('SUCCESS');
  });

  test('a part of which no process is known', async () => {
    recording = openRecording();
    for (let minute = 0; minute < 5; minute += 1)
      await recording.scrape([{ job: 'api', instance: 'a', adminUrl: api.adminUrl }]);
    recording.expectAlarms('DiagNoProcess');
    expect(judged()).toContain('SUCCESS');
  });
});
