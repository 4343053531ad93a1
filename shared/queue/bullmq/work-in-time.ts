import type { Logger } from '../../telemetry/logger.ts';
import { openWorkWhile, type WorkWhile } from '../work-while.ts';
import type { SharedClock } from './shared-clock.ts';

/** Lets workers work while this machine's clock is fit for use. */
export type TimelyWork = Pick<WorkWhile, 'work'> & { close(): void };

const lookEveryMs = 500;

/**
 * Opens it. A worker whose clock is wrong tells nobody that it lives and takes no jobs: what it would do by its own time, others have to
 * take for late or for early.
 */
export function openTimelyWork(
  clock: Pick<SharedClock, 'known' | 'readiness'>,
  log: Pick<Logger, 'info' | 'error'>,
): TimelyWork {
  const { turn, work } = openWorkWhile(log);
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
    turn(mayWork);
  };
  void clock.known.then(() => {
    if (isClosed) return;
    look();
    timer = setInterval(look, lookEveryMs).unref();
  });
  return {
    work,
    close() {
      isClosed = true;
      clearInterval(timer);
    },
  };
}
