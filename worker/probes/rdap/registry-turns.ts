import { setTimeout as delay } from 'node:timers/promises';
import type { Pace, PaceOrder, PaceRate } from '#shared/ports/pace';
import { steadyNow } from '#shared/time/steady-time';
import { untilAborted } from '../absence.ts';

/** What all workers together ask of one registry, some of which refuse an address that asks more than a few times a second. */
const rate: PaceRate = { perSecond: 2, burst: 20 };
/** Of that, what runs for anonymous callers may use. */
const ofAnonymous: PaceRate = { perSecond: rate.perSecond / 2, burst: rate.burst / 2 };
/** A run that would wait for longer ends before. */
const longestWaitMs = 10_000;

export type RegistryTurns = {
  /** Waits until the registry may be asked; false where that takes too long. Rejects only with the signal's reason. */
  take(host: string, signal: AbortSignal): Promise<boolean>;
};

/** Opens the turns of one run at the pace of its registries. */
export function openRegistryTurns(pace: Pace, isAnonymous: boolean): RegistryTurns {
  return {
    async take(host, signal) {
      if (isAnonymous && !(await wait(`anonymous registry questions ${host}`, ofAnonymous, pace, signal)))
        return false;
      return wait(`registry questions ${host}`, rate, pace, signal);
    },
  };
}

async function wait(key: string, of: PaceRate, pace: Pace, signal: AbortSignal): Promise<boolean> {
  const now = steadyNow();
  // The half of anonymous runs is a rate of its own, so the pace need not tell them apart.
  const order: PaceOrder = {
    key,
    rate: of,
    isAnonymous: false,
    askedAt: now,
    since: now,
    until: now + longestWaitMs,
  };
  for (;;) {
    const waitMs = await untilAborted(pace.take(order), signal);
    if (waitMs === null || waitMs === 0) return waitMs === 0;
    await delay(waitMs, undefined, { signal });
  }
}
