import { setTimeout as after } from 'node:timers/promises';
import { openPlaces } from '#shared/time/places';

/** Runs work as soon as fewer than so many others run, first come first served. */
export type Lanes = {
  <T>(work: () => Promise<T>): Promise<T>;
  /**
   * The same for work that may go unanswered because it ran beside others: the first such work is tried once more alone.
   * Where that helps, the server serves one connection at a time, and everything runs alone from then on.
   */
  readonly orAlone: <T>(work: () => Promise<T>, isUnanswered: (seen: T) => boolean) => Promise<T>;
};

/** Browsers open six connections to a host. */
export const lanesOfRun = 6;

/** What runs alone is followed by a pause, in which the server sees that its connection is closed. */
const pauseMs = 50;

/** Opens the lanes of one run. Work that waits when the run is aborted starts and fails at once, because every probe does. */
export function openLanes(limit: number): Lanes {
  const places = openPlaces(limit);
  const { signal } = new AbortController();
  /** Whether alone is answered what was not answered beside others; undefined until that was tried. */
  let trial: Promise<boolean> | undefined;
  let isAlone = false;
  const run = async <T>(work: () => Promise<T>) => {
    const leave = await places.enter(signal);
    const before = places.taken();
    try {
      const seen = await work();
      return { seen, wasBeside: before > 1 || places.taken() > 1 };
    } finally {
      if (isAlone) await after(pauseMs);
      leave?.();
    }
  };
  const runPlainly = async <T>(work: () => Promise<T>) => (await run(work)).seen;
  const tryAlone = async (work: () => Promise<boolean>) => {
    isAlone = true;
    places.resize(1);
    isAlone = await runPlainly(work);
    if (!isAlone) places.resize(limit);
    return isAlone;
  };
  return Object.assign(runPlainly, {
    async orAlone<T>(work: () => Promise<T>, isUnanswered: (seen: T) => boolean): Promise<T> {
      const { seen, wasBeside } = await run(work);
      if (!isUnanswered(seen) || !wasBeside) return seen;
      let again: T | undefined;
      const repeat = async () => {
        again = await work();
        return !isUnanswered(again);
      };
      const isFirst = trial === undefined;
      trial ??= tryAlone(repeat);
      if (!(await trial)) return seen;
      const isServed = isFirst || (await runPlainly(repeat));
      return isServed && again !== undefined ? again : seen;
    },
  });
}
