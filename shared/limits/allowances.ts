import type { Quota, RateLimiter, Taken } from '../ports/rate-limiter.ts';
import type { Allowance, Caller } from './caller.ts';
import type { Windows } from './rates/windows.ts';

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

/** A request that was counted: what is left, and the allowance that had nothing left. */
export type Counted = Pick<Spent, 'left' | 'refusal'>;

/** Counts one request in each allowance of a caller, or in none. Nothing is awaited: it is done for every request. */
export function countOne(windows: Windows, caller: Caller): Counted {
  const take = ({ id, quotas: { requests } }: Allowance): Share => ({
    id,
    quota: requests,
    taken: windows.take(requests, id, 1),
  });
  const own = take(caller);
  if (!own.taken.allowed) return { left: own.taken, refusal: own };
  if (caller.wider.length === 0) return { left: own.taken };
  const shares = [own];
  for (const allowance of caller.wider) {
    const share = take(allowance);
    if (!share.taken.allowed) {
      for (const { id, quota, taken } of shares) windows.giveBack(quota, id, 1, taken);
      return { left: share.taken, refusal: share };
    }
    shares.push(share);
  }
  return { left: leastOf(shares.map(({ taken }) => taken)) };
}

/** Gives points back to each allowance that they were taken from. */
export async function giveBackShares(
  limiter: RateLimiter,
  shares: readonly Share[],
  points: number,
): Promise<void> {
  await Promise.all(shares.map(({ quota, id, taken }) => limiter.giveBack(quota, id, points, taken)));
}

/** What a caller has, with what it shares with its neighbours. */
export function allowancesOf(caller: Caller): readonly Allowance[] {
  return [caller, ...caller.wider];
}

/** What is left for a caller: the least of all its allowances. */
export function leastOf(all: readonly Taken[]): Taken {
  return all.reduce((least, taken) => (taken.remaining < least.remaining ? taken : least));
}

async function takeShare(
  limiter: RateLimiter,
  { id, quotas }: Allowance,
  policy: Quota['policy'],
  points: number,
): Promise<Share> {
  return { id, quota: quotas[policy], taken: await limiter.take(quotas[policy], id, points) };
}
