import type { Limit } from './limits.ts';

/**
 * The client's own count of one limit, so that it stops before the service refuses. The service counts in windows that begin with
 * the first request after the last window's end, and tells what is left with its answers.
 */
export type Budget = {
  /** Milliseconds until this many points may be spent; 0 for now. */
  waitMs(points: number): number;
  spend(points: number): void;
  /** For an answer that cost nothing after all: it came from what was stored. */
  giveBack(points: number): void;
  /** The service said what is left, and for how long. */
  learn(left: { readonly remaining: number; readonly resetS: number }): void;
  learnLimit(limit: Limit): void;
  /** Nothing is left for so long: the service has refused. */
  block(seconds: number): void;
};

/** The service rounds up to whole seconds, and its clock is not ours. */
const slackMs = 50;

/** Opens the count of a limit that nothing is known of: until the service tells it, nothing is held back. @param now ms of a clock that only grows */
export function openBudget(now: () => number = () => performance.now()): Budget {
  let limit: Limit | undefined;
  let used = 0;
  let endsAt = 0;
  // The window begins when the service counts its first request, which is later than we sent it by a time that nobody knows.
  let isEndTold = false;
  const turnWindow = () => {
    if (endsAt !== 0 && now() < endsAt) return;
    used = 0;
    endsAt = 0;
    isEndTold = false;
  };
  return {
    waitMs(points) {
      turnWindow();
      // What costs more than the whole limit is asked all the same: the service then says so.
      if (!limit || points > limit.points || used + points <= limit.points) return 0;
      return Math.max(1, endsAt - now());
    },
    spend(points) {
      turnWindow();
      if (endsAt === 0 && limit) endsAt = now() + limit.windowS * 1000 + slackMs;
      used += points;
    },
    giveBack(points) {
      used = Math.max(0, used - points);
    },
    learn({ remaining, resetS }) {
      turnWindow();
      if (!limit) return;
      // Others may spend from the same limit; what we have under way may not be counted there yet.
      used = Math.max(used, limit.points - remaining);
      // Rounded up, and told some time ago: each answer gives a bound that is not too early, and the least of them is the best.
      const told = now() + resetS * 1000 + slackMs;
      endsAt = isEndTold ? Math.min(endsAt, told) : told;
      isEndTold = true;
    },
    learnLimit(told) {
      limit = told;
    },
    block(seconds) {
      limit ??= { points: 1, windowS: seconds };
      used = Math.max(used, limit.points);
      endsAt = now() + seconds * 1000 + slackMs;
      isEndTold = true;
    },
  };
}
