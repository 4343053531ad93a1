import { setTimeout as delay } from 'node:timers/promises';
import type { Caller } from './caller.ts';
import type { Quotas } from './quotas.ts';

/** The part of an account's scans that batches leave to its GETs. */
const leftShare = 0.1;
/** Faster than the mean by this: what was answered from the store leaves room that is to be used. */
const hurry = 1.25;
const lookAgainMs = 1000;

/** Keeps a batch within the scans of its account: an even pace, and some left for GETs. */
export type ScanPace = {
  /** Waits until a run of this cost may be paid. Rejects with the signal's reason. */
  turn(caller: Caller, cost: number, signal: AbortSignal): Promise<void>;
};

/** Opens the pace of one batch. */
export function openScanPace(quotas: Quotas): ScanPace {
  let nextAt = performance.now();
  let last = Promise.resolve();
  const pass = async (caller: Caller, cost: number, signal: AbortSignal) => {
    const { points, windowS } = caller.quotas.scans;
    const now = performance.now();
    const at = Math.max(now, nextAt);
    nextAt = at + (cost * windowS * 1000) / points / hurry;
    if (at > now) await delay(at - now, undefined, { signal });
    const left = Math.max(0, Math.min(Math.floor(points * leftShare), points - cost));
    // More than the caller's limit is refused when it is paid.
    while (cost <= points && (await quotas.look(caller)).scans.remaining < cost + left)
      await delay(lookAgainMs, undefined, { signal });
  };
  return {
    turn(caller, cost, signal) {
      if (!quotas.isOn || cost === 0) return Promise.resolve();
      const turn = last.then(() => {
        signal.throwIfAborted();
        return pass(caller, cost, signal);
      });
      // One that ends in an error does not stop those behind it.
      last = turn.catch(() => undefined);
      return turn;
    },
  };
}
