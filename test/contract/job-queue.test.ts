import { describe } from 'vitest';
import { openMemoryJobQueue } from '../../shared/job-queue/memory.ts';
import { jobQueueContract } from './job-queue.contract.ts';

describe('memory job queue', () => {
  jobQueueContract(async (limits) => openMemoryJobQueue(limits));
});
