import type { BatchStore, BatchUse } from '#shared/ports/batch-store';
import type { Desk } from '../desk.ts';
import { type AccountQuotas, quotaExceeded } from '../limits/kept.ts';
import type { Feeder } from './feed/feeder.ts';

/** What a process has of batches. */
export type Batches = {
  readonly store: BatchStore;
  readonly feeder: Feeder;
  /** How long a batch is kept. */
  readonly keptMs: number;
  /** What one account may have. */
  readonly limits: { readonly batches: number; readonly targets: number };
};

/** What the endpoints of batches take. */
export type BatchDesk = Pick<
  Desk,
  | 'accountTurns'
  | 'admission'
  | 'batches'
  | 'bodies'
  | 'door'
  | 'idempotency'
  | 'kept'
  | 'readAsk'
  | 'runs'
  | 'shelf'
  | 'site'
  | 'streams'
>;

/** Makes what tells the quotas of batches: those that are open, and the targets in them that have not ended. */
export function openBatchQuotas({ store, limits }: Pick<Batches, 'store' | 'limits'>): AccountQuotas {
  return async (account) => {
    const { open, waiting } = await store.useOf(account);
    return {
      batches: { limit: limits.batches, used: open },
      batchTargets: { limit: limits.targets, used: waiting },
    };
  };
}

/** Throws the Problem of an account that has as many batches or targets as it may. @param total targets of the new one */
export function requireRoom(limits: Batches['limits'], { open, waiting }: BatchUse, total: number): void {
  if (open + 1 > limits.batches)
    throw quotaExceeded('batches', { limit: limits.batches, used: open }, 'open batches');
  if (waiting + total > limits.targets)
    throw quotaExceeded(
      'batchTargets',
      { limit: limits.targets, used: waiting },
      'targets waiting in batches',
    );
}
