import type { Slot } from '#shared/ports/job-queue';

/** The time of a run. What it spends on waiting for the turns of other jobs does not count, up to a limit of its own. */
export type RunClock = {
  /** Aborts when the run's time is over. */
  readonly limit: AbortSignal;
  /** Aborts when the share of its parts is over. */
  readonly parts: AbortSignal;
  /** Holds the clock, while no time is to count; gives what lets it go on, once. */
  hold(): () => void;
  /** How long the run may go on, with all the time that it may still spend on waiting, ms. */
  mostMs(): number;
  close(): void;
};

export type RunTimes = {
  readonly limitMs: number;
  readonly partsMs: number;
  /** How long the clock may be held, all holds together. */
  readonly heldMostMs: number;
};

/** Starts the clock. */
export function openRunClock({ limitMs, partsMs, heldMostMs }: RunTimes): RunClock {
  const limit = new AbortController();
  const parts = new AbortController();
  const spent = { running: 0, held: 0 };
  let holds = 0;
  let since = performance.now();
  let timers: NodeJS.Timeout[] = [];
  const isHeld = () => holds > 0 && spent.held < heldMostMs;
  const after = (ms: number, act: () => void) => {
    timers.push(setTimeout(act, Math.max(0, ms)).unref());
  };
  /** Adds what has passed, as it counted until now, then lets something change. */
  const step = (change: () => void) => {
    const now = performance.now();
    spent[isHeld() ? 'held' : 'running'] += now - since;
    since = now;
    change();
    for (const timer of timers) clearTimeout(timer);
    timers = [];
    if (isHeld()) return after(heldMostMs - spent.held, () => step(() => undefined));
    if (!parts.signal.aborted) after(partsMs - spent.running, () => parts.abort(timeIsOver()));
    if (!limit.signal.aborted) after(limitMs - spent.running, () => limit.abort(timeIsOver()));
  };
  step(() => undefined);
  const now = () => ({
    running: spent.running + (isHeld() ? 0 : performance.now() - since),
    held: spent.held + (isHeld() ? performance.now() - since : 0),
  });
  return {
    mostMs() {
      const { running, held } = now();
      return Math.max(0, limitMs - running) + Math.max(0, heldMostMs - held);
    },
    limit: limit.signal,
    parts: parts.signal,
    hold() {
      step(() => (holds += 1));
      let isDone = false;
      return () => {
        if (!isDone) step(() => (holds -= 1));
        isDone = true;
      };
    },
    close() {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

function timeIsOver(): DOMException {
  return new DOMException('the time of the run is over', 'TimeoutError');
}

/** The slot of a run whose clock is held while it is given up: what the run waits for then is the turn of others. */
export function holdWhileAway(slot: Slot, clock: Pick<RunClock, 'hold'>): Slot {
  let goOn: (() => void) | undefined;
  return {
    release() {
      goOn ??= clock.hold();
      slot.release();
    },
    async retake(signal) {
      await slot.retake(signal);
      goOn?.();
      goOn = undefined;
    },
  };
}
