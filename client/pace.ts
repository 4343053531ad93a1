/** How many targets may be asked at once now. */
export type Pace = {
  limit(): number;
  /** A target was answered. */
  answered(): void;
  /** The service refused a request, or could not be reached. */
  refused(): void;
};

const firstLimit = 8;
/** GETs of one caller that a service of ours lets wait at once; more would only be answered 202. */
const highestLimit = 100;
/** Refusals that come together are one. */
const onceEveryMs = 1000;

/**
 * Finds how many requests at once the service takes: one more for each answer until the first refusal, half of it then, and from
 * there one more for each round of answers. A number stays what it is.
 */
export function openPace(concurrency: 'auto' | number, now: () => number = () => performance.now()): Pace {
  if (concurrency !== 'auto')
    return { limit: () => Math.max(1, concurrency), answered: () => undefined, refused: () => undefined };
  let limit = firstLimit;
  let wasRefused = false;
  let refusedAt = Number.NEGATIVE_INFINITY;
  return {
    limit: () => Math.floor(limit),
    answered() {
      limit = Math.min(highestLimit, limit + (wasRefused ? 1 / limit : 1));
    },
    refused() {
      if (now() - refusedAt < onceEveryMs) return;
      refusedAt = now();
      wasRefused = true;
      limit = Math.max(1, limit / 2);
    },
  };
}
