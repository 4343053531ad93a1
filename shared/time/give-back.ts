import { AsyncLocalStorage } from 'node:async_hooks';
import { openTurns } from './turns.ts';

/** What all loops of this thread over callers' rows may take together of one turn of the event loop: Node accepts one connection a turn, and who comes waits for as many turns as there are before. */
const turns = openTurns(4);

/** Whose loops these are, the widest network or the account first. */
type Line = { path: readonly string[] };

const lines = new AsyncLocalStorage<Line>();
/** The line of loops that are the service's own. */
const own: readonly string[] = [''];

/** Does work whose loops are in this line; in the service's own where it is left out, until `joinLine` names one. */
export function inLine<T>(work: () => T, path: Line['path'] = own): T {
  return lines.run({ path }, work);
}

/** Puts the loops of the work under way into the line of those whose rows they read. @param path an account, or the networks of a caller without a token */
export function joinLine(path: readonly string[]): void {
  const line = lines.getStore();
  if (line) line.path = path;
}

/**
 * Gives the event loop back where this turn's time is used up; else it costs next to nothing. Every loop over a caller's rows awaits it after each
 * row: an await alone does not give the loop back, and neither does a store that answers at once. Lines take turns, so that no account keeps
 * another waiting, however many loops it has.
 */
export function giveBack(): Promise<void> | undefined {
  if (turns.hasTime()) return undefined;
  return new Promise((resolve) => turns.add(lines.getStore()?.path ?? own, resolve));
}
