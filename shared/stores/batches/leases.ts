import type { Batch, BatchStore } from '../../ports/batch-store.ts';

/** That a process feeds a batch: each claim has a token of its own, so that what is left of an earlier one changes nothing. */
export type Lease = { readonly batchId: string; readonly token: string };

/** Who feeds which batch. What changes nothing because the batch is another's by now, or has ended, gives undefined. */
export type Leases = {
  /** Claims an unfinished batch without a live lease. @param token of this claim alone */
  claim(token: string, nowMs: number, until: number): Promise<Batch | undefined>;
  /** Keeps a batch, and tells how many of its targets are under way. */
  renew(lease: Lease, until: number, running: number): Promise<Batch | undefined>;
  /** Leaves a batch to the next feeder. */
  release(lease: Lease): Promise<Batch | undefined>;
  /** All targets have ended. */
  finish(lease: Lease, at: number): Promise<Batch | undefined>;
  /** Notes that what waits is not wanted any more. */
  cancel(batchId: string, at: number): Promise<Batch | undefined>;
};

/** Opens the leases of a store's batches. */
export function openLeases({ findFree, change }: Pick<BatchStore, 'findFree' | 'change'>): Leases {
  return {
    async claim(token, nowMs, until) {
      const free = await findFree(nowMs);
      if (!free) return undefined;
      const { batchId, feeder, leaseUntil } = free;
      return change(batchId, { feeder, leaseUntil, endedAt: null }, { feeder: token, leaseUntil: until });
    },
    renew: ({ batchId, token }, leaseUntil, running) =>
      change(batchId, { feeder: token, endedAt: null }, { leaseUntil, running }),
    release: ({ batchId, token }) =>
      change(batchId, { feeder: token }, { feeder: null, leaseUntil: 0, running: 0 }),
    finish: ({ batchId, token }, endedAt) =>
      change(batchId, { feeder: token, endedAt: null }, { endedAt, running: 0 }),
    cancel: (batchId, cancelledAt) => change(batchId, { endedAt: null, cancelledAt: null }, { cancelledAt }),
  };
}
