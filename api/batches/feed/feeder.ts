import { levelsOfAccount } from '#shared/limits/caller';
import { randomId } from '#shared/model/job';
import type { Batch } from '#shared/ports/batch-store';
import { type Lease, openLeases } from '#shared/stores/batches/leases';
import { openFailures, openLoop } from '#shared/telemetry/loops';
import { giveBack, inLine } from '#shared/time/give-back';
import { type FeedServices, feedBatch, leaseMs } from './feed-batch.ts';

/** Feeds the batches of all accounts: each process that answers requests takes some. */
export type Feeder = {
  /** There may be a batch to feed. */
  wake(): void;
  /** Leaves its batches to the next process. */
  close(): Promise<void>;
};

/** Batches that one process feeds at once. */
const mostBatches = 100;
const lookEveryMs = 1000;
const expireEveryMs = 2000;

/** Feeds nothing. */
export const idleFeeder: Feeder = { wake: () => undefined, close: async () => undefined };

type FeederOptions = Omit<FeedServices, 'leases'> & {
  /** No other process feeds from this store: whoever has a lease has died. */
  readonly isAlone: boolean;
};

/** Opens the feeder of a process. */
export function openFeeder({ isAlone, ...opened }: FeederOptions): Feeder {
  const { store, log, now } = opened;
  // Every lease of a process before ends by then, and none of this one.
  const freeUntil = isAlone ? now() + leaseMs - 1 : 0;
  const leases = openLeases(store);
  const closing = new AbortController();
  const fed = new Set<Promise<void>>();
  const failures = openFailures('batches', log);
  let pausedUntil = 0;
  const pause = (error: unknown) => {
    if (!closing.signal.aborted) pausedUntil = performance.now() + failures.note(error);
  };
  const feed = async (batch: Batch, lease: Lease) => {
    try {
      const how = await feedBatch({ ...opened, leases }, batch, lease, closing.signal);
      failures.over();
      log.info({ batchId: batch.batchId, total: batch.total, how }, 'batch fed');
    } catch (error) {
      pause(error);
    }
    // Also after an error: the lease of a store that is away ends by itself.
    await leases.release(lease).catch(pause);
  };
  const canFeed = () => fed.size < mostBatches && !closing.signal.aborted && performance.now() >= pausedUntil;
  const look = async () => {
    while (canFeed()) {
      const token = randomId();
      const batch = await leases.claim(token, Math.max(now(), freeUntil), now() + leaseMs);
      if (!batch) return;
      const feeding = inLine(
        () => feed(batch, { batchId: batch.batchId, token }),
        levelsOfAccount(batch.account),
      ).finally(() => fed.delete(feeding));
      fed.add(feeding);
      await giveBack();
    }
  };
  const looking = openLoop({ name: 'batches', everyMs: lookEveryMs, log, act: look });
  const expire = async () => {
    while (!closing.signal.aborted && (await store.expire(now()))) await giveBack();
  };
  const expiring = openLoop({ name: 'expiry of batches', everyMs: expireEveryMs, log, act: expire });
  return {
    wake: () => looking.wake(),
    async close() {
      closing.abort(new Error('this process stops'));
      await Promise.all([looking.close(), expiring.close()]);
      await Promise.all(fed);
    },
  };
}
