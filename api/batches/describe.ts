import { readOptions } from '#shared/catalogue/read-options';
import { findSpec } from '#shared/catalogue/registry';
import type { Job } from '#shared/model/job';
import { type Batch, leftOf } from '#shared/ports/batch-store';
import { rateMs } from './feed/ends.ts';

/** What is told of a batch: its counts are disjoint and add up to `total`. */
export function describeBatch(
  batch: Batch,
  { nowMs, publicPath }: { readonly nowMs: number; readonly publicPath: string },
) {
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
    ...countsOf(batch, nowMs),
    links: { self, results: `${self}/results` },
  };
}

/** Where a batch stands. */
function stateOf({ endedAt, cancelledAt }: Batch): 'running' | 'done' | 'cancelled' {
  if (cancelledAt !== null) return 'cancelled';
  return endedAt === null ? 'running' : 'done';
}

/** How many targets are how far, and how fast they end. */
function countsOf(batch: Batch, nowMs: number) {
  const { done, refused, failed, cancelled } = batch;
  const left = Math.max(0, leftOf(batch));
  // What a process that has died had under way waits for the next one.
  const isFed = batch.endedAt === null && batch.leaseUntil > nowMs;
  const running = isFed ? Math.min(batch.running, left) : 0;
  const isCancelled = batch.cancelledAt !== null;
  const recent = nowMs - batch.recentAt < rateMs ? batch.recent : 0;
  const perMinute =
    batch.endedAt === null && !isCancelled && recent > 0 ? rateOf(batch, recent, nowMs) : null;
  return {
    waiting: isCancelled ? 0 : left - running,
    running,
    done,
    refused,
    failed,
    cancelled: isCancelled ? cancelled + left - running : cancelled,
    perMinute,
    remainingSeconds: perMinute === null ? null : Math.ceil((left / perMinute) * 60),
  };
}

function rateOf({ createdAt }: Batch, recent: number, nowMs: number): number {
  const seenMs = Math.min(rateMs, Math.max(1000, nowMs - createdAt));
  return Math.max(1, Math.round((recent * 60_000) / seenMs));
}

/** The options of a question that differ from what the check takes anyway. */
function toolOptions({ check, options }: Pick<Job, 'check' | 'options'>): Job['options'] {
  const spec = findSpec(check);
  const usual = spec ? readOptions(spec, {}) : undefined;
  if (usual === undefined || !('options' in usual)) return options;
  const isUsual = ([name, value]: [string, unknown]) =>
    JSON.stringify(value) === JSON.stringify(usual.options[name]);
  return Object.fromEntries(Object.entries(options).filter((option) => !isUsual(option)));
}
