import { openPlaces } from '#shared/time/places';

/** Runs work as soon as fewer than so many others run, first come first served. */
export type Lanes = <T>(work: () => Promise<T>) => Promise<T>;

/** Browsers open six connections to a host. */
export const lanesOfRun = 6;

/** Opens the lanes of one run. Work that waits when the run is aborted starts and fails at once, because every probe does. */
export function openLanes(limit: number): Lanes {
  const places = openPlaces(limit);
  const { signal } = new AbortController();
  return async (work) => {
    const leave = await places.enter(signal);
    try {
      return await work();
    } finally {
      leave?.();
    }
  };
}
