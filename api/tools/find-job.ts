import { isRandomId, queueNames } from '#shared/model/job';
import type { JobQueue, JobState } from '#shared/ports/job-queue';

/**
 * Where a job stands, in whatever queue it is; `unknown` also for a text that is no job's id.
 * @param owner the job of any other account is unknown too; undefined: jobs are everybody's
 */
export async function findJob(
  jobQueue: Pick<JobQueue, 'look'>,
  jobId: string,
  owner: string | undefined,
): Promise<JobState> {
  if (!isRandomId(jobId)) return { state: 'unknown' };
  const states = await Promise.all(queueNames.map((queue) => jobQueue.look(queue, jobId)));
  const found = states.find((state) => state.state !== 'unknown');
  const isForeign = owner !== undefined && found !== undefined && found.job.account !== owner;
  return found === undefined || isForeign ? { state: 'unknown' } : found;
}
