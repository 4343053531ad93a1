import { randomId } from '#shared/model/job';
import { Problem } from '#shared/model/problem';
import type { Batch } from '#shared/ports/batch-store';
import { type FeedDesk, feedBatch, leaseMs } from './feed-batch.ts';

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

/** Opens the feeder of a process. */
export function openFeeder(desk: FeedDesk): Feeder {
  const { store, log, now } = desk;
  const feeder = randomId();
  const closing = new AbortController();
  const fed = new Set<Promise<void>>();
  let looking: Promise<void> | undefined;

  const feed = async (batch: Batch) => {
    const lease = { batchId: batch.batchId, feeder };
    try {
      const how = await feedBatch(desk, batch, feeder, closing.signal);
      log.info({ batchId: batch.batchId, total: batch.total, how }, 'batch fed');
    } catch (error) {
      if (!closing.signal.aborted) tell(error);
    }
    // Also after an error: the lease of a store that is away ends by itself.
    await store.release(lease).catch(tell);
  };
  const tell = (error: unknown) => {
    if (error instanceof Problem) log.debug({ err: error }, 'batches not fed just now');
    else log.error({ err: error }, 'batches not fed');
  };
  const look = async () => {
    while (fed.size < mostBatches && !closing.signal.aborted) {
      const batch = await store.claim(feeder, now(), now() + leaseMs);
      if (!batch) return;
      const feeding = feed(batch).finally(() => fed.delete(feeding));
      fed.add(feeding);
    }
  };
  const wake = () => {
    looking ??= look()
      .catch(tell)
      .finally(() => {
        looking = undefined;
      });
  };
  const timers = [
    setInterval(wake, lookEveryMs).unref(),
    setInterval(() => void store.expire(now()).catch(tell), expireEveryMs).unref(),
  ];
  return {
    wake,
    async close() {
      for (const timer of timers) clearInterval(timer);
      closing.abort(new Error('this process stops'));
      await looking;
      await Promise.all(fed);
    },
  };
}
