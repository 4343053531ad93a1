import type { Pace } from '../../ports/pace.ts';
import { steadyNow } from '../../time/steady-time.ts';
import type { PaceAsk, Ledger } from './ledger.ts';
import { askFor, enter, isIdle, type Line, openLine, receive, serve } from './line.ts';

/** Keys that are asked for in one go. */
const batchLimit = 100;
const sweepEveryMs = 1000;
/** Longest that units wait which nobody used: until then they go back with the next question of their lane. */
const returnWithinMs = 1000;

/** Lines that may want something of one lane of the ledger, and those that only have something to give back. */
type Lane = {
  readonly name: string;
  readonly lines: Set<Line>;
  readonly returning: Set<Line>;
  returnsBy: NodeJS.Timeout | undefined;
  isAsking: boolean;
};
type LeaseState = {
  readonly ledger: Ledger;
  readonly now: () => number;
  readonly lanes: Map<string, Lane>;
  readonly timers: Map<Line, NodeJS.Timeout>;
};

/**
 * The pace of a process over a ledger: it takes portions of each key's rate, and hands them to its runs in the order in which they asked.
 * One question to the ledger of a lane is under way at a time; what is wanted meanwhile goes with the next.
 */
export function openLeasedPace(ledger: Ledger, now: () => number = steadyNow): Pace {
  const state: LeaseState = { ledger, now, lanes: new Map(), timers: new Map() };
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
      for (const { returnsBy } of state.lanes.values()) clearTimeout(returnsBy);
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

function laneOf({ ledger, lanes }: LeaseState, { key }: Line): Lane {
  const name = ledger.laneOf(key);
  const lane = lanes.get(name) ?? {
    name,
    lines: new Set(),
    returning: new Set(),
    returnsBy: undefined,
    isAsking: false,
  };
  lanes.set(name, lane);
  return lane;
}

/** What nobody used goes back with a question that is asked anyway, or with all else of its lane a little later. */
function returnInTime(state: LeaseState, line: Line): void {
  const lane = laneOf(state, line);
  lane.returning.add(line);
  lane.returnsBy ??= setTimeout(() => {
    lane.returnsBy = undefined;
    for (const each of lane.returning) askSoon(state, each);
  }, returnWithinMs).unref();
}

function askSoon(state: LeaseState, line: Line): void {
  const lane = laneOf(state, line);
  lane.lines.add(line);
  if (lane.isAsking) return;
  lane.isAsking = true;
  // What the same turn of the loop asks for goes along.
  setImmediate(() => void askLane(state, lane)); // never rejects
}

async function askLane(state: LeaseState, lane: Lane): Promise<void> {
  while (lane.lines.size > 0) {
    const asked: { readonly line: Line; readonly ask: PaceAsk }[] = [];
    for (const line of [...lane.lines, ...lane.returning]) {
      if (asked.length === batchLimit) break;
      lane.lines.delete(line);
      lane.returning.delete(line);
      const ask = askFor(line, state.now());
      if (ask) asked.push({ line, ask });
    }
    if (asked.length === 0) continue;
    const asks = asked.map(({ ask }) => ask);
    const portions = await state.ledger.lease(lane.name, asks);
    for (const [index, { line, ask }] of asked.entries()) {
      const portion = portions[index];
      if (portion) receive(line, ask, portion);
      attend(state, line);
    }
  }
  lane.isAsking = false;
}
