import { type Job, queueNames } from '../../model/job.ts';
import type { CallerJobs } from '../../ports/job-queue.ts';
import type { QueuesByShard } from './shard-queues.ts';

/** A caller's unfinished jobs, over all queues and shards. */
export async function jobsOf(
  queuesByShard: QueuesByShard,
  caller: Pick<Job, 'caller' | 'levels'>,
): Promise<CallerJobs> {
  const asked = queuesByShard.flatMap(({ gate }) => queueNames.map((queue) => gate.jobsOf(queue, caller)));
  const counts = await Promise.all(asked);
  return counts.reduce((sum, { running, waiting }) => ({
    running: sum.running + running,
    waiting: sum.waiting + waiting,
  }));
}
