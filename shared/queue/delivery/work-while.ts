import type { QueueWorker } from '../../ports/job-queue.ts';
import type { Logger } from '../../telemetry/logger.ts';

/** Lets workers work while something is as it must be, such as the clock. */
export type WorkWhile = {
  /** Tells whether it is so now. */
  readonly turn: (mayWork: boolean) => void;
  /** A worker that is opened once it is known to be so, closed while it is not, and opened again. */
  readonly work: (open: () => QueueWorker) => QueueWorker;
};

/** Runs of a worker that ends may go on for so long, as when a worker is stopped. */
const leaveMs = 25_000;

/** Opens it; workers wait until the first turn says that they may work. */
export function openWorkWhile(log: Pick<Logger, 'error'>): WorkWhile {
  const turns = new Set<() => void>();
  let mayWork = false;
  return {
    turn(may) {
      mayWork = may;
      for (const turn of turns) turn();
    },
    work(open) {
      let queueWorker: QueueWorker | undefined;
      const turn = () => {
        if (mayWork) {
          queueWorker ??= open();
          return;
        }
        queueWorker?.close(leaveMs).catch((error: unknown) => log.error({ err: error }, 'work not stopped'));
        queueWorker = undefined;
      };
      turns.add(turn);
      turn();
      return {
        isAnnounced: () => queueWorker !== undefined && queueWorker.isAnnounced?.() !== false,
        async close(graceMs) {
          turns.delete(turn);
          await queueWorker?.close(graceMs);
        },
      };
    },
  };
}
