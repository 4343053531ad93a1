import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import type { RateLimiter, Taken } from '../../ports/rate-limiter.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { steadyNow } from '../../time/steady-time.ts';
import { openFlexibleRateLimiter, openMemoryRateLimiter } from './flexible.ts';

/** What a frozen Redis was sent before it froze it does first; then its points are given back. */
const settleMs = 1000;
/** Debts that are remembered while Redis is away; it is the callers of its last second that have one. */
const debtLimit = 10_000;

/** The limiter over all API processes. While Redis is unavailable, each process counts on its own, so limits still apply. */
export function openRedisRateLimiter(redis: Redis, log: Logger): RateLimiter {
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
  const alone = openMemoryRateLimiter();
  const limiter = withInsurance(shared, alone);
  const charged = new WeakSet<Taken>();
  const owe = openDebts(shared, log);
  return {
    ...limiter,
    async take(quota, caller, points) {
      const isSent = redis.status === 'ready';
      const taken = await limiter.take(quota, caller, points);
      if (isSent) charged.add(taken);
      return taken;
    },
    async giveBack(...giving) {
      try {
        await shared.giveBack(...giving);
      } catch {
        // What comes back at once is this process's own count. What Redis was charged comes back when it answers again.
        await alone.giveBack(...giving);
        if (charged.has(giving[3])) owe(giving);
      }
    },
  };
}

type Giving = Parameters<RateLimiter['giveBack']>;

/** Points that could not be given back, until they are, or their window has ended. */
function openDebts(limiter: RateLimiter, log: Logger): (debt: Giving) => void {
  let debts: Giving[] = [];
  let isPaying = false;
  const pay = async () => {
    while (debts.length > 0) {
      await delay(settleMs, undefined, { ref: false });
      const now = steadyNow();
      debts = debts.filter(([, , , { endsAt }]) => now < endsAt);
      try {
        for (let debt = debts[0]; debt; debt = debts[0]) {
          await limiter.giveBack(...debt);
          debts.shift();
        }
      } catch {
        // Redis is still away, which its connection tells.
      }
    }
    isPaying = false;
  };
  return (debt) => {
    if (debts.length >= debtLimit) return;
    debts.push(debt);
    if (isPaying) return;
    isPaying = true;
    pay().catch((error: unknown) => log.warn({ err: error }, 'could not refund rate limit points'));
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
