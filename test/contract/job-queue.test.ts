import { describe, expect, test } from 'vitest';
import type { QueueName } from '#shared/model/job';
import type { Problem } from '#shared/model/problem';
import type { JobQueue } from '#shared/ports/job-queue';
import { openMemoryJobQueue } from '#shared/queue/memory';
import { jobQueueContract, makeJob, type OpenQueue } from './job-queue.contract.ts';
import { turnsContract } from './turns.contract.ts';

describe('memory job queue', () => {
  const open: OpenQueue = async (limits) => openMemoryJobQueue({ ...limits, waitingLimit: 100_000 });
  jobQueueContract(open);
  turnsContract(open);
});

/** What a queue says that nobody serves, and one whose worker has told why. */
async function listRefusals(queue: JobQueue): Promise<readonly string[]> {
  const crew = queue.work(
    'network',
    1,
    async () => undefined,
    async () => undefined,
  );
  const ask = (name: QueueName) =>
    queue.submit(makeJob({ queue: name })).then(
      ({ state }) => state as string,
      ({ code, detail }: Problem) => `${code}: ${detail}`,
    );
  await expect.poll(() => ask('network')).toBe('admitted');
  const unknown = [await ask('browser'), await ask('composite')];
  queue.deny('browser', 'Install Chrome.');
  await expect.poll(() => ask('browser')).toContain('Install Chrome.');
  const told = await ask('browser');
  await crew.close(0);
  await queue.close(0);
  return [...unknown, told].map((text) => text.replace(/:.*/, ''));
}

const refusals = ['browser_unavailable', 'queue_unavailable', 'browser_unavailable'];
const limits = { hostConcurrency: 4, lineLimit: 100 };

test('a queue that no worker serves in this process is refused at once, with the reason where there is one', async () => {
  expect(await listRefusals(openMemoryJobQueue({ ...limits, waitingLimit: 100 }))).toEqual(refusals);
});
