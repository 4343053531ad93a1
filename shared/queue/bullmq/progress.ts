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

/** A run that ends sooner tells nothing. */
const firstAfterMs = 500;
/** Who waits for a job asks once a second. */
const everyMs = 1000;

/** What a run says of its progress on the way to those who ask for its job: the latest word, now and then. */
type ProgressTeller = { readonly tell: (progress: Progress) => void; readonly end: () => void };

/** Opens it for one run. @param pass passes a word on */
export function openProgressTeller(pass: (progress: Progress) => Promise<unknown>): ProgressTeller {
  let latest: Progress | undefined;
  let timer: NodeJS.Timeout | undefined;
  let dueMs = firstAfterMs;
  const send = () => {
    timer = undefined;
    dueMs = everyMs;
    if (latest) pass(latest).catch(() => undefined); // progress is a courtesy: the run goes on without it
  };
  return {
    tell(progress) {
      latest = progress;
      timer ??= setTimeout(send, dueMs);
    },
    end: () => clearTimeout(timer),
  };
}
