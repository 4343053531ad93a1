import { expect, test } from 'vitest';
import { openMemoryJobQueue } from '../../shared/job-queue/memory.ts';
import { queueUnavailable } from '../../shared/job-queue/unavailable.ts';
import { openMetrics } from '../../shared/metrics.ts';
import { type Job, jobVersion } from '../../shared/model/job.ts';

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

test('the first scrape tells how long the oldest job has waited, and how many there are', async () => {
  const queue = openMemoryJobQueue({ hostConcurrency: 1, lineLimit: 10, waitingLimit: 10 });
  await queue.submit(job);
  await new Promise((resolve) => setTimeout(resolve, 20));
  const { body } = await openMetrics(queue).text();
  const value = (line: string) =>
    Number(
      body
        .split('\n')
        .find((one) => one.startsWith(line))
        ?.split(' ')[1],
    );
  expect(value('diag_queue_oldest_waiting_seconds{queue="network"}')).toBeGreaterThan(0.01);
  expect(value('diag_queue_oldest_waiting_seconds{queue="browser"}')).toBe(0);
  expect(value('diag_queue_oldest_parked_seconds{queue="network"}')).toBe(0);
  expect(value('diag_queue_jobs{queue="network",state="waiting"}')).toBe(1);
  expect(value('diag_queue_up')).toBe(1);
  await queue.close(0);
});

test('a queue that cannot be read has no gauges, rather than gauges that say 0', async () => {
  const queue = openMemoryJobQueue({ hostConcurrency: 1, lineLimit: 10, waitingLimit: 10 });
  const away = { ...queue, stats: () => Promise.reject(queueUnavailable()) };
  const { body } = await openMetrics(away).text();
  const samples = body.split('\n').filter((line) => line.startsWith('diag_queue_'));
  expect(samples).toEqual(['diag_queue_up 0']);
  await queue.close(0);
});
