import type { Pace } from '../../ports/pace.ts';
import { steadyNow } from '../../time/steady-time.ts';
import type { PaceAsk, Ledger } from './ledger.ts';
import { askFor, enter, isIdle, type PaceQueue, openPaceQueue, receive, serve } from './pace-queue.ts';

/** Keys that are asked for in one go. */
const batchLimit = 100;
const sweepEveryMs = 1000;
/** Unused units are returned with the next request, or after at most this time. */
const returnWithinMs = 1000;

type LeaseState = {
  readonly ledger: Ledger;
  readonly now: () => number;
  /** Lines that may want something of the ledger, and those that only have something to give back. */
  readonly wanting: Set<PaceQueue>;
  readonly returning: Set<PaceQueue>;
  returnsBy: NodeJS.Timeout | undefined;
  isAsking: boolean;
  readonly timers: Map<PaceQueue, NodeJS.Timeout>;
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
  const queues = new Map<string, PaceQueue>();
  let sweeping: NodeJS.Timeout | undefined;
  let isClosed = false;
  const sweep = () => {
    for (const [name, queue] of queues) {
      if (isIdle(queue, now())) queues.delete(name);
      else attend(state, queue);
    }
    sweeping = queues.size > 0 ? setTimeout(sweep, sweepEveryMs).unref() : undefined;
  };
  return {
    async take({ key, rate, isAnonymous, since, until }) {
      if (isClosed) return null;
      const name = `${isAnonymous ? 'anonymous' : 'known'} ${rate.perSecond} ${key}`;
      const queue = queues.get(name) ?? openPaceQueue({ key, rate, isAnonymous });
      queues.set(name, queue);
      sweeping ??= setTimeout(sweep, sweepEveryMs).unref();
      return new Promise((tell) => {
        enter(queue, { since, until, tell }, now());
        attend(state, queue);
      });
    },
    async close() {
      isClosed = true;
      clearTimeout(sweeping);
      for (const timer of state.timers.values()) clearTimeout(timer);
      clearTimeout(state.returnsBy);
      for (const { waiting } of queues.values()) for (const { tell } of waiting) tell(null);
      queues.clear();
      ledger.close();
    },
  };
}

/** Does what is due in a queue, and sees to it that it is looked at again in time. */
function attend(state: LeaseState, queue: PaceQueue): void {
  const time = state.now();
  const dueAt = serve(queue, time);
  const timer = state.timers.get(queue);
  clearTimeout(timer);
  state.timers.delete(queue);
  if (dueAt <= time) askSoon(state, queue);
  else if (queue.unused > 0) returnInTime(state, queue);
  if (dueAt > time && dueAt < Infinity) {
    const look = () => attend(state, queue);
    state.timers.set(queue, setTimeout(look, Math.ceil(dueAt - time)));
  }
}

/** Returns unused units with the next request, or in a batch soon after. */
function returnInTime(state: LeaseState, queue: PaceQueue): void {
  state.returning.add(queue);
  state.returnsBy ??= setTimeout(() => {
    state.returnsBy = undefined;
    for (const each of state.returning) askSoon(state, each);
  }, returnWithinMs).unref();
}

function askSoon(state: LeaseState, queue: PaceQueue): void {
  state.wanting.add(queue);
  if (state.isAsking) return;
  state.isAsking = true;
  // What the same turn of the loop asks for goes along.
  setImmediate(() => void askLedger(state)); // never rejects
}

async function askLedger(state: LeaseState): Promise<void> {
  const { ledger, wanting, returning, now } = state;
  while (wanting.size > 0) {
    const asked: { readonly queue: PaceQueue; readonly ask: PaceAsk }[] = [];
    for (const queue of [...wanting, ...returning]) {
      if (asked.length === batchLimit) break;
      wanting.delete(queue);
      returning.delete(queue);
      const ask = askFor(queue, now());
      if (ask) asked.push({ queue, ask });
    }
    if (asked.length === 0) continue;
    const portions = await ledger.lease(asked.map(({ ask }) => ask));
    for (const [index, { queue, ask }] of asked.entries()) {
      const portion = portions[index];
      if (portion) receive(queue, ask, portion);
      attend(state, queue);
    }
  }
  state.isAsking = false;
}
