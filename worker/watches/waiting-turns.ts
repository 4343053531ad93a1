import { Problem } from '#shared/model/problem';
import type { WatchStore } from '#shared/ports/watch-store';
import type { Logger } from '#shared/telemetry/logger';
import { type Loop, openLoop } from '#shared/telemetry/loops';
import { giveBack } from '#shared/time/give-back';

/** The turns of this process that wait for their reports: those of a watch that is paused or deleted meanwhile end. */
export type WaitingTurns = Pick<Loop, 'close'> & {
  /** Gives the signal that ends the turn, with a Problem, and what is called when the wait is over. */
  enter(watchId: string): { readonly paused: AbortSignal; leave(): void };
};

const lookEveryMs = 2000;

/** Opens them. One query covers all turns of a watch. */
export function openWaitingTurns(watches: Pick<WatchStore, 'get'>, log: Logger): WaitingTurns {
  const waiting = new Map<string, Set<AbortController>>();
  const look = async () => {
    for (const [watchId, turns] of waiting) {
      const watch = await watches.get(watchId);
      if (watch === undefined || watch.pausedReason !== null)
        for (const turn of turns)
          turn.abort(new Problem('shutting_down', 'The watch was paused.', { retryAfterS: 1 }));
      await giveBack();
    }
  };
  const loop = openLoop({ name: 'paused watches', everyMs: lookEveryMs, log, act: look });
  return {
    close: () => loop.close(),
    enter(watchId) {
      const turn = new AbortController();
      const turns = waiting.get(watchId) ?? new Set();
      waiting.set(watchId, turns.add(turn));
      return {
        paused: turn.signal,
        leave() {
          turns.delete(turn);
          if (turns.size === 0) waiting.delete(watchId);
        },
      };
    },
  };
}
