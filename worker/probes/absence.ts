import { setTimeout as delay } from 'node:timers/promises';
import type { Slot } from '#shared/ports/job-queue';

/** The pace sends away who would wait for more than a second, and calls it back a little early. A wait that is shorter keeps the slot: others could do little with it. */
const longestInSlotMs = 700;
const sliceMs = 1000;

/**
 * Waits of one run that are spent without its slot. Several at once give it up once, and the first that ends takes it again; one that goes on
 * for more than a second after that gives it up anew.
 * @param slot undefined: one that is kept
 * @returns waits so long; rejects only with the signal's reason
 */
export function openAbsence(slot: Slot | undefined): (waitMs: number, signal: AbortSignal) => Promise<void> {
  let isAway = false;
  let returning: Promise<void> | undefined;
  /** When a question of the run was let through last. */
  let backAt = -Infinity;
  const leave = () => {
    if (!slot || isAway) return;
    isAway = true;
    slot.release();
  };
  const comeBack = async (signal: AbortSignal) => {
    backAt = performance.now();
    if (!slot || !isAway) return;
    returning ??= slot
      .retake(signal)
      .then(() => {
        isAway = false;
      })
      .finally(() => {
        returning = undefined;
      });
    await returning;
  };
  return async (waitMs, signal) => {
    const until = performance.now() + waitMs;
    for (let leftMs = waitMs; leftMs > 0; leftMs = until - performance.now()) {
      const isQuiet = performance.now() - backAt > sliceMs;
      if (leftMs > longestInSlotMs && isQuiet && !returning) leave();
      await delay(Math.min(leftMs, sliceMs), undefined, { signal }).catch(() => signal.throwIfAborted());
    }
    await comeBack(signal);
  };
}

/** The promise's own end, or the signal's reason where that comes first. */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
