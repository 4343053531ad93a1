import type { JobQueue, QueueWorker } from '../../ports/job-queue.ts';
import { queueUnavailable } from '../../queue/unavailable.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { Agreement } from './agreement.ts';

/** Work that runs when other settings are found in force may go on for so long: as long as when a worker is stopped. */
const leaveMs = 25_000;

/** The same queue; while the settings of this process are not those of the others, it submits, looks for and takes no jobs. */
export function workInAgreement(jobQueue: JobQueue, agreement: Agreement, log: Logger): JobQueue {
  const permitted = async <T>(act: () => Promise<T>): Promise<T> => {
    await agreement.firstLook;
    const refusal = agreement.refusal();
    if (refusal !== undefined) throw queueUnavailable(new Error(refusal));
    return act();
  };
  return {
    ...jobQueue,
    submit: (job, lineLimit) => permitted(() => jobQueue.submit(job, lineLimit)),
    look: (queue, jobId) => permitted(() => jobQueue.look(queue, jobId)),
    work(...given): QueueWorker {
      let queueWorker: QueueWorker | undefined;
      const unsubscribe = agreement.onTurn((mayWork) => {
        if (mayWork) {
          queueWorker ??= jobQueue.work(...given);
          return;
        }
        queueWorker?.close(leaveMs).catch((error: unknown) => log.error({ err: error }, 'work not stopped'));
        queueWorker = undefined;
      });
      return {
        isAnnounced: () => queueWorker !== undefined && queueWorker.isAnnounced?.() !== false,
        async close(graceMs) {
          unsubscribe();
          await queueWorker?.close(graceMs);
        },
      };
    },
    async close(graceMs) {
      agreement.close();
      await jobQueue.close(graceMs);
    },
  };
}
