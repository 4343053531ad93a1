import type { QueueWorker } from '../../ports/job-queue.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { SharedClock } from './shared-clock.ts';

/** Lets workers work while this machine's clock is fit for use. */
export type TimelyWork = {
  /** A worker that is opened once the clocks were compared, closed while they differ too much, and opened again. */
  work(open: () => QueueWorker): QueueWorker;
  close(): void;
};

const lookEveryMs = 500;
/** Runs of a worker that ends may go on for so long, as when a worker is stopped. */
const leaveMs = 25_000;

/**
 * Opens it. A worker whose clock is wrong tells nobody that it lives and takes no jobs: what it would do by its own time, others have to
 * take for late or for early.
 */
export function openTimelyWork(
  clock: Pick<SharedClock, 'known' | 'readiness'>,
  log: Pick<Logger, 'info' | 'error'>,
): TimelyWork {
  const listeners = new Set<(mayWork: boolean) => void>();
  let mayWork: boolean | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  const look = () => {
    const state = clock.readiness();
    const could = mayWork;
    mayWork = state === true;
    if (mayWork === could) return;
    if (state !== true) log.error({ reason: state }, 'no jobs are taken until the clock is right');
    else if (could === false) log.info({}, 'the clock is right again: jobs are taken');
    for (const listener of listeners) listener(mayWork);
  };
  void clock.known.then(() => {
    if (isClosed) return;
    look();
    timer = setInterval(look, lookEveryMs).unref();
  });
  return {
    work(open) {
      let queueWorker: QueueWorker | undefined;
      const turn = (may: boolean) => {
        if (may) {
          queueWorker ??= open();
          return;
        }
        queueWorker?.close(leaveMs).catch((error: unknown) => log.error({ err: error }, 'work not stopped'));
        queueWorker = undefined;
      };
      listeners.add(turn);
      if (mayWork !== undefined) turn(mayWork);
      return {
        isAnnounced: () => queueWorker !== undefined && queueWorker.isAnnounced?.() !== false,
        async close(graceMs) {
          listeners.delete(turn);
          await queueWorker?.close(graceMs);
        },
      };
    },
    close() {
      isClosed = true;
      clearInterval(timer);
      listeners.clear();
    },
  };
}
