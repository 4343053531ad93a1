import type { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';
import { openFlexibleRateLimiter } from './flexible.ts';
import type { RateLimiter } from './port.ts';

/** The limiter over all API processes. While Redis is away each process counts on its own (the library's insurance), so that nobody is let through unlimited. */
export function openRedisRateLimiter(redis: Redis): RateLimiter {
  return openFlexibleRateLimiter(
    (name, { points, windowS }) => {
      const counts = { keyPrefix: `diag:limit:${name}`, points, duration: windowS };
      const insuranceLimiter = new RateLimiterMemory(counts);
      return new RateLimiterRedis({
        ...counts,
        storeClient: redis,
        insuranceLimiter,
        rejectIfRedisNotReady: true,
      });
    },
    () => redis.disconnect(),
  );
}
