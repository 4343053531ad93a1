import { type BatchEnd, noneEnded, type Tally } from '#shared/ports/batch-store';

/** How the targets of a batch have ended so far. */
export type FeedTally = {
  add(end: Pick<BatchEnd, 'outcome' | 'endedAt'>): void;
  /** What it is with these. */
  with(ends: readonly Pick<BatchEnd, 'outcome' | 'endedAt'>[]): Tally;
};

/** Over so long the rate of a batch is counted. */
export const rateMs = 60_000;

/** Counts the ends of one batch, in the order in which they are written. */
export function openFeedTally(): FeedTally {
  const counts = { ...noneEnded };
  /** When those of the last minute ended. */
  let recent: number[] = [];
  return {
    add({ outcome, endedAt }) {
      counts[outcome] += 1;
      recent.push(endedAt);
    },
    with(ends) {
      const recentAt = Math.max(0, ...ends.map(({ endedAt }) => endedAt));
      const isRecent = (endedAt: number) => endedAt > recentAt - rateMs;
      recent = recent.filter(isRecent);
      const sum = { ...counts };
      for (const { outcome } of ends) sum[outcome] += 1;
      return { ...sum, recent: recent.length + ends.filter((end) => isRecent(end.endedAt)).length, recentAt };
    },
  };
}
