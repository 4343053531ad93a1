import type { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { toTaken } from './memory.ts';
import type { Quota, RateLimiter } from './port.ts';

/** The limiter over all API processes. While Redis is away each process counts on its own (the library's insurance), so that nobody is let through unlimited. */
export function openRedisRateLimiter(redis: Redis): RateLimiter {
  const limiters = new Map<string, RateLimiterRedis>();
  const limiterOf = ({ policy, points, windowS }: Quota) => {
    const keyPrefix = `diag:limit:${policy}:${points}:${windowS}`;
    const known = limiters.get(keyPrefix);
    if (known) return known;
    const insuranceLimiter = new RateLimiterMemory({ keyPrefix, points, duration: windowS });
    const limiter = new RateLimiterRedis({
      storeClient: redis,
      keyPrefix,
      points,
      duration: windowS,
      insuranceLimiter,
      rejectIfRedisNotReady: true,
    });
    limiters.set(keyPrefix, limiter);
    return limiter;
  };

  return {
    async take(quota, caller, points) {
      const limiter = limiterOf(quota);
      try {
        return toTaken(await limiter.consume(caller, points), quota, true);
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        // The library charges refused points too; they are given back, so that a refusal costs nothing.
        return toTaken(await limiter.reward(caller, points), quota, false);
      }
    },
    async giveBack(quota, caller, points) {
      const limiter = limiterOf(quota);
      const now = await limiter.get(caller);
      // On an expired key a reward would be a credit beyond the limit.
      if (now && now.consumedPoints > 0) await limiter.reward(caller, Math.min(points, now.consumedPoints));
    },
    async look(quota, caller) {
      const now = await limiterOf(quota).get(caller);
      return now
        ? toTaken(now, quota, true)
        : { allowed: true, remaining: quota.points, resetS: quota.windowS };
    },
    async close() {
      redis.disconnect();
    },
  };
}
