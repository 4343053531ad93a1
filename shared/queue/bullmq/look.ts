import type { Job as BullJob } from 'bullmq';
import type { QueueName } from '../../model/job.ts';
import { type JobState, notStarted } from '../../ports/job-queue.ts';
import { shiftJob } from '../../time/shared-time.ts';
import { readJob, readProgress } from '../read-message.ts';
import type { ShardQueues } from './shard-queues.ts';
import type { Outcome } from './turn.ts';

/** What is known of a job. */
export async function look(
  { queues, gate, clock }: ShardQueues,
  queue: QueueName,
  jobId: string,
): Promise<JobState> {
  const state = await queues[queue].getJobState(jobId);
  if (state === 'unknown') return { state };
  // After its state: how a job ended is there from when it is completed.
  const bullJob = (await queues[queue].getJob(jobId)) as BullJob | undefined;
  if (!bullJob) return { state: 'unknown' };
  const { returnvalue } = bullJob;
  const read = readJob(bullJob.data, { queue, jobId });
  if ('fault' in read) return { state: 'unknown' };
  const job = shiftJob(read.value, -clock.offsetMs());
  switch (state) {
    case 'active':
      return { state: 'running', progress: readProgress(bullJob.progress) ?? notStarted, job };
    case 'completed':
      return { state: readOutcome(returnvalue), job };
    case 'failed':
      return { state: 'failed', job };
    case 'delayed':
    case 'prioritized':
    case 'waiting':
    case 'waiting-children':
      return { state: 'waiting', position: Math.max(1, await gate.position(job)), job };
  }
}

function readOutcome(returned: unknown): Outcome {
  return returned === 'expired' || returned === 'failed' ? returned : 'done';
}
