import type { Pace } from '../../ports/pace.ts';
import { steadyNow } from '../../time/steady-time.ts';
import type { PaceAsk, Ledger } from './ledger.ts';
import { askFor, enter, isIdle, type Line, openLine, receive, serve } from './line.ts';

/** Keys that are asked for in one go. */
const batchLimit = 100;
const sweepEveryMs = 1000;
/** Longest that units wait which nobody used: until then they go back with the next question. */
const returnWithinMs = 1000;

type LeaseState = {
  readonly ledger: Ledger;
  readonly now: () => number;
  /** Lines that may want something of the ledger, and those that only have something to give back. */
  readonly wanting: Set<Line>;
  readonly returning: Set<Line>;
  returnsBy: NodeJS.Timeout | undefined;
  isAsking: boolean;
  readonly timers: Map<Line, NodeJS.Timeout>;
};

/**
 * The pace of a process over a ledger: it takes portions of each key's rate, and hands them to its runs in the order in which they asked.
 * One question to the ledger is under way at a time; what is wanted meanwhile goes with the next.
 */
export function openLeasedPace(ledger: Ledger, now: () => number = steadyNow): Pace {
  const state: LeaseState = {
    ledger,
    now,
    wanting: new Set(),
    returning: new Set(),
    returnsBy: undefined,
    isAsking: false,
    timers: new Map(),
  };
  /** As many as keys were asked for within some seconds. */
  const lines = new Map<string, Line>();
  let sweeping: NodeJS.Timeout | undefined;
  let isClosed = false;
  const sweep = () => {
    for (const [name, line] of lines) {
      if (isIdle(line, now())) lines.delete(name);
      else attend(state, line);
    }
    sweeping = lines.size > 0 ? setTimeout(sweep, sweepEveryMs).unref() : undefined;
  };
  return {
    async take({ key, rate, isAnonymous, since, until }) {
      if (isClosed) return null;
      const name = `${isAnonymous ? 'anonymous' : 'known'} ${rate.perSecond} ${key}`;
      const line = lines.get(name) ?? openLine({ key, rate, isAnonymous });
      lines.set(name, line);
      sweeping ??= setTimeout(sweep, sweepEveryMs).unref();
      return new Promise((tell) => {
        enter(line, { since, until, tell }, now());
        attend(state, line);
      });
    },
    async close() {
      isClosed = true;
      clearTimeout(sweeping);
      for (const timer of state.timers.values()) clearTimeout(timer);
      clearTimeout(state.returnsBy);
      for (const { waiting } of lines.values()) for (const { tell } of waiting) tell(null);
      lines.clear();
      ledger.close();
    },
  };
}

/** Does what is due in a line, and sees to it that it is looked at again in time. */
function attend(state: LeaseState, line: Line): void {
  const time = state.now();
  const dueAt = serve(line, time);
  const timer = state.timers.get(line);
  clearTimeout(timer);
  state.timers.delete(line);
  if (dueAt <= time) askSoon(state, line);
  else if (line.unused > 0) returnInTime(state, line);
  if (dueAt > time && dueAt < Infinity) {
    const look = () => attend(state, line);
    state.timers.set(line, setTimeout(look, Math.ceil(dueAt - time)));
  }
}

/** What nobody used goes back with a question that is asked anyway, or with all else a little later. */
function returnInTime(state: LeaseState, line: Line): void {
  state.returning.add(line);
  state.returnsBy ??= setTimeout(() => {
    state.returnsBy = undefined;
    for (const each of state.returning) askSoon(state, each);
  }, returnWithinMs).unref();
}

function askSoon(state: LeaseState, line: Line): void {
  state.wanting.add(line);
  if (state.isAsking) return;
  state.isAsking = true;
  // What the same turn of the loop asks for goes along.
  setImmediate(() => void askLedger(state)); // never rejects
}

async function askLedger(state: LeaseState): Promise<void> {
  const { ledger, wanting, returning, now } = state;
  while (wanting.size > 0) {
    const asked: { readonly line: Line; readonly ask: PaceAsk }[] = [];
    for (const line of [...wanting, ...returning]) {
      if (asked.length === batchLimit) break;
      wanting.delete(line);
      returning.delete(line);
      const ask = askFor(line, now());
      if (ask) asked.push({ line, ask });
    }
    if (asked.length === 0) continue;
    const portions = await ledger.lease(asked.map(({ ask }) => ask));
    for (const [index, { line, ask }] of asked.entries()) {
      const portion = portions[index];
      if (portion) receive(line, ask, portion);
      attend(state, line);
    }
  }
  state.isAsking = false;
}
