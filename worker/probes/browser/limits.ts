import type { BrowserLimits } from './open.ts';
import { trafficBudget } from './traffic-account.ts';

/** Production's limits: a usual page needs 6 s and 0.6 GB, and a greedy one takes 0.3 GB more before it is stopped; the waits are those of PageSpeed Insights, cut so that all fits into 50 s. */
export const browserLimits: BrowserLimits = {
  memoryBytes: 1_300_000_000,
  diskBytes: 100_000_000,
  watchEveryMs: 250,
  silentMs: 25_000,
  traffic: trafficBudget,
  waits: { firstPaintMs: 15_000, loadMs: 25_000, protocolMs: 30_000 },
};
