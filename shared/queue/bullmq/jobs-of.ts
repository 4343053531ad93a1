import { type Job, queueNames } from '../../model/job.ts';
import type { CallerJobs } from '../../ports/job-queue.ts';
import type { Sides } from './side.ts';

/** A caller's unfinished jobs, over all queues and shards. */
export async function jobsOf(sides: Sides, caller: Pick<Job, 'caller' | 'levels'>): Promise<CallerJobs> {
  const asked = sides.flatMap(({ gate }) => queueNames.map((queue) => gate.jobsOf(queue, caller)));
  const counts = await Promise.all(asked);
  return counts.reduce((sum, { running, waiting }) => ({
    running: sum.running + running,
    waiting: sum.waiting + waiting,
  }));
}
