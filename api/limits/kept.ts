import { Problem } from '#shared/model/problem';
import type { BatchStore } from '#shared/ports/batch-store';
import type { WatchStore } from '#shared/ports/watch-store';

/** Bytes that the batches, watches and deliveries of an account take, ended ones too. No setting: forty of the largest batches, or more. */
export const usualKeptBytes = 160_000_000;

/** An ended batch is kept so long, whatever room is wanted. */
const restMs = 86_400_000;
/** Ended batches that are looked at in one call. */
const atOnce = 20;

/** What an account keeps. */
export type Kept = {
  readonly quotas: AccountQuotas;
  /** Throws `quota_exceeded` where the account would keep more than it may. Call it in the account's turn. */
  require(account: string, bytes: number): Promise<void>;
  /** As `require`, where the account's oldest ended batches go first. */
  makeRoom(account: string, bytes: number, nowMs: number): Promise<void>;
};

type KeptStores = {
  readonly batches: Pick<BatchStore, 'useOf' | 'listEnded' | 'remove'>;
  readonly watches: Pick<WatchStore, 'bytesOf'>;
};

/** Opens the bound of what accounts keep. @param limit bytes of one account */
export function openKept({ batches, watches }: KeptStores, limit = usualKeptBytes): Kept {
  const usedOf = async (account: string) => {
    const [{ bytes }, ofWatches] = await Promise.all([batches.useOf(account), watches.bytesOf(account)]);
    return bytes + ofWatches;
  };
  const refuse = (used: number) => quotaExceeded('kept', { limit, used }, 'bytes of batches and watches');
  return {
    quotas: async (account) => ({ kept: { limit, used: await usedOf(account) } }),
    async require(account, bytes) {
      const used = await usedOf(account);
      if (used + bytes > limit) throw refuse(used);
    },
    async makeRoom(account, bytes, nowMs) {
      for (let used = await usedOf(account); used + bytes > limit; used = await usedOf(account)) {
        const oldest = await batches.listEnded(account, nowMs - restMs, atOnce);
        if (oldest.length === 0) throw refuse(used);
        let freed = 0;
        for (const batch of oldest) {
          if (used - freed + bytes <= limit) break;
          await batches.remove(batch.batchId);
          freed += batch.bytes;
        }
      }
    },
  };
}

/** How much of something an account may have, and has. */
type AccountQuota = { readonly limit: number; readonly used: number };

/** What tells the quotas of an account by their policy; /api/me shows all of them. */
export type AccountQuotas = (account: string) => Promise<{ readonly [policy: string]: AccountQuota }>;

/** The Problem of an account that would have more than it may. @param what the things, in the plural: "open batches" */
export function quotaExceeded(policy: string, quota: AccountQuota, what: string): Problem {
  return new Problem(
    'quota_exceeded',
    `Your account may have ${quota.limit} ${what}, and has ${quota.used} (policy "${policy}").`,
    { policy, quota },
  );
}
