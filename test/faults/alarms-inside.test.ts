import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freeze } from '../kit/freeze.ts';
import { hasMongo } from '../kit/mongo.ts';
import { findProgram } from '../kit/programs.ts';
import { hasRedis } from '../kit/redis.ts';
import { runnerPidOf } from '../kit/runner-process.ts';
import { type AlarmFleet, openAlarmFleet } from './alarm-fleet.ts';
import { get } from './fleet.ts';

const promtool = findProgram('promtool') ?? '';
const leaky = fileURLToPath(new URL('leaky.ts', import.meta.url));
const shiftedClock = fileURLToPath(new URL('shifted-clock.ts', import.meta.url));
const leakMb = 400;
/** So long a process is stopped: more than an alarm wants, less than anybody gives up after. */
const stillMs = 350;
/** So long a store is stopped: an answer slower than 0.25 s is slow, one slower than 1 s is none, and a busy machine asks late. */
const storeStillMs = 600;
/** So long a process trusts the store as it was seen last: a minute of Prometheus is longer. */
const trustedMs = 300;
const isHere = promtool !== '' && hasRedis && hasMongo;

describe.skipIf(!isHere)('alarms of faults inside a process or behind it', () => {
  const held: (() => void)[] = [];
  let isHolding = false;
  let alarms: AlarmFleet;
  beforeAll(async () => {
    alarms = await openAlarmFleet({
      hosts: 6,
      answer: (request, response) => {
        const end = () => void response.writeHead(204).end();
        if (isHolding && request.headers.host === 't5.test') held.push(end);
        else end();
      },
      apiSettings: { NODE_OPTIONS: `--import ${leaky}`, LEAK_MB: String(leakMb) },
      isPatient: true,
    });
  }, 90_000);
  afterAll(() => alarms?.fleet.close());

  test('a store that stands still for a moment, again and again', async () => {
    const { mongo } = alarms.fleet;
    alarms.record();
    await alarms.pass(3);
    await alarms.pass(8, async () => {
      await after(trustedMs);
      await freeze(mongo.process);
      const scraped = alarms.scrape();
      await after(storeStillMs);
      mongo.process?.kill('SIGCONT');
      await scraped;
    });
    alarms.expectAlarms('DiagBackendSlow');
    await alarms.untilUp();
    await alarms.pass(3);
    alarms.expectAlarms();
    expect(alarms.judge(promtool)).toBe('');
  });

  test('a key of ours that another writer in Redis has overwritten: one request is answered with 500', async () => {
    alarms.record();
    await alarms.pass(3);
    const redis = new Redis(alarms.fleet.redis.url);
    await redis.set('diag:jobs:at:host t4.test', 'not a sorted set');
    expect((await alarms.askNew('t4.test')).status).toBe(500);
    await redis.del('diag:jobs:at:host t4.test');
    redis.disconnect();
    await alarms.pass(2);
    alarms.expectAlarms('DiagDefects');
    await alarms.pass(12);
    alarms.expectAlarms();
    expect(alarms.judge(promtool)).toBe('');
  });

  test('runs that lose their worker again and again end as failed', async () => {
    const { members, fleet } = alarms;
    alarms.record();
    await alarms.pass(3);
    isHolding = true;
    const url = 'http://t5.test/held';
    await get(members.api, url, '&wait=0');
    for (let kills = 0; kills < 2; kills += 1) {
      await expect.poll(() => held.length, { timeout: 30_000 }).toBeGreaterThan(kills);
      fleet.killWorkers();
      [members.worker, members.other] = await Promise.all([fleet.startWorker(), fleet.startWorker()]);
    }
    const failed = async () => (await get(members.api, url, '&wait=5')).body['state'];
    await expect.poll(failed, { timeout: 60_000 }).toBe('failed');
    isHolding = false;
    // No other runs meanwhile: one of few has failed.
    for (let minute = 0; minute < 8; minute += 1) await alarms.scrape();
    alarms.expectAlarms('DiagChecksFail');
    expect(alarms.judge(promtool)).toBe('');
  });

  test('a runner process that is killed again and again', async () => {
    const { members } = alarms;
    alarms.record();
    await alarms.pass(3);
    const runner = () => runnerPidOf(members.worker.process.pid);
    for (let kills = 0; kills < 3; kills += 1) {
      const before = runner();
      process.kill(before, 'SIGKILL');
      await expect.poll(() => [before, NaN].includes(runner()), { timeout: 30_000 }).toBe(false);
      await alarms.pass(1);
    }
    await alarms.pass(1);
    alarms.expectAlarms('DiagRunnerEnds');
    await alarms.pass(31);
    alarms.expectAlarms();
    expect(alarms.judge(promtool)).toBe('');
  });

  test('a process that gets too little of its processor', async () => {
    const { process: child } = alarms.members.api;
    alarms.record();
    await alarms.pass(3);
    await alarms.pass(8, async () => {
      // One stop is more than a hundredth of what the loop did since the last scrape; the second is for a machine that is late itself.
      for (let times = 0; times < 2; times += 1) {
        await freeze(child);
        await after(stillMs);
        child.kill('SIGCONT');
        await after(50);
      }
      await alarms.scrape();
    });
    alarms.expectAlarms('DiagEventLoopLate');
    await alarms.pass(3);
    alarms.expectAlarms();
    expect(alarms.judge(promtool)).toBe('');
  });

  test('a worker with other settings than the others', async () => {
    const { members, fleet } = alarms;
    alarms.record();
    await alarms.pass(3);
    members.other.process.kill('SIGTERM');
    members.other = await fleet.startWorker({ HOST_CONCURRENCY: '7' }, 'degraded');
    await alarms.pass(8);
    alarms.expectAlarms('DiagSettingsDiffer');
    members.other.process.kill('SIGTERM');
    members.other = await fleet.startWorker();
    await alarms.pass(2);
    alarms.expectAlarms();
    expect(alarms.judge(promtool)).toBe('');
  });

  test('a worker whose clock is 20 s ahead', async () => {
    const { members, fleet } = alarms;
    alarms.record();
    await alarms.pass(3);
    members.other.process.kill('SIGTERM');
    const shifted = { NODE_OPTIONS: `--import=${shiftedClock}`, CLOCK_SHIFT_MS: '20000' };
    members.other = await fleet.startWorker(shifted, 'not-ready');
    await alarms.pass(4);
    alarms.expectAlarms('DiagClockWrong');
    members.other.process.kill('SIGTERM');
    members.other = await fleet.startWorker();
    await alarms.pass(2);
    alarms.expectAlarms();
    expect(alarms.judge(promtool)).toBe('');
  });

  test('a process that leaks, until it is started again', async () => {
    const { members, fleet } = alarms;
    alarms.record();
    await alarms.pass(3);
    alarms.expectAlarms();
    members.api.process.kill('SIGUSR2');
    await alarms.pass(13);
    alarms.expectAlarms('DiagMemoryHigh');
    members.api.process.kill('SIGTERM');
    members.api = await fleet.startApi();
    await alarms.pass(3);
    alarms.expectAlarms();
    expect(alarms.judge(promtool)).toBe('');
  });
});
