import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freeze } from '../kit/freeze.ts';
import { hasMongo } from '../kit/mongo.ts';
import { findProgram } from '../kit/programs.ts';
import { openRecording, type Recording } from '../kit/recorded-metrics.ts';
import { hasRedis } from '../kit/redis.ts';
import { type Fleet, get, type Member, openFleet } from './fleet.ts';

const promtool = findProgram('promtool');
const leaky = fileURLToPath(new URL('leaky.ts', import.meta.url));
const leakMb = 400;
/** So long a process is stopped: more than an alarm wants, less than anybody gives up after. */
const stillMs = 350;

describe.skipIf(!(promtool && hasRedis && hasMongo))('alarms of faults inside a process or behind it', () => {
  const held: (() => void)[] = [];
  let isHolding = false;
  let fleet: Fleet;
  let api: Member;
  let worker: Member;
  let other: Member;
  let recording: Recording;
  let count = 0;
  beforeAll(async () => {
    fleet = await openFleet({
      hosts: 6,
      answer: (request, response) => {
        const end = () => void response.writeHead(204).end();
        if (isHolding && request.headers.host === 't5.test') held.push(end);
        else end();
      },
      settings: { FRESH_SECONDS: '600' },
    });
    [api, worker, other] = await Promise.all([
      fleet.startApi({ NODE_OPTIONS: `--import ${leaky}`, LEAK_MB: String(leakMb) }),
      fleet.startWorker(),
      fleet.startWorker(),
    ]);
    await fleet.ask(() => api, 'http://t0.test/cached', {});
  }, 90_000);
  afterAll(() => fleet?.close());

  const scrape = () =>
    recording.scrape([
      { job: 'api', instance: 'a', adminUrl: api.adminUrl },
      { job: 'worker', instance: 'w', adminUrl: worker.adminUrl },
      { job: 'browser', instance: 'b', adminUrl: other.adminUrl },
    ]);
  /** Some minutes of Prometheus' time, with a cached GET and two new checks in each; `act` does the rest of each. */
  const pass = async (minutes: number, act = scrape) => {
    for (let minute = 0; minute < minutes; minute += 1) {
      const fresh = () => get(api, `http://t1.test/${count++}`);
      await Promise.all([get(api, 'http://t0.test/cached'), fresh(), fresh()]);
      await act();
    }
  };
  const judged = () => recording.judge(promtool ?? '');

  test('a store that stands still for a moment, again and again', async () => {
    recording = openRecording();
    await pass(3);
    await pass(8, async () => {
      await freeze(fleet.mongo.process);
      const scraped = scrape();
      await after(stillMs);
      fleet.mongo.process?.kill('SIGCONT');
      await scraped;
    });
    recording.expectAlarms('DiagBackendSlow');
    await pass(3);
    recording.expectAlarms();
    expect(judged()).toContain('SUCCESS');
  });

  test('a key of ours that another writer in Redis has overwritten: one request is answered with 500', async () => {
    recording = openRecording();
    await pass(3);
    const redis = new Redis(fleet.redis.url);
    await redis.set('diag:host:t4.test:slots', 'not a sorted set');
    expect((await get(api, `http://t4.test/${count++}`)).status).toBe(500);
    await redis.del('diag:host:t4.test:slots');
    redis.disconnect();
    await pass(2);
    recording.expectAlarms('DiagDefects');
    await pass(12);
    recording.expectAlarms();
    expect(judged()).toContain('SUCCESS');
  });

  test('runs that lose their worker again and again end as failed', async () => {
    recording = openRecording();
    await pass(3);
    isHolding = true;
    await get(api, `http://t5.test/${count++}`, '&wait=0');
    for (let kills = 0; kills < 2; kills += 1) {
      await expect.poll(() => held.length, { timeout: 30_000 }).toBeGreaterThan(kills);
      fleet.killWorkers();
      [worker, other] = await Promise.all([fleet.startWorker(), fleet.startWorker()]);
    }
    const failed = async () => (await get(api, `http://t5.test/${count - 1}`, '&wait=5')).body['state'];
    await expect.poll(failed, { timeout: 60_000 }).toBe('failed');
    isHolding = false;
    // No other runs meanwhile: one of few has failed.
    for (let minute = 0; minute < 8; minute += 1) await scrape();
    recording.expectAlarms('DiagChecksFail');
    expect(judged()).toContain('SUCCESS');
  });

  test('a process that gets too little of its processor', async () => {
    recording = openRecording();
    await pass(3);
    await pass(8, async () => {
      for (let times = 0; times < 6; times += 1) {
        await freeze(api.process);
        await after(stillMs);
        api.process.kill('SIGCONT');
        await after(50);
      }
      await scrape();
    });
    recording.expectAlarms('DiagEventLoopLate');
    await pass(3);
    recording.expectAlarms();
    expect(judged()).toContain('SUCCESS');
  });

  test('a worker with other settings than the others', async () => {
    recording = openRecording();
    await pass(3);
    other.process.kill('SIGTERM');
    other = await fleet.startWorker({ HOST_CONCURRENCY: '7' });
    await pass(8);
    recording.expectAlarms('DiagSettingsDiffer');
    other.process.kill('SIGTERM');
    other = await fleet.startWorker();
    await pass(2);
    recording.expectAlarms();
    expect(judged()).toContain('SUCCESS');
  });

  test('a process that leaks, until it is started again', async () => {
    recording = openRecording();
    await pass(3);
    recording.expectAlarms();
    api.process.kill('SIGUSR2');
    await pass(13);
    recording.expectAlarms('DiagMemoryHigh');
    api.process.kill('SIGTERM');
    api = await fleet.startApi();
    await pass(3);
    recording.expectAlarms();
    expect(judged()).toContain('SUCCESS');
  });
});
