import { LRUCache } from 'lru-cache';
import type { Pace } from './port.ts';

/** Keys at most 300 characters long: about 20 MB when full. The one that was asked longest ago is forgotten first. */
const keyLimit = 50_000;

/** The pace of one process. @param now ms that only grow; for tests */
export function openMemoryPace(now: () => number = () => performance.now()): Pace {
  /** When all that was taken of a key will have been used at its rate, in the ms of `now`. */
  const usedUpAt = new LRUCache<string, number>({ max: keyLimit });
  return {
    async take(key, units, { perSecond, burst }, maxWaitMs) {
      const time = now();
      const next = Math.max(usedUpAt.get(key) ?? 0, time) + (units * 1000) / perSecond;
      // Whole ms: what is left of a sum of fractions is no wait.
      const waitMs = Math.max(0, Math.round(next - (burst * 1000) / perSecond - time));
      if (waitMs > maxWaitMs) return null;
      usedUpAt.set(key, next);
      return waitMs;
    },
    close: async () => undefined,
  };
}

/** Lets everything through at once; for labs, and for tests that are not about the pace. */
export const noPace: Pace = { take: async () => 0, close: async () => undefined };
