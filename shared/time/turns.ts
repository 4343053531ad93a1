import { openTurnOrder } from './turn-order.ts';

/** Work that a thread shares out over several turns of its event loop, and over those whose work it is. */
export type Turns = {
  /** Does the work in the next turn of the loop that has time for it. @param path whose it is, the widest network or the account first; what nobody waits for comes last within a caller */
  add(path: readonly string[], work: () => void, isBackground?: boolean): void;
  /** True while such work goes on and the time of this turn is not used up. */
  hasTime(): boolean;
};

/**
 * Opens turns: those who have used the least time of late go first, and pieces of one path are done in the order of asking.
 * @param turnMs what all of it may take in one turn of the loop; of a longer piece there is one in a turn
 */
export function openTurns(turnMs: number): Turns {
  const waiting = openTurnOrder<{ readonly path: readonly string[]; readonly work: () => void }>();
  let isOpen = false;
  let beganAt = 0;
  let endsAt = 0;
  const begin = () => {
    beganAt = performance.now();
    endsAt = beganAt + turnMs;
    goOn();
  };
  const goOn = () => {
    const next = waiting.next();
    isOpen = next !== undefined;
    if (!next) return;
    // What awaits the piece goes on in microtasks, which are part of its time.
    queueMicrotask(() => process.nextTick(goOnInTime, next.path));
    next.work();
  };
  const goOnInTime = (path: readonly string[]) => {
    const now = performance.now();
    waiting.charge(path, now - beganAt);
    beganAt = now;
    if (now < endsAt) goOn();
    else setImmediate(begin);
  };
  return {
    add(path, work, isBackground) {
      waiting.add(path, { path, work }, isBackground);
      if (isOpen) return;
      isOpen = true;
      setImmediate(begin);
    },
    hasTime: () => performance.now() < endsAt,
  };
}
