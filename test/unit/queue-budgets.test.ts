import { expect, test } from 'vitest';
import { readToldJob } from '#shared/model/job';
import { openMemoryJobQueue } from '#shared/queue/memory';
import { bytesOf } from '#shared/queue/scheduler/memory-jobs';
import { makeJob } from '../contract/job-queue.contract.ts';

const limits = { hostConcurrency: 1000, hostWaitingLimit: 1000, waitingLimit: 1000 };
const longTarget = `http://a.test/${'x'.repeat(2000)}`;

test('a job counts with its texts', () => {
  const job = makeJob();
  expect(bytesOf({ ...job, target: longTarget }) - bytesOf(job)).toBe(longTarget.length - job.target.length);
});

test('unfinished jobs hold no more than the budget, however few they are', async () => {
  const waitingBytes = 10 * bytesOf(makeJob({ target: longTarget }));
  const queue = openMemoryJobQueue({ ...limits, waitingBytes });
  const submitted = [];
  for (let index = 0; index < 12; index += 1)
    submitted.push((await queue.submit(makeJob({ target: longTarget }))).state);
  expect(submitted).toEqual([...Array.from({ length: 10 }, () => 'admitted'), 'full', 'full']);
  await queue.close(0);
});

test('a job that ended gives its bytes back', async () => {
  const queue = openMemoryJobQueue({ ...limits, waitingBytes: 2 * bytesOf(makeJob()) });
  const ended = new Set<string>();
  queue.onDone((done) => done !== 'missed' && ended.add(done.jobId));
  queue.work(
    'network',
    1,
    async () => undefined,
    async () => undefined,
  );
  for (let index = 0; index < 20; index += 1) {
    const job = makeJob();
    expect((await queue.submit(job)).state).toBe('admitted');
    await expect.poll(() => ended.has(job.jobId), { interval: 1 }).toBe(true);
  }
  await queue.close(0);
});

test('of the jobs that ended the newest are remembered, as many as 64 MiB hold', async () => {
  const queue = openMemoryJobQueue(limits);
  let ended = 0;
  queue.onDone(() => {
    ended += 1;
  });
  queue.work(
    'network',
    1000,
    async () => undefined,
    async () => undefined,
  );
  const big = { options: { selectors: ['y'.repeat(100_000)] } };
  const jobs = Array.from({ length: 800 }, () => makeJob(big));
  for (const job of jobs) await queue.submit(job);
  await expect.poll(() => ended).toBe(800);
  const states = await Promise.all(jobs.map(async ({ jobId }) => (await queue.look(jobId)).state));
  const remembered = states.filter((state) => state === 'done').length;
  const each = 1000 + JSON.stringify(readToldJob(makeJob(big))).length;
  expect(remembered).toBe(Math.floor((64 * 1024 * 1024) / each));
  expect(states.at(-1)).toBe('done');
  await queue.close(0);
});
