import type { JobQueue, JobState } from '#shared/job-queue/port';
import { isRandomId, queueNames } from '#shared/model/job';

/** Where a job stands, in whatever queue it is; `unknown` also for a text that is no job's id. */
export async function findJob(jobQueue: Pick<JobQueue, 'look'>, jobId: string): Promise<JobState> {
  if (!isRandomId(jobId)) return { state: 'unknown' };
  const states = await Promise.all(queueNames.map((queue) => jobQueue.look(queue, jobId)));
  return states.find(({ state }) => state !== 'unknown') ?? { state: 'unknown' };
}
