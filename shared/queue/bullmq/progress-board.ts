import type { AnyRedis } from '../../backends/redis.ts';
import type { Job } from '../../model/job.ts';
import type { Progress } from '../../ports/job-queue.ts';
import { parseProgress } from '../read-message.ts';
import type { Keys } from './keys.ts';

/** How far the runs of one shard are, as their workers told last. */
export type ProgressBoard = {
  /** Keeps it for as long as a run of the job may take. */
  tell(job: Pick<Job, 'jobId' | 'runLimitMs'>, progress: Progress): Promise<void>;
  /** undefined where nothing was told, or by a worker of an older version: those tell BullMQ's job. */
  read(jobId: string): Promise<Progress | undefined>;
};

/**
 * Opens the board. It is a key of each job, which ends by itself: BullMQ's own means is a script and an event that nobody hears, and writing
 * into its job without a script could bring back one that is gone.
 */
export function openProgressBoard(redis: AnyRedis, keys: Keys): ProgressBoard {
  return {
    async tell({ jobId, runLimitMs }, progress) {
      // What waits for a Redis that is away would be old when it comes back.
      if (redis.status !== 'ready') return;
      await redis.set(keys.progress(jobId), JSON.stringify(progress), 'PX', Math.ceil(runLimitMs));
    },
    read: async (jobId) => parseProgress(await redis.get(keys.progress(jobId))),
  };
}
