import { openTurns } from '#shared/time/turns';
import { currentRun, inRun, markRun } from './mark.ts';

const turns = openTurns(8);
/** Whose runs these are, the widest network or the account first. */
const callers = new Map<number, RunCaller>();

type RunCaller = { readonly path: readonly string[]; readonly isBackground: boolean };

/** Says whose run it is until the run ends: callers take turns, however many runs one of them has. Gives what ends it. */
export function nameCaller(run: number, caller: RunCaller): () => void {
  callers.set(run, caller);
  return () => void callers.delete(run);
}

/**
 * Does a piece of work of a run in this turn of the event loop, or in a later one when the turn's time is used up. The caller whose runs have
 * used the least time of late goes first; pieces of one caller are done in the order of asking.
 *
 * Under full load one turn brings what hundreds of sockets have received meanwhile, and each answer goes on with a handshake, the next
 * questions or a judgement, a millisecond or so. Done at once, these add up to turns of 100 ms, in which timers, callers of the API
 * and the clocks of all runs wait. So whatever brings such work, the answers of targets above all, only asks for a turn here.
 * @param run whose data it is; left out: that of the code that asks
 */
export function inTurn(work: () => void, run: number | undefined = currentRun()): void {
  const { path, isBackground } = callerOf(run);
  const act = () => {
    markRun(run);
    inRun(run, work);
  };
  turns.add(path, act, isBackground);
}

/** Waits for a turn, see `inTurn`. */
export function yieldToOthers(): Promise<void> {
  return new Promise((resolve) => inTurn(resolve));
}

// Runs of a command have one caller, and so has the end of a run that is over.
function callerOf(run: number | undefined): RunCaller {
  return (run === undefined ? undefined : callers.get(run)) ?? { path: [''], isBackground: false };
}
