import { currentRun, inRun, markRun } from './mark.ts';

/** How long the work of one turn of the event loop may take; of a longer piece there is one in a turn. */
const turnMs = 8;

type Waiting = { readonly work: () => void; readonly run: number | undefined };

const waiting: Waiting[] = [];
let isOpen = false;
let endsAt = 0;

/**
 * Does a piece of work of a run in this turn of the event loop, or in a later one when the turn's time is used up; in the order of asking.
 *
 * Under full load one turn brings what hundreds of sockets have received meanwhile, and each answer goes on with a handshake, the next
 * questions or a judgement, a millisecond or so. Done at once, these add up to turns of 100 ms, in which timers, callers of the API
 * and the clocks of all runs wait. So whatever brings such work, the answers of targets above all, only asks for a turn here.
 * @param run whose data it is; left out: that of the code that asks
 */
export function inTurn(work: () => void, run: number | undefined = currentRun()): void {
  waiting.push({ work, run });
  if (isOpen) return;
  isOpen = true;
  setImmediate(beginTurn);
}

/** Waits for a turn, see `inTurn`. */
export function takeTurn(): Promise<void> {
  return new Promise((resolve) => inTurn(resolve));
}

function beginTurn(): void {
  endsAt = performance.now() + turnMs;
  goOn();
}

function goOn(): void {
  const next = waiting.shift();
  isOpen = next !== undefined;
  if (!next) return;
  // What awaits the piece goes on in microtasks, which are part of its time.
  queueMicrotask(() => process.nextTick(goOnInTime));
  markRun(next.run);
  inRun(next.run, next.work);
}

function goOnInTime(): void {
  if (performance.now() < endsAt) goOn();
  else setImmediate(beginTurn);
}
