import type { Job as BullJob } from 'bullmq';
import type { Logger } from '../../telemetry/logger.ts';

/** Of a lock's duration: two renewals may fail before it runs out. */
const renewShare = 1 / 3;

type Lock = {
  readonly token: string;
  /** How long it holds. */
  readonly lockMs: number;
  readonly log: Pick<Logger, 'debug'>;
};

/**
 * Renews the lock of a job while it is worked on. BullMQ's own renewal goes by the wall clock: where that is set back, it renews nothing
 * until the clock shows the former time again, and another worker runs the job as well.
 */
export async function holdLock<T>(
  bullJob: Pick<BullJob, 'id' | 'extendLock'>,
  { token, lockMs, log }: Lock,
  work: () => Promise<T>,
): Promise<T> {
  const timer = setInterval(() => {
    // A Redis that is away is logged by its connection; the next renewal tries again.
    bullJob
      .extendLock(token, lockMs)
      .catch((error: unknown) => log.debug({ err: error, jobId: bullJob.id }, 'lock not renewed'));
  }, lockMs * renewShare);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
