import type { RateLimiter } from '../../ports/rate-limiter.ts';
import { openWindows } from './windows.ts';

/** The limiter of a single process. */
export function openMemoryRateLimiter(): RateLimiter {
  const windows = openWindows();
  return {
    take: async (...taking) => windows.take(...taking),
    giveBack: async (...giving) => windows.giveBack(...giving),
    look: async (...looking) => windows.look(...looking),
    close: async () => windows.clear(),
  };
}
