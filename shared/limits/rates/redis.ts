import { setTimeout as delay } from 'node:timers/promises';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import type { AnyRedis } from '../../backends/redis.ts';
import type { RateLimiter, Taken } from '../../ports/rate-limiter.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { openFlexibleRateLimiter, openMemoryRateLimiter } from './flexible.ts';

/** What a frozen Redis was sent before it froze it does first; then its points are given back. */
const settleMs = 1000;
/** Debts that are remembered while Redis is away; it is the callers of its last second that have one. */
const debtLimit = 10_000;

/** The limiter over all API processes. While Redis is away each process counts on its own, so that nobody is let through unlimited. */
export function openRedisRateLimiter(redis: AnyRedis, log: Logger): RateLimiter {
  const shared = openFlexibleRateLimiter(
    (name, { points, windowS }) =>
      new RateLimiterRedis({
        keyPrefix: `diag:limit:${name}`,
        points,
        duration: windowS,
        storeClient: redis,
        rejectIfRedisNotReady: true,
      }),
    () => redis.disconnect(),
  );
  const limiter = withInsurance(shared, openMemoryRateLimiter());
  const charged = new WeakSet<Taken>();
  let debts: (() => Promise<void>)[] = [];
  redis.on('ready', () => {
    const due = debts;
    debts = [];
    if (due.length > 0)
      delay(settleMs, undefined, { ref: false })
        .then(() => Promise.all(due.map((pay) => pay())))
        .catch((error: unknown) => log.warn({ err: error }, 'rate limit points not returned'));
  });
  return {
    ...limiter,
    async take(quota, caller, points) {
      const isSent = redis.status === 'ready';
      const taken = await limiter.take(quota, caller, points);
      if (isSent) charged.add(taken);
      return taken;
    },
    async giveBack(quota, caller, points, taken) {
      await limiter.giveBack(quota, caller, points, taken);
      // Redis was charged and is away: what came back just now was this process's own count.
      if (redis.status !== 'ready' && charged.has(taken) && debts.length < debtLimit)
        debts.push(() => limiter.giveBack(quota, caller, points, taken));
    },
  };
}

/** Asks the first limiter, and the second whenever the first cannot count. */
function withInsurance(first: RateLimiter, second: RateLimiter): RateLimiter {
  const ask = async <T>(act: (limiter: RateLimiter) => Promise<T>): Promise<T> => {
    try {
      return await act(first);
    } catch {
      // The connection itself logs that it is away, once.
      return act(second);
    }
  };
  return {
    take: (...taking) => ask((limiter) => limiter.take(...taking)),
    giveBack: (...giving) => ask((limiter) => limiter.giveBack(...giving)),
    look: (...looking) => ask((limiter) => limiter.look(...looking)),
    close: async () => void (await Promise.all([first.close(), second.close()])),
  };
}
