import { expect, test } from 'vitest';
import { catalogue } from '#shared/catalogue/registry';
import { measurePace } from '#shared/limits/pace/measured';
import { noPace } from '#shared/limits/pace/memory';
import { type Job, jobVersion } from '#shared/model/job';
import { openMemoryJobQueue } from '#shared/queue/memory';
import { queueUnavailable } from '#shared/queue/unavailable';
import { openMetrics } from '#shared/telemetry/metrics';
import { timeWaits } from '#shared/telemetry/time-waits';
import { steadyNow } from '#shared/time/steady-time';

const job: Job = {
  v: jobVersion,
  queue: 'network',
  jobId: '0'.repeat(32),
  reportId: '1'.repeat(32),
  jobKey: 'key',
  check: 'redirect-check',
  target: 'http://a.test/',
  options: {},
  host: 'a.test',
  caller: 'c',
  wanted: { since: 0, orFresh: true },
  startBy: Date.now() + 60_000,
  runLimitMs: 1000,
};

const store = { use: async () => ({ usedBytes: 7, limitBytes: 9 }), ping: async () => true as const };

const valueOf = (body: string, line: string) =>
  Number(
    body
      .split('\n')
      .find((one) => one.startsWith(line))
      ?.split(' ')[1],
  );

test('the wait for a pace is told by its charge alone, and what was refused counts with its longest wait', async () => {
  const queue = openMemoryJobQueue({ hostConcurrency: 1, hostWaitingLimit: 10, waitingLimit: 10 });
  const metrics = openMetrics(queue, store);
  const answers: (number | null)[] = [0, 2000, 0, null];
  const pace = measurePace(
    { ...noPace, take: async () => answers.shift() as number | null },
    metrics.paceWaited,
  );
  const now = steadyNow();
  const times = { askedAt: now - 2000, since: now, until: now + 8000 };
  const order = { rate: { perSecond: 1, burst: 1 }, isAnonymous: true, ...times };
  for (let asked = 0; asked < 4; asked += 1) await pace.take({ ...order, key: 'packets 192.0.2.1' });
  const { body } = await metrics.text();
  const of = (what: string) => valueOf(body, `diag_pace_wait_seconds_${what}`);
  expect(of('count{charge="packets"}')).toBe(3);
  expect(of('sum{charge="packets"}')).toBeGreaterThanOrEqual(14);
  expect(of('bucket{le="1",charge="packets"}')).toBe(0);
  expect(body).not.toContain('192.0.2.1');
  await queue.close(0);
});

test('the first scrape tells whether queue and store work, how fast they answer, and what runs', async () => {
  const queue = openMemoryJobQueue({ hostConcurrency: 1, hostWaitingLimit: 10, waitingLimit: 10 });
  const { body } = await openMetrics(queue, { ...store, ping: async () => 'no disk' }).text();
  expect(valueOf(body, 'diag_backend_up{backend="queue"}')).toBe(1);
  expect(valueOf(body, 'diag_backend_up{backend="store"}')).toBe(0);
  expect(valueOf(body, 'diag_backend_ping_seconds{backend="store"}')).toBeGreaterThan(0);
  expect(body).toMatch(/^diag_build_info\{version="[\d.]+",node="24[\d.]+"\} 1$/m);
  expect(body).toMatch(/^nodejs_eventloop_lag_p99_seconds /m);
  await queue.close(0);
});

test('what alarms watch begins at 0: Prometheus sees no increase in a series that begins later', async () => {
  const queue = openMemoryJobQueue({ hostConcurrency: 1, hostWaitingLimit: 10, waitingLimit: 10 });
  const metrics = openMetrics(queue, store);
  const { body } = await metrics.text();
  expect(valueOf(body, 'diag_problems_total{code="internal_error"}')).toBe(0);
  // An increase is seen only in a series that was there before.
  for (const cause of ['frozen', 'crashed', 'silent', 'killed'])
    expect(valueOf(body, `diag_runner_ends_total{cause="${cause}"}`)).toBe(0);
  for (const { name } of catalogue)
    expect(valueOf(body, `diag_checks_total{check="${name}",outcome="failed"}`)).toBe(0);
  await queue.close(0);
});

test('a run that lost its worker is counted without a time', async () => {
  const queue = openMemoryJobQueue({ hostConcurrency: 1, hostWaitingLimit: 10, waitingLimit: 10 });
  const metrics = openMetrics(queue, store);
  metrics.checkDone('dns-check', 'failed');
  const { body } = await metrics.text();
  expect(valueOf(body, 'diag_checks_total{check="dns-check",outcome="failed"}')).toBe(1);
  expect(body).not.toContain('diag_check_duration_seconds_count{check="dns-check"}');
  await queue.close(0);
});

test('a job’s wait is counted once, at its first start', async () => {
  const queue = openMemoryJobQueue({ hostConcurrency: 1, hostWaitingLimit: 10, waitingLimit: 10 });
  const metrics = openMetrics(queue, store);
  const timed = timeWaits(queue, 60_000, (name, waitedS) => metrics.jobStarted(name, waitedS));
  const ran = Promise.withResolvers<void>();
  const run = async () => {
    ran.resolve();
    return undefined;
  };
  const crew = timed.work('network', 1, run, async () => undefined);
  await queue.submit({ ...job, startBy: Date.now() + 50_000 });
  await ran.promise;
  const { body } = await metrics.text();
  expect(valueOf(body, 'diag_queue_wait_seconds_count{queue="network"}')).toBe(1);
  expect(valueOf(body, 'diag_queue_wait_seconds_sum{queue="network"}')).toBeGreaterThanOrEqual(10);
  await crew.close(0);
  await queue.close(0);
});

test('the first scrape tells how long the oldest job has waited, and how many there are', async () => {
  const queue = openMemoryJobQueue({ hostConcurrency: 1, hostWaitingLimit: 10, waitingLimit: 10 });
  await queue.submit(job);
  await new Promise((resolve) => setTimeout(resolve, 20));
  const { body } = await openMetrics(queue, store).text();
  const value = (line: string) => valueOf(body, line);
  expect(value('diag_queue_oldest_waiting_seconds{queue="network"}')).toBeGreaterThan(0.01);
  expect(value('diag_queue_oldest_waiting_seconds{queue="browser"}')).toBe(0);
  expect(value('diag_queue_oldest_parked_seconds{queue="network"}')).toBe(0);
  expect(value('diag_queue_jobs{queue="network",state="waiting"}')).toBe(1);
  expect(value('diag_queue_up')).toBe(1);
  expect(value('diag_store_bytes')).toBe(7);
  expect(value('diag_store_limit_bytes')).toBe(9);
  await queue.close(0);
});

test('a queue that cannot be read has no gauges, rather than gauges that say 0', async () => {
  const queue = openMemoryJobQueue({ hostConcurrency: 1, hostWaitingLimit: 10, waitingLimit: 10 });
  const away = { ...queue, stats: () => Promise.reject(queueUnavailable()) };
  const { body } = await openMetrics(away, store).text();
  const samples = body.split('\n').filter((line) => /^diag_queue_(?!wait_seconds|events_total)/.test(line));
  expect(samples).toEqual(['diag_queue_up 0']);
  await queue.close(0);
});
