import type { Batch, BatchStore, Tally } from '#shared/ports/batch-store';
import { toolOptions } from '../tools/tool-options.ts';

/** Over so long the rate is counted. */
const rateMs = 60_000;

/** What is told of a batch: its counts are disjoint and add up to `total`. */
export async function describeBatch(
  store: BatchStore,
  batch: Batch,
  { nowMs, publicPath }: { readonly nowMs: number; readonly publicPath: string },
) {
  const tally = await store.tally(batch.batchId, nowMs - rateMs);
  const self = `${publicPath}/api/batches/${batch.batchId}`;
  const isoTime = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
  return {
    batchId: batch.batchId,
    check: batch.check,
    options: toolOptions(batch),
    label: batch.label,
    state: stateOf(batch),
    createdAt: isoTime(batch.createdAt),
    endedAt: isoTime(batch.endedAt),
    expiresAt: isoTime(batch.expiresAt),
    total: batch.total,
    ...countsOf(batch, tally, nowMs),
    links: { self, results: `${self}/results` },
  };
}

/** Where a batch stands. */
export function stateOf({ endedAt, cancelledAt }: Batch): 'running' | 'done' | 'cancelled' {
  if (cancelledAt !== null) return 'cancelled';
  return endedAt === null ? 'running' : 'done';
}

/** How many targets are how far, and how fast they end. */
export function countsOf(batch: Batch, { recent, ...tally }: Tally, nowMs: number) {
  const ended = tally.done + tally.refused + tally.failed + tally.cancelled;
  const left = Math.max(0, batch.total - ended);
  // What a process that has died had under way waits for the next one.
  const isFed = batch.endedAt === null && batch.leaseUntil > nowMs;
  const running = isFed ? Math.min(batch.running, left) : 0;
  const isCancelled = batch.cancelledAt !== null;
  const perMinute =
    batch.endedAt === null && !isCancelled && recent > 0 ? rateOf(batch, recent, nowMs) : null;
  return {
    waiting: isCancelled ? 0 : left - running,
    running,
    ...tally,
    cancelled: isCancelled ? tally.cancelled + left - running : tally.cancelled,
    perMinute,
    remainingSeconds: perMinute === null ? null : Math.ceil((left / perMinute) * 60),
  };
}

function rateOf({ createdAt }: Batch, recent: number, nowMs: number): number {
  const seenMs = Math.min(rateMs, Math.max(1000, nowMs - createdAt));
  return Math.max(1, Math.round((recent * 60_000) / seenMs));
}
