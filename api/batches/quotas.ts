import type { Batch } from '#shared/ports/batch-store';
import { type AccountQuotas, quotaExceeded } from '../limits/account-quotas.ts';
import type { Batches } from './batch-desk.ts';

/** Makes what tells the quotas of batches: those that are open, and the targets in them that have not ended. */
export function openBatchQuotas({ store, limits }: Pick<Batches, 'store' | 'limits'>): AccountQuotas {
  return async (account) => {
    const open = await store.listOpen(account);
    return {
      batches: { limit: limits.batches, used: open.length },
      batchTargets: { limit: limits.targets, used: await countTargets(store, open) },
    };
  };
}

/** Throws the Problem of an account that has as many batches or targets as it may. @param total targets of the new one */
export async function requireRoom(
  { store, limits }: Pick<Batches, 'store' | 'limits'>,
  account: string,
  total: number,
): Promise<void> {
  judgeRoom(limits, { batches: 1, targets: total }, await readUse(store, account));
}

/**
 * Whether a batch that was just made is one too many, as others were made at the same moment on other APIs: those that were made first stay.
 * @returns the Problem
 */
export async function judgeMade(
  { store, limits }: Pick<Batches, 'store' | 'limits'>,
  { account, batchId, total }: Batch,
): Promise<void> {
  const open = await store.listOpen(account);
  const before = open.slice(
    0,
    Math.max(
      0,
      open.findIndex((batch) => batch.batchId === batchId),
    ),
  );
  if (before.length === 0) return;
  const use = { batches: before.length, targets: await countTargets(store, before) };
  judgeRoom(limits, { batches: 1, targets: total }, use);
}

type Use = Batches['limits'];

async function readUse(store: Batches['store'], account: string): Promise<Use> {
  const open = await store.listOpen(account);
  return { batches: open.length, targets: await countTargets(store, open) };
}

function judgeRoom(limits: Use, more: Use, { batches, targets }: Use): void {
  if (batches + more.batches > limits.batches)
    throw quotaExceeded('batches', { limit: limits.batches, used: batches }, 'open batches');
  if (targets + more.targets > limits.targets)
    throw quotaExceeded(
      'batchTargets',
      { limit: limits.targets, used: targets },
      'targets waiting in batches',
    );
}

async function countTargets(store: Batches['store'], batches: readonly Batch[]): Promise<number> {
  const left = await Promise.all(
    batches.map(async ({ batchId, total }) => {
      const { done, refused, failed, cancelled } = await store.tally(batchId, 0);
      return total - done - refused - failed - cancelled;
    }),
  );
  return left.reduce((sum, count) => sum + count, 0);
}
