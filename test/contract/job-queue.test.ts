import { describe, expect, test } from 'vitest';
import { openMemoryJobQueue } from '#shared/queue/memory';
import { jobQueueContract, listRefusals, type OpenQueue, refusals } from './job-queue.contract.ts';
import { turnsContract } from './turns.contract.ts';

describe('memory job queue', () => {
  const open: OpenQueue = async (limits) => openMemoryJobQueue({ ...limits, waitingLimit: 100_000 });
  jobQueueContract(open);
  turnsContract(open);
});

const limits = { hostConcurrency: 4, hostWaitingLimit: 100 };

test('a queue that no worker serves in this process is refused at once, with the reason where there is one', async () => {
  expect(await listRefusals(openMemoryJobQueue({ ...limits, waitingLimit: 100 }))).toEqual(refusals);
});
