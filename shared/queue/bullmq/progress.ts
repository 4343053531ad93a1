import type { Redis } from 'ioredis';
import type { Job } from '../../model/job.ts';
import type { Progress } from '../../ports/job-queue.ts';
import { parseProgress } from '../read-message.ts';
import { jobsKey } from './keys.ts';

/** Keeps how far a run is for as long as it may take, in a key that ends by itself: BullMQ's own means is a script and an event that nobody hears. */
export async function tellProgress(
  redis: Redis,
  { jobId, runLimitMs }: Pick<Job, 'jobId' | 'runLimitMs'>,
  progress: Progress,
): Promise<void> {
  // What waits for a Redis that is away would be old when it comes back.
  if (redis.status !== 'ready') return;
  await redis.set(jobsKey('progress', jobId), JSON.stringify(progress), 'PX', Math.ceil(runLimitMs));
}

/** How far a run is; undefined where nothing was told. */
export async function readProgress(redis: Redis, jobId: string): Promise<Progress | undefined> {
  return parseProgress(await redis.get(jobsKey('progress', jobId)));
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
