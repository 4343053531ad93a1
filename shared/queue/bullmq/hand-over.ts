import type { Queue } from 'bullmq';
import type { QueueName } from '../../model/job.ts';
import type { Gate, Handed } from './gate.ts';

export type Queues = Readonly<Record<QueueName, Queue>>;

/**
 * Lets jobs run that were handed a slot: their delay ends. A job that is not delayed runs already, or is about to;
 * one that the queue does not know any more gives its slot on.
 */
export async function handOver(queues: Queues, gate: Gate, handed: readonly Handed[]): Promise<void> {
  for (const job of handed) {
    const { queue, jobId } = job;
    if (await promote(queues[queue], jobId)) continue;
    if ((await queues[queue].getJobState(jobId)) !== 'unknown') continue;
    await handOver(queues, gate, await gate.release(job, {}));
  }
}

/** Ends the delay of a job; false when it is not delayed. */
export async function promote(queue: Queue, jobId: string): Promise<boolean> {
  try {
    await queue.getBackend().promote(jobId);
    return true;
  } catch (error) {
    // BullMQ's code for a job in another state, or in none.
    if (
      error instanceof Error &&
      ((error as { code?: unknown }).code === -3 || /not in the delayed state/.test(error.message))
    )
      return false;
    throw error;
  }
}
