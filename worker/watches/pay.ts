import type { Delivery } from '#shared/model/watch';
import type { WatchContext } from './context.ts';
import type { Paid } from './owners.ts';

/** What an attempt costs, or how long it has to wait for that. */
export type Fee = { readonly waitS: number } | { readonly isFree: boolean; readonly paid?: Paid };

const noTokenWaitS = 60;

/** Pays for an attempt, or says how long it has to wait. The first attempt of an event is free. */
export async function payFor(
  { owners, config }: Pick<WatchContext, 'owners' | 'config'>,
  { account, isExtra, attempts }: Delivery,
): Promise<Fee> {
  if (!config.RATE_LIMIT || (!isExtra && attempts === 0)) return { isFree: true };
  const quota = await owners.quotaOf(account);
  if (!quota) return { waitS: noTokenWaitS };
  const paid = await owners.pay(account, quota, 1);
  if (typeof paid === 'number') return { waitS: paid };
  return { isFree: false, ...(paid ? { paid } : {}) };
}
