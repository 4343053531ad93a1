import type { Watch, WatchTarget } from '#shared/model/watch';
import { nextTurn } from '#shared/model/watch-times';
import { watchesOf } from '#shared/stores/watches/watches-of';
import { giveBack } from '#shared/time/give-back';
import { steadyNow } from '#shared/time/steady-time';
import type { WatchContext } from './context.ts';

/** A clock that goes slow for a moment is not one that was set. */
const leastStepMs = 1000;
const targetsAtOnce = 500;

/**
 * Makes what looks at the clock, beside the turns: once at the start, and each time that the clock has gone back, it brings back the turns that a
 * clock which was ahead has set too late. They would come only when that time has passed.
 */
export function openSetBack(context: Pick<WatchContext, 'backend' | 'log' | 'now'>): () => Promise<void> {
  let drift = Number.POSITIVE_INFINITY;
  return async () => {
    const now = context.now() - steadyNow();
    if (now < drift - leastStepMs) await bringBack(context);
    drift = now;
  };
}

async function bringBack({
  backend: { watches },
  log,
  now,
}: Parameters<typeof openSetBack>[0]): Promise<void> {
  const isLate = (watch: Watch, { target, dueAt }: WatchTarget) =>
    dueAt > nextTurn(watch, target, now()) + leastStepMs;
  for (const account of await watches.activeAccounts())
    for await (const watch of watchesOf(watches, account)) {
      if (watch.pausedReason !== null || !(await someTarget(watches, watch, isLate))) continue;
      await watches.schedule(watch.watchId, true, ({ target, dueAt }) =>
        Math.min(dueAt, nextTurn(watch, target, now())),
      );
      log.warn({ watchId: watch.watchId }, 'the clock was ahead: the turns of a watch were set back');
    }
}

async function someTarget(
  watches: WatchContext['backend']['watches'],
  watch: Watch,
  isMeant: (watch: Watch, target: WatchTarget) => boolean,
): Promise<boolean> {
  let after: string | undefined;
  for (;;) {
    const page = await watches.listTargets(watch.watchId, { limit: targetsAtOnce, after });
    if (page.some((target) => isMeant(watch, target))) return true;
    if (page.length < targetsAtOnce) return false;
    after = page.at(-1)?.target;
    await giveBack();
  }
}
