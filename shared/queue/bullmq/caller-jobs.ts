import { type Job, queueNames } from '../../model/job.ts';
import type { CallerJobs } from '../../ports/job-queue.ts';
import { type Handed, readHanded } from './gate.ts';
import { handOver } from './hand-over.ts';
import { inOneScript } from './joint-scripts.ts';
import type { QueuesByShard } from './shard-queues.ts';
import type { SubmitQueues } from './submit.ts';

/** Takes the waiting job of this key out of the queue; false where it runs, was submitted on behalf of another request, or was joined by one. */
export async function withdraw(
  { queues, gate, pages }: Pick<SubmitQueues, 'queues' | 'gate' | 'pages'>,
  job: Pick<Job, 'queue' | 'jobKey' | 'host' | 'caller' | 'levels' | 'isAnonymous' | 'requestId'>,
): Promise<boolean> {
  const queue = queues[job.queue];
  const jobId = await queue.getDeduplicationJobId(job.jobKey);
  if (jobId === null || job.requestId === undefined) return false;
  const own = { ...job, jobId };
  const { keys, words } = gate.wordsOfRelease(own);
  let handed: readonly Handed[] = [];
  const removed = await inOneScript(
    { keys, words: [...words, job.requestId] },
    (answer) => {
      handed = readHanded(answer as string[]);
    },
    () => queue.remove(jobId),
  );
  await handOver(queues, gate, handed);
  if (removed !== 1) return false;
  if (job.queue === 'browser') await pages.leave(own);
  return true;
}

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
