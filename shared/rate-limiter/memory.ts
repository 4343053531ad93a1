import { RateLimiterMemory } from 'rate-limiter-flexible';
import { openFlexibleRateLimiter } from './flexible.ts';
import type { RateLimiter } from './port.ts';

/** The limiter of a single process. */
export function openMemoryRateLimiter(): RateLimiter {
  return openFlexibleRateLimiter(
    (name, { points, windowS }) => new RateLimiterMemory({ keyPrefix: name, points, duration: windowS }),
    () => undefined,
  );
}
