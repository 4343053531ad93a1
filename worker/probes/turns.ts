/** How long the work of one turn of the event loop may take; of a longer piece there is one in a turn. */
const turnMs = 8;

const waiting: (() => void)[] = [];
let isOpen = false;
let endsAt = 0;

/**
 * Does a piece of work of a run in this turn of the event loop, or in a later one when the turn's time is used up; in the order of asking.
 *
 * Under full load one turn brings what hundreds of sockets have received meanwhile, and each answer goes on with a handshake, the next
 * questions or a judgement, a millisecond or so. Done at once, these add up to turns of 100 ms, in which timers, callers of the API
 * and the clocks of all runs wait. So whatever brings such work, the answers of targets above all, only asks for a turn here.
 */
export function inTurn(work: () => void): void {
  waiting.push(work);
  if (isOpen) return;
  isOpen = true;
  setImmediate(beginTurn);
}

/** Waits for a turn, see `inTurn`. */
export function takeTurn(): Promise<void> {
  return new Promise(inTurn);
}

function beginTurn(): void {
  endsAt = performance.now() + turnMs;
  goOn();
}

function goOn(): void {
  const work = waiting.shift();
  isOpen = work !== undefined;
  if (!work) return;
  // What awaits the piece goes on in microtasks, which are part of its time.
  queueMicrotask(() => process.nextTick(next));
  work();
}

function next(): void {
  if (performance.now() < endsAt) goOn();
  else setImmediate(beginTurn);
}
