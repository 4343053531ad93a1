import type { PaceOrder } from '../../ports/pace.ts';
import { type PaceAsk, horizonMs, intervalsOf, type Portion, portionMs } from './ledger.ts';

/** A longer wait is not spent in the queue. */
const longestWaitMs = 1000;
/** Who waits elsewhere is told to be back so early, and keeps its place so long when it is late. */
const backEarlyMs = 250;
const keptLateMs = 1500;
/** Those who wait in one queue, here and elsewhere. */
const mostWaiters = 10_000;
/** Units to have in hand beyond those that are waited for: few where the key is quiet, more the faster they are used and the larger its burst is. */
const fewestAhead = 2;
const mostAhead = 64;
/** A run asks most hosts more than once: of a large burst, so much is taken at the first question. */
const shareAhead = 4 / 100;
const mostAtFirst = 32;
const keptIdleMs = 3000;

type Waiter = Pick<PaceOrder, 'since' | 'until'> & { readonly tell: (waitMs: number | null) => void };
type PaceReservation = { readonly since: number; readonly keptUntil: number };
type Unit = { readonly from: number; readonly until: number; readonly isReturned: boolean };

/**
 * Those of one process who wait for units of one key, and the units that the process has in hand. Times are ms of one clock. All lists are
 * in the order in which they are used.
 */
export type PaceQueue = Pick<PaceOrder, 'key' | 'rate' | 'isAnonymous'> & {
  /** From one unit to the next, as the last portion told. */
  intervalMs: number;
  waiting: Waiter[];
  /** Of those who wait elsewhere. */
  places: PaceReservation[];
  units: Unit[];
  /** Units whose portion has ended, to be given back. */
  unused: number;
  ahead: number;
  isAsking: boolean;
  /** When the first unit that is in nobody's hand can be used, and when it makes sense to ask for more. */
  nextFrom: number;
  askFrom: number;
  usedAt: number;
};

/** Opens the queue of a key, for one kind of caller. */
export function openPaceQueue(of: Pick<PaceOrder, 'key' | 'rate' | 'isAnonymous'>): PaceQueue {
  const empty = { waiting: [], places: [], units: [], unused: 0, ahead: aheadAtFirst(of), isAsking: false };
  return { ...of, ...empty, intervalMs: intervalsOf(of).ofKind, nextFrom: 0, askFrom: 0, usedAt: 0 };
}

function aheadAtFirst({ rate }: Pick<PaceOrder, 'rate'>): number {
  return Math.max(fewestAhead, Math.min(mostAtFirst, Math.floor(rate.burst * shareAhead)));
}

/** Puts an order into the queue; who has asked for longer stands before it. */
export function enter(queue: PaceQueue, waiter: Waiter, time: number): void {
  queue.usedAt = time;
  const known = queue.places.findIndex(({ since }) => since === waiter.since);
  if (known >= 0) queue.places.splice(known, 1);
  if (queue.waiting.length + queue.places.length >= mostWaiters) return waiter.tell(null);
  const before = queue.waiting.findLastIndex(({ since }) => since <= waiter.since);
  queue.waiting.splice(before + 1, 0, waiter);
}

/**
 * Hands out what is in hand, drops what has ended, and sends away who would wait too long.
 * @returns when there is more to do; Infinity when nothing is
 */
export function serve(queue: PaceQueue, time: number): number {
  dropEnded(queue, time);
  while (queue.waiting.length > 0 && queue.units[0] !== undefined && queue.units[0].from <= time) {
    queue.units.shift();
    queue.waiting.shift()?.tell(0);
  }
  sendAway(queue, time);
  const [unit] = queue.units;
  return Math.min(
    unit ? unit.until : Infinity,
    unit && queue.waiting.length > 0 ? unit.from : Infinity,
    isShort(queue) && !queue.isAsking ? queue.askFrom : Infinity,
  );
}

/** What to ask of the ledger now; undefined while there is nothing. From then on an answer is due, which `receive` takes. */
export function askFor(queue: PaceQueue, time: number): PaceAsk | undefined {
  const isDue = isShort(queue) && time >= queue.askFrom;
  if (queue.isAsking || (!isDue && queue.unused === 0)) return undefined;
  const { key, rate, isAnonymous, unused: returned } = queue;
  queue.isAsking = true;
  queue.unused = 0;
  const units = isDue
    ? { wanted: queue.waiting.length - queue.units.length, ahead: queue.ahead }
    : { wanted: 0, ahead: 0 };
  return { key, rate, isAnonymous, ...units, returned };
}

/** Takes in what the ledger gave for `ask`. */
export function receive(queue: PaceQueue, ask: PaceAsk, portion: Portion): void {
  queue.isAsking = false;
  const { at: time, ofAll, ofKind, intervals } = portion;
  queue.intervalMs = intervals.ofKind;
  const fromOf = (index: number) =>
    time + Math.max(0, ofAll + index * intervals.ofAll, ofKind + index * intervals.ofKind);
  for (let index = 0; index < portion.units; index += 1)
    queue.units.push({ from: fromOf(index), until: time + portionMs, isReturned: portion.isAlone !== true });
  if (ask.wanted === 0) return;
  queue.nextFrom = fromOf(portion.units);
  const isAll = portion.units >= ask.wanted;
  if (isAll) queue.ahead = Math.min(mostAhead, queue.ahead * 2);
  // Half of what can be given out ahead has come free by then, and what is in hand is nearly used.
  const usedFrom = (queue.units.at(-1)?.from ?? 0) - 100;
  queue.askFrom = isAll ? 0 : Math.max(time + 20, usedFrom, queue.nextFrom - horizonMs / 2);
}

/** True if it has had no waiters and no units for some seconds. */
export function isIdle(
  { waiting, places, units, unused, isAsking, usedAt }: PaceQueue,
  time: number,
): boolean {
  const isEmpty = waiting.length + places.length + units.length + unused === 0;
  return isEmpty && !isAsking && time - usedAt > keptIdleMs;
}

function isShort({ waiting, units }: PaceQueue): boolean {
  return waiting.length > units.length;
}

function dropEnded(queue: PaceQueue, time: number): void {
  const ended = queue.units.filter(({ until }) => until <= time);
  queue.places = queue.places.filter(({ keptUntil }) => keptUntil > time);
  if (ended.length === 0) return;
  queue.units = queue.units.filter(({ until }) => until > time);
  queue.unused += ended.filter(({ isReturned }) => isReturned).length;
  queue.ahead = Math.max(aheadAtFirst(queue), queue.ahead - ended.length);
}

/** Who would wait too long in the queue goes and comes back, with its place kept; who would wait in vain goes for good. */
function sendAway(queue: PaceQueue, time: number): void {
  if (queue.waiting.length === 0) return;
  const waitMsOf = openForecast(queue, time);
  const staying: Waiter[] = [];
  const leaving: PaceReservation[] = [];
  for (const waiter of queue.waiting) {
    const waitMs = waitMsOf(waiter.since, staying.length + leaving.length);
    if (time + waitMs > waiter.until) waiter.tell(null);
    else if (waitMs <= longestWaitMs) staying.push(waiter);
    else {
      leaving.push({ since: waiter.since, keptUntil: time + waitMs + keptLateMs });
      waiter.tell(Math.ceil(waitMs - backEarlyMs));
    }
  }
  queue.waiting = staying;
  queue.places.push(...leaving);
}

/** Gives how long somebody would wait before whom so many stand in the queue; to be asked in the order of `since`. */
function openForecast({ units, places, nextFrom, askFrom, intervalMs }: PaceQueue, time: number) {
  const sorted = places.toSorted((one, other) => one.since - other.since);
  // Until it is known how long it takes, everybody stays.
  const isKnown = askFrom > time || places.length > 0;
  let elsewhere = 0;
  return (since: number, before: number): number => {
    while ((sorted[elsewhere]?.since ?? Infinity) < since) elsewhere += 1;
    const unit = units[before];
    if (unit) return Math.max(0, unit.from - time);
    if (!isKnown) return 0;
    return Math.max(0, nextFrom - time) + (before - units.length + elsewhere) * intervalMs;
  };
}
