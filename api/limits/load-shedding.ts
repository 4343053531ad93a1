import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Problem } from '#shared/model/problem';

/** Refuses new work while this process cannot keep up; cached answers go on. */
export type LoadShedding = {
  /** @param hasFew the caller has no backlog: it is refused last, as those with one make the work that cannot be kept up with */
  check(hasFew: boolean): void;
  close(): void;
};

export type LoadSheddingLimits = {
  /** Delay of the event loop at most of its turns of the last seconds: one stall is over when it is seen; a loop that is late at every turn does not keep up. */
  readonly lagMs: number;
  /** Over so long the turns are counted, and so long a refusal lasts at least. */
  readonly windowMs: number;
  /** GETs that wait at once. */
  readonly waits: number;
};

/** Where the loop is late by so many times the limit, everybody is refused. */
const timesLater = 5;
/** One turn alone is a stall. */
const leastTurns = 2;

/** Opens the watch. */
export function openLoadShedding(limits: LoadSheddingLimits, waits: () => number): LoadShedding {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  let lagMs = 0;
  const timer = setInterval(() => {
    lagMs = delay.count < leastTurns ? 0 : delay.percentile(50) / 1e6;
    delay.reset();
  }, limits.windowMs).unref();
  return {
    check(hasFew) {
      if (lagMs > limits.lagMs * (hasFew ? timesLater : 1))
        throw new Problem(
          'overloaded',
          'This process is busy beyond its measure. Ask again in a few seconds.',
          { retryAfterS: 3 },
        );
      if (waits() >= limits.waits)
        throw new Problem(
          'overloaded',
          'Too many requests are waiting for an answer. Ask again in a few seconds.',
          { retryAfterS: 5 },
        );
    },
    close() {
      clearInterval(timer);
      delay.disable();
    },
  };
}
