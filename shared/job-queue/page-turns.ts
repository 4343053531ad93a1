/** Whose turn it is among page loads of all hosts: callers alternate, however many jobs one of them has. */
export type PageTurns = {
  /** The turn that began last. */
  current: number;
  /** The last turn that each waiting caller drew. */
  readonly callers: Map<string, number>;
  /** Unfinished page loads of each caller. */
  readonly held: Map<string, number>;
};

/** A line with no page loads. */
export function noPageTurns(): PageTurns {
  return { current: 0, callers: new Map(), held: new Map() };
}

/** Draws the caller's next turn: the next one after its own last turn and after the current turn. */
export function drawTurn({ current, callers }: PageTurns, caller: string): number {
  const turn = Math.max(current, callers.get(caller) ?? 0) + 1;
  callers.set(caller, turn);
  return turn;
}

/** A page load of this turn begins; callers whose last turn has come are forgotten. */
export function beginTurn(turns: PageTurns, turn: number): void {
  turns.current = Math.max(turns.current, turn);
  for (const [caller, last] of turns.callers) if (last <= turns.current) turns.callers.delete(caller);
}

/** Counts page loads of a caller; those of a caller without any are not kept. @param change 1 or -1 */
export function countHeld({ held }: PageTurns, caller: string, change: number): void {
  const count = (held.get(caller) ?? 0) + change;
  if (count > 0) held.set(caller, count);
  else held.delete(caller);
}
