/** What all loops of this thread over callers' rows may take together of one turn of the event loop. */
const turnMs = 8;

const waiting: (() => void)[] = [];
let isOpen = false;
let endsAt = 0;

/**
 * Gives the event loop back where this turn's time is used up; else it costs next to nothing. Every loop over a caller's rows awaits it after each
 * row: an await alone does not give the loop back, and neither does a store that answers at once.
 */
export function giveBack(): Promise<void> | undefined {
  if (performance.now() < endsAt) return undefined;
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (isOpen) return;
    isOpen = true;
    setImmediate(beginTurn);
  });
}

function beginTurn(): void {
  endsAt = performance.now() + turnMs;
  goOn();
}

/** One loop after the other goes on, until the time is used up. */
function goOn(): void {
  const next = waiting.shift();
  isOpen = next !== undefined;
  if (!next) return;
  // What awaits it goes on in microtasks, which are part of the time.
  queueMicrotask(() => process.nextTick(goOnInTime));
  next();
}

function goOnInTime(): void {
  if (performance.now() < endsAt) goOn();
  else setImmediate(beginTurn);
}
