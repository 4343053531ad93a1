import type { Job as BullJob } from 'bullmq';
import type { QueueName } from '../../model/job.ts';
import { type JobState, notStarted, type Progress } from '../../ports/job-queue.ts';
import { shiftJob } from '../../time/shared-time.ts';
import { readJob, readProgress } from '../read-message.ts';
import type { ShardQueues } from './shard-queues.ts';
import type { JobOutcome } from './turn.ts';
import { sendTogether } from './within-time.ts';

/** What is known of a job. Those who wait for it ask again and again: one that runs or sleeps takes no script. */
export async function look(shardQueues: ShardQueues, queue: QueueName, jobId: string): Promise<JobState> {
  const { redis, keys, queues, board } = shardQueues;
  const { delayed = '' } = queues[queue].keys;
  sendTogether(redis);
  // Redis answers in this order. The job comes last: it says that it has ended from when its lock is gone.
  const [locked, sleepsUntil, told, bullJob] = await Promise.all([
    redis.exists(`${keys.bull}:${queue}:${jobId}:lock`),
    redis.zscore(delayed, jobId),
    board.read(jobId),
    findJob(shardQueues, queue, jobId),
  ]);
  if (!bullJob) return { state: 'unknown' };
  const hasEnded = bullJob.finishedOn !== undefined;
  const seen = hasEnded ? undefined : locked === 1 ? 'active' : sleepsUntil === null ? undefined : 'delayed';
  if (seen) return describe(shardQueues, { bullJob, queue, state: seen, told });
  const state = await queues[queue].getJobState(jobId);
  // After its state: how a job ended is there from when it is completed.
  const now = state === 'unknown' ? undefined : await findJob(shardQueues, queue, jobId);
  return now ? describe(shardQueues, { bullJob: now, queue, state, told }) : { state: 'unknown' };
}

async function findJob({ queues }: ShardQueues, queue: QueueName, jobId: string) {
  return (await queues[queue].getJob(jobId)) as BullJob | undefined;
}

type ObservedJob = {
  readonly bullJob: BullJob;
  readonly queue: QueueName;
  readonly state: Awaited<ReturnType<BullJob['getState']>>;
  readonly told: Progress | undefined;
};

async function describe(
  { gate, clock }: ShardQueues,
  { bullJob, queue, state, told }: ObservedJob,
): Promise<JobState> {
  const read = readJob(bullJob.data, { queue, jobId: bullJob.id });
  if ('fault' in read) return { state: 'unknown' };
  const job = shiftJob(read.value, -clock.offsetMs());
  switch (state) {
    case 'active':
      return { state: 'running', progress: told ?? readProgress(bullJob.progress) ?? notStarted, job };
    case 'completed':
      return { state: readOutcome(bullJob.returnvalue), job };
    case 'failed':
      return { state: 'failed', job };
    case 'unknown':
      return { state };
    case 'delayed':
    case 'prioritized':
    case 'waiting':
    case 'waiting-children':
      return { state: 'waiting', position: Math.max(1, await gate.position(job)), job };
  }
}

function readOutcome(returned: unknown): JobOutcome {
  return returned === 'expired' || returned === 'failed' ? returned : 'done';
}
