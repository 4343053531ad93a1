import { LRUCache } from 'lru-cache';
import type { Job } from '#shared/model/job';
import type { Done } from '#shared/ports/job-queue';

/** How long the jobs of each host run of late, and so how many of them get their turn in time. */
export type Pace = {
  observe(done: Done): void;
  /** How many jobs of the host may wait before this one; undefined where nothing is known of it. */
  hostWaitingLimit(job: Job): number | undefined;
};

export type PaceSettings = { readonly queueSeconds: number; readonly hostConcurrency: number };

/** For about 20,000 hosts. */
const memoryBytes = 4 * 1024 * 1024;
const objectBytes = 160;
/** A quick host's line has an end too. */
const leastMs = 50;
/** The weight of the last run: a host that has become quick is believed after a few. */
const newest = 0.3;

/** Opens the record; it knows the runs of all workers, as every process hears of every end. */
export function openPace({ queueSeconds, hostConcurrency }: PaceSettings): Pace {
  const means = new LRUCache<string, number>({
    maxSize: memoryBytes,
    sizeCalculation: (_meanMs, key) => objectBytes + key.length,
  });
  return {
    observe({ queue, host, tookMs }) {
      if (tookMs === 0 || queue === 'composite') return;
      const key = `${queue} ${host}`;
      means.set(key, newest * tookMs + (1 - newest) * (means.get(key) ?? tookMs));
    },
    hostWaitingLimit({ queue, host }) {
      const meanMs = means.get(`${queue} ${host}`);
      if (meanMs === undefined) return undefined;
      // Of one host the browser loads one page at a time.
      const atOnce = queue === 'browser' ? 1 : hostConcurrency;
      // A job that is alone always has its turn.
      return Math.max(1, Math.floor((queueSeconds * 1000 * atOnce) / Math.max(leastMs, meanMs)));
    },
  };
}
