import { LRUCache } from 'lru-cache';
import type { Quota, Taken } from '../../ports/rate-limiter.ts';
import { steadyNow } from '../../time/steady-time.ts';

/** A limiter in the memory of this process: it answers at once, where one over a network would have to be awaited. */
export type Windows = {
  take(quota: Quota, caller: string, points: number): Taken;
  giveBack(quota: Quota, caller: string, points: number, taken: Taken): void;
  look(quota: Quota, caller: string): Taken;
  /** From now on the caller of this key has spent so much: what several processes counted together. */
  learn(key: string, spent: number, endsAt: number): void;
  clear(): void;
};

/** What a caller has spent in its window, which ends at `endsAt`, ms of `steadyNow`. The window begins with its first point. */
export type Window = { spent: number; readonly endsAt: number };

/** The windows that run now, by a key of caller and quota. */
export type RunningWindows = {
  /** The window of this key; undefined where none runs. */
  find(key: string): Window | undefined;
  /** Puts a window in the place of the one before. */
  set(key: string, window: Window): void;
  /** All that run. */
  entries(): readonly (readonly [key: string, window: Window])[];
  clear(): void;
};

/** Measured: V8 holds 400 bytes for a caller with a key of 40 characters (`npm run bench memory`). */
const windowBytes = 360;
/** About 40,000 callers at once. Beyond that the one that asked least recently starts a new window, which costs an attacker more than it gains. */
const sizeBytes = 16 * 1024 * 1024;

/** Opens windows without any yet. They hold at most 16 MB and no timers. */
export function openRunningWindows(): RunningWindows {
  const windows = new LRUCache<string, Window>({
    maxSize: sizeBytes,
    sizeCalculation: (_window, key) => windowBytes + key.length,
  });
  return {
    find(key) {
      const window = windows.get(key);
      return window && steadyNow() < window.endsAt ? window : undefined;
    },
    set: (key, window) => void windows.set(key, window),
    entries: () => [...windows.entries()].filter(([, { endsAt }]) => steadyNow() < endsAt),
    clear: () => windows.clear(),
  };
}

/**
 * Opens the limiter.
 * @param onSpent is told of all that is taken, and as negative points of what is given back
 */
export function openWindows(onSpent?: (key: string, points: number, endsAt: number) => void): Windows {
  const windows = openRunningWindows();
  return {
    take(quota, caller, points) {
      const key = keyOf(quota, caller);
      const known = windows.find(key);
      if ((known?.spent ?? 0) + points > quota.points) return told(quota, known, false);
      const window = known ?? { spent: 0, endsAt: steadyNow() + quota.windowS * 1000 };
      window.spent += points;
      if (!known) windows.set(key, window);
      onSpent?.(key, points, window.endsAt);
      return told(quota, window, true);
    },
    giveBack(quota, caller, points, { endsAt }) {
      const key = keyOf(quota, caller);
      const window = windows.find(key);
      // In a new window it would be a credit beyond the limit.
      if (!window || steadyNow() >= endsAt) return;
      const given = Math.min(points, window.spent);
      window.spent -= given;
      onSpent?.(key, -given, window.endsAt);
    },
    look: (quota, caller) => told(quota, windows.find(keyOf(quota, caller)), true),
    learn: (key, spent, endsAt) => windows.set(key, { spent: Math.max(0, spent), endsAt }),
    clear: () => windows.clear(),
  };
}

function keyOf({ policy, points, windowS }: Quota, caller: string): string {
  return `${policy}:${points}:${windowS} ${caller}`;
}

function told({ points, windowS }: Quota, window: Window | undefined, allowed: boolean): Taken {
  const endsAt = window?.endsAt ?? steadyNow() + windowS * 1000;
  return {
    allowed,
    remaining: Math.max(0, points - (window?.spent ?? 0)),
    resetS: Math.ceil((endsAt - steadyNow()) / 1000),
    endsAt,
  };
}
