// What the API keeps of jobs that are under way: what was paid for them, and how long they take.
import { readFileSync } from 'node:fs';
import { setTimeout as after } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Report } from '#shared/model/report';
import type { JobQueue, RunJob } from '#shared/ports/job-queue';
import { openService, redirectPath } from './kit.ts';

async function openWithRun(run: RunJob, settings: Record<string, string>) {
  const service = await openService({ withWorker: false, settings });
  service.backend.jobQueue.work('network', 1, run, async () => undefined);
  const scansLeft = async () => {
    const { limits } = (await service.get('/api/me')).body as { limits?: { scans?: { remaining?: number } } };
    return limits?.scans?.remaining;
  };
  return { ...service, scansLeft };
}

test('a run that fails through us gives its scan back, also after its GET was answered 202', async () => {
  const end = Promise.withResolvers<'failed'>();
  const service = await openWithRun(async () => end.promise, { LIMIT_ANON_SCANS: '5/60' });
  expect((await service.get(redirectPath('http://a.test/', '&wait=0'))).status).toBe(202);
  expect(await service.scansLeft()).toBe(4);
  end.resolve('failed');
  await expect.poll(service.scansLeft).toBe(5);
  await service.close();
});

test('a run that ends well keeps its scan', async () => {
  const service = await openWithRun(async () => undefined, { LIMIT_ANON_SCANS: '5/60' });
  await service.get(redirectPath('http://a.test/', '&wait=0'));
  await after(200);
  expect(await service.scansLeft()).toBe(4);
  await service.close();
});

test('ten equal asks at once are one run, and one scan', async () => {
  const service = await openWithRun(() => new Promise(() => undefined), { LIMIT_ANON_SCANS: '20/60' });
  const asked = Array.from({ length: 10 }, () => service.get(redirectPath('http://a.test/', '&wait=1')));
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(asked.map(() => 202));
  expect(await service.scansLeft()).toBe(19);
  await service.close();
});

function goldenOf(reportId: string): Report {
  const golden = JSON.parse(readFileSync('test/fixtures/golden/redirect-check.json', 'utf8')) as Report;
  const at = (ms: number) => new Date(Date.now() + ms).toISOString();
  return { ...golden, reportId, checkedAt: at(0), freshUntil: at(300_000), expiresAt: at(3_600_000) };
}

test('a run that was lost once is run again, and paid for', async () => {
  let runs = 0;
  const run: RunJob = async (job) => {
    runs += 1;
    // The first leaves no report, as where a store lost it.
    if (runs === 2) await service.backend.reportStore.insert(goldenOf(job.reportId), job);
    return undefined;
  };
  const service = await openWithRun(run, { LIMIT_ANON_SCANS: '20/60' });
  expect((await service.get(redirectPath('http://a.test/', '&wait=20'))).status).toBe(200);
  expect([runs, await service.scansLeft()]).toEqual([2, 19]);
  await service.close();
});

test('a host whose jobs take long has a short line: who would wait too long is told at once', async () => {
  const ends: (() => void)[] = [];
  let isHeld = false;
  const run: RunJob = async () => {
    if (isHeld) await new Promise<void>((resolve) => ends.push(resolve));
    else await after(1050);
    return undefined;
  };
  const settings = { HOST_CONCURRENCY: '1', QUEUE_SECONDS: '4', RATE_LIMIT: 'off' };
  const service = await openWithRun(run, settings);
  const ask = async (name: string) =>
    (await service.get(redirectPath(`http://a.test/${name}`, '&wait=0'))).status;
  expect(await ask('first')).toBe(202);
  await expect.poll(async () => (await service.backend.jobQueue.stats()).network.running).toBe(0);
  // At 1.05 s each, and up to 1.33, three in line have their turn within four seconds.
  isHeld = true;
  expect([await ask('1'), await ask('2'), await ask('3'), await ask('4')]).toEqual([202, 202, 202, 202]);
  const refused = await service.get(redirectPath('http://a.test/5', '&wait=0'));
  expect(refused).toMatchObject({ status: 503, body: { code: 'overloaded' } });
  expect(refused.headers['retry-after']).toBeDefined();
  // Another host's line is its own.
  expect((await service.get(redirectPath('http://b.test/', '&wait=0'))).status).toBe(202);
  for (const end of ends) end();
  await service.close();
});

test('the places of a host that a caller has are those of its jobs in line, whatever became of its GETs', async () => {
  const run: RunJob = () => new Promise(() => undefined);
  const settings = { HOST_CONCURRENCY: '1', QUEUE_SECONDS: '3', LIMIT_ANON_SCANS: '100/60' };
  const service = await openWithRun(run, settings);
  const ask = async (name: number) => {
    const { status, body } = await service.get(redirectPath(`http://a.test/${name}`, '&wait=0'));
    return `${status} ${body['code'] ?? ''}`.trim();
  };
  // Three wait in line, by the guess for a host that nobody knows; what was not kept holds no place.
  const asked = [];
  for (let name = 0; name < 12; name += 1) asked.push(await ask(name));
  expect(asked).toEqual([
    ...Array.from({ length: 4 }, () => '202'),
    ...Array.from({ length: 8 }, () => '503 overloaded'),
  ]);
  await service.close();
});

test('a caller that goes away leaves its job its place', async () => {
  const run: RunJob = () => new Promise(() => undefined);
  const service = await openWithRun(run, { HOST_CONCURRENCY: '1', QUEUE_SECONDS: '60' });
  for (let name = 0; name < 8; name += 1) {
    const caller = new AbortController();
    const { signal } = caller;
    const url = `http://127.0.0.1:${service.port}${redirectPath(`http://a.test/${name}`)}`;
    const asked = fetch(url, { signal }).catch(() => undefined);
    await expect.poll(async () => jobsOf(await service.backend.jobQueue.stats())).toBe(name + 1);
    caller.abort();
    await asked;
  }
  const ninth = await service.get(redirectPath('http://a.test/9', '&wait=0'));
  expect(ninth).toMatchObject({ status: 429, body: { policy: 'host' } });
  await service.close();
});

function jobsOf({ network }: Awaited<ReturnType<JobQueue['stats']>>): number {
  return network.waiting + network.parked + network.running;
}
