import type { Quota, RateLimiter, Taken } from '#shared/rate-limiter/port';
import type { Allowance, Caller } from '../request/caller.ts';

/** What was taken from one allowance. */
export type Share = Pick<Allowance, 'id'> & { readonly quota: Quota; readonly taken: Taken };

/** What a caller has spent: its own share, and one of each network that it shares. */
export type Spent = {
  /** What is left for the caller: the least of all its allowances. */
  readonly left: Taken;
  readonly shares: readonly Share[];
  /** The allowance that had too little; then nothing was taken from any. */
  readonly refusal?: Share;
};

/** Takes points from each allowance of a caller, or from none. */
export async function spend(
  limiter: RateLimiter,
  caller: Caller,
  policy: Quota['policy'],
  points: number,
): Promise<Spent> {
  const own = await takeShare(limiter, caller, policy, points);
  if (!own.taken.allowed) return { left: own.taken, shares: [], refusal: own };
  const shares = [own];
  for (const allowance of caller.wider) {
    const share = await takeShare(limiter, allowance, policy, points);
    if (!share.taken.allowed) {
      await giveBackShares(limiter, shares, points);
      return { left: share.taken, shares: [], refusal: share };
    }
    shares.push(share);
  }
  return { left: leastOf(shares.map(({ taken }) => taken)), shares };
}

/** Gives points back to each allowance that they were taken from. */
export async function giveBackShares(
  limiter: RateLimiter,
  shares: readonly Share[],
  points: number,
): Promise<void> {
  await Promise.all(shares.map(({ quota, id, taken }) => limiter.giveBack(quota, id, points, taken)));
}

/** What is left for a caller now. */
export async function lookAtAllowances(
  limiter: RateLimiter,
  caller: Caller,
  policy: Quota['policy'],
): Promise<Taken> {
  const all = [caller, ...caller.wider].map(({ id, quotas }) => limiter.look(quotas[policy], id));
  return leastOf(await Promise.all(all));
}

async function takeShare(
  limiter: RateLimiter,
  { id, quotas }: Allowance,
  policy: Quota['policy'],
  points: number,
): Promise<Share> {
  return { id, quota: quotas[policy], taken: await limiter.take(quotas[policy], id, points) };
}

function leastOf(all: readonly Taken[]): Taken {
  return all.reduce((least, taken) => (taken.remaining < least.remaining ? taken : least));
}
