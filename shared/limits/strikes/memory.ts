import { LRUCache } from 'lru-cache';
import { namesOf, refusedForMs, strikeHourMs, strikesAllowed, type Strikes } from '../../ports/strikes.ts';

/** Names, and jobs: about 1 MB when full. */
const kept = 5000;

/** The strikes of one process. @param now ms that only grow; for tests */
export function openMemoryStrikes(now: () => number = () => performance.now()): Strikes {
  const strikes = new LRUCache<string, readonly number[]>({ max: kept });
  const jobs = new LRUCache<string, number>({ max: kept });
  return {
    async add(job) {
      for (const name of Object.values(namesOf(job)))
        strikes.set(name, [now(), ...(strikes.get(name) ?? [])].slice(0, strikesAllowed));
      jobs.set(job.jobId, now());
    },
    async look(job) {
      const { caller, host } = namesOf(job);
      for (const [who, name] of [
        ['caller', caller],
        ['host', host],
      ] as const) {
        const ms = refusedForMs(strikes.get(name) ?? [], now());
        if (ms > 0) return { who, forS: Math.ceil(ms / 1000) };
      }
      return undefined;
    },
    has: async (jobId) => now() - (jobs.get(jobId) ?? -Infinity) < strikeHourMs,
  };
}

/** Counts nothing; for labs. */
export const noStrikes: Strikes = {
  add: async () => undefined,
  look: async () => undefined,
  has: async () => false,
};
