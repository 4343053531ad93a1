import { setTimeout as delay } from 'node:timers/promises';
import { exitConfig } from '../../settings/config.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { type Child, forkChild, type ChildPlace } from './child.ts';
import type { FromChild } from './messages.ts';

/** What places have in common. */
export type Places = {
  readonly living: Map<ChildPlace, Child>;
  readonly log: Logger;
  /** Once it is true, nobody is replaced. */
  readonly isStopping: () => boolean;
  readonly onMessage: (child: Child, message: FromChild) => void;
  readonly onEnd: (child: Child) => void;
  /** A child ended as every other would: for a wrong setting, or as the first of all before it was ready. */
  readonly onFault: (status: number) => void;
};

/** One that ends is replaced after a quarter of a second, one that ends again and again after 30 s. */
const delays = { leastMs: 250, mostMs: 30_000 } as const;
/** A child that has worked so long has ended for a new reason. */
const steadyMs = 60_000;

/**
 * Keeps a child at this place: one after another, until all are to stop.
 * @param onReady is given what each says of itself when it is ready
 * @param isFirst nothing is known yet of whether a child can start here at all
 */
export async function occupyPlace(
  place: ChildPlace,
  places: Places,
  onReady: (says: object) => void,
  isFirst: boolean,
): Promise<void> {
  const { log, isStopping } = places;
  let canStart = !isFirst;
  for (let quickEnds = 0; !isStopping(); quickEnds += 1) {
    const since = performance.now();
    const status = await liveOnce(place, places, (says) => {
      canStart = true;
      onReady(says);
    });
    if (isStopping()) return;
    if (status === exitConfig || !canStart) return places.onFault(status);
    if (performance.now() - since > steadyMs) quickEnds = 0;
    const inMs = Math.min(delays.mostMs, delays.leastMs * 2 ** quickEnds);
    log.warn({ place: place.name, status, inMs }, 'a process ended, another is started');
    await delay(inMs);
  }
}

/** The whole life of one child; gives its exit status, 1 for one that could not be started. */
async function liveOnce(place: ChildPlace, places: Places, onReady: (says: object) => void): Promise<number> {
  const child = tryFork(place, places);
  if (!child) return 1;
  places.living.set(place, child);
  void child.ready.then(onReady);
  const status = await child.ended;
  places.living.delete(place);
  places.onEnd(child);
  return status;
}

// A machine without memory refuses a new process: there may be room a moment later.
function tryFork(place: ChildPlace, { onMessage, log }: Places): Child | undefined {
  const onNoStart = (error: unknown) =>
    log.error({ err: error, place: place.name }, 'a process cannot be started');
  try {
    return forkChild(place, { onMessage, onNoStart });
  } catch (error) {
    onNoStart(error);
    return undefined;
  }
}
