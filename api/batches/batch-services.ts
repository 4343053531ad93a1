import { type AccountQuotas, quotaExceeded } from '#shared/limits/kept';
import type { BatchUse } from '#shared/ports/batch-store';
import type { Batches, Services } from '../services.ts';

/** What the endpoints of batches take. */
export type BatchServices = Pick<
  Services,
  | 'limits'
  | 'batches'
  | 'bodies'
  | 'origins'
  | 'idempotency'
  | 'kept'
  | 'questions'
  | 'jobs'
  | 'reports'
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
