import { expect, test } from 'vitest';
import type { Job } from '#shared/model/job';
import type { JobQueue } from '#shared/ports/job-queue';
import type { ReportStore } from '#shared/ports/report-store';
import { openMemoryJobQueue } from '#shared/queue/memory';
import { queueUnavailable } from '#shared/queue/unavailable';
import { openWaiting } from '#shared/queue/waiting/waiting';
import { openLogger } from '#shared/telemetry/logger';
import { makeJob } from '../contract/job-queue.contract.ts';

const noReports = {
  fault: () => undefined,
  get: async () => undefined,
  findFresh: async () => new Map(),
} as unknown as ReportStore;

/** A queue without a worker; what is submitted is noted, and may be refused. */
function openBusy() {
  const queue = openMemoryJobQueue({ hostConcurrency: 9, hostWaitingLimit: 100, waitingLimit: 100 });
  const submitted: Job[] = [];
  let isAway = false;
  const jobQueue: JobQueue = {
    ...queue,
    async submit(job) {
      submitted.push(job);
      if (isAway) throw queueUnavailable();
      return queue.submit(job);
    },
  };
  const waiting = openWaiting({
    jobQueue,
    reportStore: noReports,
    log: openLogger('silent'),
    onDone: () => undefined,
  });
  const close = async () => {
    waiting.close();
    await queue.close(0);
  };
  return { waiting, submitted, close, setAway: (away: boolean) => (isAway = away) };
}

const how = { waitMs: 20_000, signal: new AbortController().signal };

test('who joins while the queue is away is told to it when it is back', async () => {
  const { waiting, submitted, close, setAway } = openBusy();
  const first = waiting.wait(makeJob({ jobKey: 'k', caller: 'a' }), how);
  await expect.poll(() => submitted.length).toBe(1);
  setAway(true);
  const second = waiting.wait(makeJob({ jobKey: 'k', caller: 'b' }), how);
  await expect.poll(() => submitted.filter(({ caller }) => caller === 'b').length).toBeGreaterThan(0);
  setAway(false);
  const tried = submitted.length;
  await expect.poll(() => submitted.length).toBe(tried + 1);
  expect(submitted.at(-1)?.caller).toBe('b');
  await close();
  expect((await Promise.all([first, second])).map(({ kind }) => kind)).toEqual(['later', 'later']);
});

test('a GET that joins what its own batch waits for is told to the queue at once', async () => {
  const { waiting, submitted, close } = openBusy();
  const batch = waiting.wait(makeJob({ jobKey: 'k', caller: 'a', isBackground: true }), how);
  await expect.poll(() => submitted.length).toBe(1);
  const get = waiting.wait(makeJob({ jobKey: 'k', caller: 'a' }), how);
  await expect.poll(() => submitted.length, { timeout: 500 }).toBe(2);
  waiting.lift('k');
  expect(submitted.map(({ isBackground }) => isBackground === true)).toEqual([true, false]);
  await close();
  await Promise.all([batch, get]);
});
