import { AsyncLocalStorage } from 'node:async_hooks';

/** Writes down whose data is read from now on, where it outlives this process. */
type WriteMark = (run: number) => void;

const runs = new AsyncLocalStorage<number>();
let write: WriteMark | undefined;
let marked: number | undefined;

/** From now on marks are written; without it, marking costs nothing and does nothing. */
export function writeMarks(writeMark: WriteMark): void {
  write = writeMark;
}

/** Does work that belongs to a run; so does everything that it starts. */
export function inRun<T>(run: number | undefined, work: () => T): T {
  return run === undefined || run === runs.getStore() ? work() : runs.run(run, work);
}

/** The run to which the code that asks belongs. */
export function currentRun(): number | undefined {
  return runs.getStore();
}

/**
 * Says that data of a run is read now: called before each piece of a target's data, so that the worker knows whose data ended this
 * process. Only a change is written.
 */
export function markRun(run: number | undefined = runs.getStore()): void {
  if (run === undefined || run === marked || !write) return;
  marked = run;
  write(run);
}
