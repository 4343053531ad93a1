import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import type { Quota, RateLimiter, Taken } from '../../ports/rate-limiter.ts';
import { steadyNow } from '../../time/steady-time.ts';
import { openWindows } from './windows.ts';

type Limiter = Pick<RateLimiterAbstract, 'consume' | 'reward' | 'get'>;

/**
 * The port over rate-limiter-flexible, whichever store counts: one limiter for each quota, made when first used.
 * @param open makes the limiter of a quota; `name` tells it from the others
 */
export function openFlexibleRateLimiter(
  open: (name: string, quota: Quota) => Limiter,
  close: () => void,
): RateLimiter {
  const limiters = new Map<string, Limiter>();
  const known = new WeakMap<Quota, Limiter>();
  const limiterOf = (quota: Quota) => {
    const found = known.get(quota);
    if (found) return found;
    const name = `${quota.policy}:${quota.points}:${quota.windowS}`;
    const limiter = limiters.get(name) ?? open(name, quota);
    limiters.set(name, limiter);
    known.set(quota, limiter);
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
    async giveBack(quota, caller, points, { endsAt }) {
      const limiter = limiterOf(quota);
      const now = await limiter.get(caller);
      // In a new window a reward would be a credit beyond the limit.
      if (steadyNow() < endsAt && now && now.consumedPoints > 0)
        await limiter.reward(caller, Math.min(points, now.consumedPoints));
    },
    async look(quota, caller) {
      const now = await limiterOf(quota).get(caller);
      return now
        ? toTaken(now, quota, true)
        : {
            allowed: true,
            remaining: quota.points,
            resetS: quota.windowS,
            endsAt: steadyNow() + quota.windowS * 1000,
          };
    },
    close: async () => close(),
  };
}

function toTaken({ consumedPoints, msBeforeNext }: RateLimiterRes, quota: Quota, allowed: boolean): Taken {
  // Others may have written to the store: what is no count must not pass as one that is below the limit.
  if (!Number.isFinite(consumedPoints) || !Number.isFinite(msBeforeNext))
    throw new Error(`the store has no count for ${quota.policy}`);
  return {
    allowed,
    remaining: Math.max(0, quota.points - consumedPoints),
    resetS: Math.ceil(Math.max(0, msBeforeNext) / 1000),
    endsAt: steadyNow() + Math.max(0, msBeforeNext),
  };
}

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
