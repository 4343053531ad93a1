import type { Mailbox } from '../model/mailbox.ts';
import { Problem } from '../model/problem.ts';
import type { Delivery, Watch, WatchTarget } from '../model/watch.ts';
import type { AccountTurns } from '../ports/account-turns.ts';
import type { Batch, BatchStore } from '../ports/batch-store.ts';
import type { WatchStore } from '../ports/watch-store.ts';

/** Bytes that the batches, watches, deliveries and mailboxes of an account take, ended ones too. No setting: forty of the largest batches, or more. */
export const usualKeptBytes = 160_000_000;

/** An ended batch is kept so long, whatever room is wanted. */
const restMs = 86_400_000;
/** Ended batches that are looked at in one call. */
const atOnce = 20;
/** About what a row takes beside its JSON. */
const rowBytes = 400;
/** About what is kept of a watched target before its first report. */
const targetBytes = 700;

/** What keeps more of an account. Nothing else has these calls: they are left out of the stores that others get. */
export type Put = {
  watch(watch: Watch, targets: readonly WatchTarget[]): Promise<void>;
  /** Replaces the targets of a watch. @param isAnew what is known of those that stay is forgotten, too */
  targets(watchId: string, targets: readonly WatchTarget[], isAnew: boolean): Promise<void>;
  deliveries(deliveries: readonly Delivery[]): Promise<void>;
  mailbox(mailbox: Mailbox): Promise<void>;
  batch(batch: Batch, targets: readonly string[]): Promise<void>;
};

/** Stores as all but `openKept` have them: what keeps more of an account is behind `Kept`. */
export type WatchesKept = Omit<WatchStore, 'create' | 'setTargets' | 'keepDeliveries' | 'keepMailbox'>;
export type BatchesKept = Omit<BatchStore, 'insert'>;

/** What an account keeps. */
export type Kept = {
  readonly quotas: AccountQuotas;
  /** Acts in the account's turn: what is judged in it is still true when it is written. */
  take<T>(account: string, act: (room: Room) => Promise<T>): Promise<T>;
  /** Keeps what our own turns must tell, which is never refused: the account's oldest ended deliveries go for it. */
  tell(account: string, deliveries: readonly Delivery[]): Promise<void>;
};

/** Judges the room for so many bytes more, and gives what writes them. Throws `quota_exceeded`. @param isBatch the account's oldest ended batches go for it */
export type Room = (bytes: number, isBatch?: boolean) => Promise<Put>;

type KeptStores = {
  readonly accountTurns: AccountTurns;
  readonly batches: Pick<BatchStore, 'useOf' | 'listEnded' | 'remove' | 'insert'>;
  readonly watches: Pick<
    WatchStore,
    'bytesOf' | 'create' | 'setTargets' | 'keepDeliveries' | 'keepMailbox' | 'dropEnded'
  >;
};

/** Opens the bound of what accounts keep. @param limit bytes of one account */
export function openKept({ accountTurns, batches, watches }: KeptStores, limit = usualKeptBytes): Kept {
  const usedOf = async (account: string) => {
    const [{ bytes }, ofWatches] = await Promise.all([batches.useOf(account), watches.bytesOf(account)]);
    return bytes + ofWatches;
  };
  const put: Put = {
    watch: (...wish) => watches.create(...wish),
    targets: (...wish) => watches.setTargets(...wish),
    deliveries: (...wish) => watches.keepDeliveries(...wish),
    mailbox: (...wish) => watches.keepMailbox(...wish),
    batch: (...wish) => batches.insert(...wish),
  };
  /** Deletes ended batches where they are in the way; gives what is used then. */
  const dropBatches = async (account: string, bytes: number): Promise<number> => {
    for (let used = await usedOf(account); ; used = await usedOf(account)) {
      if (used + bytes <= limit) return used;
      const oldest = await batches.listEnded(account, Date.now() - restMs, atOnce);
      if (oldest.length === 0) return used;
      let freed = 0;
      for (const batch of oldest) {
        if (used - freed + bytes <= limit) break;
        await batches.remove(batch.batchId);
        freed += batch.bytes;
      }
    }
  };
  return {
    quotas: async (account) => ({ kept: { limit, used: await usedOf(account) } }),
    take: (account, act) =>
      accountTurns.take(account, () =>
        act(async (bytes, isBatch = false) => {
          if (bytes === 0) return put;
          const used = await (isBatch ? dropBatches(account, bytes) : usedOf(account));
          if (used + bytes > limit)
            throw quotaExceeded('kept', { limit, used }, 'bytes of batches and watches');
          return put;
        }),
      ),
    async tell(account, deliveries) {
      if (deliveries.length === 0) return;
      const beyond = (await usedOf(account)) + bytesOfRows(deliveries) - limit;
      if (beyond > 0) await watches.dropEnded(account, beyond);
      await watches.keepDeliveries(deliveries);
    },
  };
}

/** About what rows take. */
export function bytesOfRows(rows: readonly object[]): number {
  return rows.reduce((sum, row) => sum + JSON.stringify(row).length + rowBytes, 0);
}

/** About what new targets of a watch take. */
export function bytesOfTargets(targets: readonly { readonly target: string }[]): number {
  return targets.reduce((sum, { target }) => sum + 3 * target.length + targetBytes, 0);
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
