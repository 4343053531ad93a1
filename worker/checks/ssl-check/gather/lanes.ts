import { setTimeout as after } from 'node:timers/promises';
import { openPlaces } from '#shared/time/places';

/** Runs work as soon as fewer than so many others run, first come first served. */
export type Lanes = {
  <T>(work: () => Promise<T>): Promise<T>;
  /**
   * The same for work that may go unanswered because it ran beside others: the first such work is tried once more alone.
   * Where that helps, the server serves few connections at a time: fewer lanes are left from then on, at last one.
   */
  readonly orAlone: <T>(work: () => Promise<T>, isUnanswered: (seen: T) => boolean) => Promise<T>;
};

/** How many lanes there are at first, how many once a server was seen to answer them side by side, and how many once it was seen not to. */
type LaneLimits = { readonly first: number; readonly most: number; readonly slowed: number };

/** Browsers open six connections to a host. What twelve ask at first is asked when a server was seen to take two. */
export const lanesOfRun: LaneLimits = { first: 12, most: 16, slowed: 6 };

/** So many lanes, whatever a server is seen to do. */
export function lanesOf(count: number): LaneLimits {
  return { first: count, most: count, slowed: count };
}

/** So many answers in a row that came promptly beside others show that a server does not serve one after the other. */
const promptAnswers = 3;
/** An answer that took longer than the quickest by this factor may have waited in a line. */
const promptFactor = 1.7;

/** A server that answers so many of all connections serves one after the other. */
const mostOfFew = 2;

/** What runs alone is followed by a pause, in which the server sees that its connection is closed. */
const pauseMs = 50;

/** Opens the lanes of one run. Work that waits when the run is aborted starts and fails at once, because every probe does. */
export function openLanes(limits: LaneLimits): Lanes {
  const { places, width, isAlone, widen, noteUnanswered, tryAlone } = openWidth(limits);
  const { signal } = new AbortController();
  const run = async <T>(work: () => Promise<T>) => {
    const leave = await places.enter(signal);
    const before = places.taken();
    const start = performance.now();
    const widthThen = width();
    try {
      const seen = await work();
      const wasBeside = before > 1 || places.taken() > 1;
      return { seen, wasBeside, widthThen, tookMs: performance.now() - start };
    } finally {
      if (isAlone()) await after(pauseMs);
      leave?.();
    }
  };
  const runPlainly = async <T>(work: () => Promise<T>) => (await run(work)).seen;
  const runOrAlone = async <T>(work: () => Promise<T>, isUnanswered: (seen: T) => boolean): Promise<T> => {
    const { seen, wasBeside, widthThen, tookMs } = await run(work);
    if (!isUnanswered(seen)) {
      widen(wasBeside, tookMs);
      return seen;
    }
    if (!wasBeside) return seen;
    noteUnanswered();
    // It ran in more lanes than are left now.
    if (widthThen > width()) return runOrAlone(work, isUnanswered);
    let again: T | undefined;
    const repeat = async () => {
      again = await work();
      return !isUnanswered(again);
    };
    if (!(await tryAlone(() => runPlainly(repeat)))) return seen;
    return again ?? runOrAlone(work, isUnanswered);
  };
  return Object.assign(runPlainly, { orAlone: runOrAlone });
}

/** How many lanes there are now, and what changes that. */
function openWidth({ first, most, slowed }: LaneLimits) {
  const places = openPlaces(first);
  let width = first;
  /** Whether more is answered alone than beside others; undefined until that was tried at this width. */
  let trial: Promise<boolean> | undefined;
  let isAlone = false;
  let unanswered = 0;
  /** A server that had to be asked more slowly once is not asked faster again. */
  let isSlowed = false;
  const widen = openWidening(() => {
    if (isAlone || isSlowed || most <= width) return;
    width = most;
    trial = undefined;
    places.resize(width);
  });
  /** Fewer lanes for a server that answers alone what it did not answer beside others: as many as a browser opens, then one. */
  const startTrial = async (work: () => Promise<boolean>) => {
    isAlone = true;
    places.resize(1);
    const helps = await work();
    // Where hardly any was answered beside others, fewer would not be either.
    isAlone = helps && (width <= slowed || unanswered >= width - mostOfFew);
    unanswered = 0;
    isSlowed ||= helps;
    if (helps) width = isAlone ? 1 : slowed;
    places.resize(width);
    return helps;
  };
  /** At each width the first work is tried; all other work goes by what came of that. */
  const tryAlone = async (work: () => Promise<boolean>) => {
    trial ??= startTrial(work);
    const own = trial;
    const helps = await own;
    // At fewer lanes it may turn out once more that they are too many.
    if (helps && width > 1 && trial === own) trial = undefined;
    return helps;
  };
  const noteUnanswered = () => {
    unanswered += 1;
  };
  return { places, width: () => width, isAlone: () => isAlone, widen, noteUnanswered, tryAlone };
}

/** Calls once when answers come beside others as promptly as one alone. */
function openWidening(call: () => void): (wasBeside: boolean, tookMs: number) => void {
  let quickestMs = Infinity;
  let prompt = 0;
  return (wasBeside, tookMs) => {
    const isPrompt = wasBeside && tookMs <= promptFactor * quickestMs;
    quickestMs = Math.min(quickestMs, tookMs);
    prompt = isPrompt ? prompt + 1 : 0;
    if (prompt === promptAnswers) call();
  };
}
