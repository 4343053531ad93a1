import type { QueueName } from '../model/job.ts';
import type { JobQueue } from '../ports/job-queue.ts';

/**
 * The same queue; tells for each first start of a job how long it waited for its turn, for its host and for a worker.
 * @param queueMs how long a job may wait: its `startBy` is its birth and this
 */
export function timeWaits(
  jobQueue: JobQueue,
  queueMs: number,
  onStart: (queue: QueueName, waitedS: number) => void,
): JobQueue {
  return {
    ...jobQueue,
    work: (queue, slots, run, gaveUp) =>
      jobQueue.work(
        queue,
        slots,
        (job, start, signal, report) => {
          if (start.attempt === 1) onStart(queue, Math.max(0, queueMs - (job.startBy - Date.now())) / 1000);
          return run(job, start, signal, report);
        },
        gaveUp,
      ),
  };
}
