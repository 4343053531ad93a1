import type { PaceOrder } from '../../ports/pace.ts';
import { type PaceAsk, horizonMs, intervalsOf, type Portion, portionMs } from './ledger.ts';

/** A longer wait is not spent in the line. */
const longestInLineMs = 1000;
/** Who waits elsewhere is told to be back so early, and keeps its place so long when it is late. */
const backEarlyMs = 250;
const keptLateMs = 1500;
/** Those who wait in one line, here and elsewhere. */
const lineLimit = 10_000;
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
export type Line = Pick<PaceOrder, 'key' | 'rate' | 'isAnonymous'> & {
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

/** Opens the line of a key, for one kind of caller. */
export function openLine(of: Pick<PaceOrder, 'key' | 'rate' | 'isAnonymous'>): Line {
  const empty = { waiting: [], places: [], units: [], unused: 0, ahead: aheadAtFirst(of), isAsking: false };
  return { ...of, ...empty, intervalMs: intervalsOf(of).ofKind, nextFrom: 0, askFrom: 0, usedAt: 0 };
}

function aheadAtFirst({ rate }: Pick<PaceOrder, 'rate'>): number {
  return Math.max(fewestAhead, Math.min(mostAtFirst, Math.floor(rate.burst * shareAhead)));
}

/** Puts an order into the line; who has asked for longer stands before it. */
export function enter(line: Line, waiter: Waiter, time: number): void {
  line.usedAt = time;
  const known = line.places.findIndex(({ since }) => since === waiter.since);
  if (known >= 0) line.places.splice(known, 1);
  if (line.waiting.length + line.places.length >= lineLimit) return waiter.tell(null);
  const before = line.waiting.findLastIndex(({ since }) => since <= waiter.since);
  line.waiting.splice(before + 1, 0, waiter);
}

/**
 * Hands out what is in hand, drops what has ended, and sends away who would wait too long.
 * @returns when there is more to do; Infinity when nothing is
 */
export function serve(line: Line, time: number): number {
  dropEnded(line, time);
  while (line.waiting.length > 0 && line.units[0] !== undefined && line.units[0].from <= time) {
    line.units.shift();
    line.waiting.shift()?.tell(0);
  }
  sendAway(line, time);
  const [unit] = line.units;
  return Math.min(
    unit ? unit.until : Infinity,
    unit && line.waiting.length > 0 ? unit.from : Infinity,
    isShort(line) && !line.isAsking ? line.askFrom : Infinity,
  );
}

/** What to ask of the ledger now; undefined while there is nothing. From then on an answer is due, which `receive` takes. */
export function askFor(line: Line, time: number): PaceAsk | undefined {
  const isDue = isShort(line) && time >= line.askFrom;
  if (line.isAsking || (!isDue && line.unused === 0)) return undefined;
  const { key, rate, isAnonymous, unused: returned } = line;
  line.isAsking = true;
  line.unused = 0;
  const units = isDue
    ? { wanted: line.waiting.length - line.units.length, ahead: line.ahead }
    : { wanted: 0, ahead: 0 };
  return { key, rate, isAnonymous, ...units, returned };
}

/** Takes in what the ledger gave for `ask`. */
export function receive(line: Line, ask: PaceAsk, portion: Portion): void {
  line.isAsking = false;
  const { at: time, ofAll, ofKind, intervals } = portion;
  line.intervalMs = intervals.ofKind;
  const fromOf = (index: number) =>
    time + Math.max(0, ofAll + index * intervals.ofAll, ofKind + index * intervals.ofKind);
  for (let index = 0; index < portion.units; index += 1)
    line.units.push({ from: fromOf(index), until: time + portionMs, isReturned: portion.isAlone !== true });
  if (ask.wanted === 0) return;
  line.nextFrom = fromOf(portion.units);
  const isAll = portion.units >= ask.wanted;
  if (isAll) line.ahead = Math.min(mostAhead, line.ahead * 2);
  // Half of what can be given out ahead has come free by then, and what is in hand is nearly used.
  const usedFrom = (line.units.at(-1)?.from ?? 0) - 100;
  line.askFrom = isAll ? 0 : Math.max(time + 20, usedFrom, line.nextFrom - horizonMs / 2);
}

/** True when nobody waits for it and nothing of it is in hand, for some seconds. */
export function isIdle({ waiting, places, units, unused, isAsking, usedAt }: Line, time: number): boolean {
  const isEmpty = waiting.length + places.length + units.length + unused === 0;
  return isEmpty && !isAsking && time - usedAt > keptIdleMs;
}

function isShort({ waiting, units }: Line): boolean {
  return waiting.length > units.length;
}

function dropEnded(line: Line, time: number): void {
  const ended = line.units.filter(({ until }) => until <= time);
  line.places = line.places.filter(({ keptUntil }) => keptUntil > time);
  if (ended.length === 0) return;
  line.units = line.units.filter(({ until }) => until > time);
  line.unused += ended.filter(({ isReturned }) => isReturned).length;
  line.ahead = Math.max(aheadAtFirst(line), line.ahead - ended.length);
}

/** Who would wait too long in the line goes and comes back, with its place kept; who would wait in vain goes for good. */
function sendAway(line: Line, time: number): void {
  if (line.waiting.length === 0) return;
  const waitMsOf = openForecast(line, time);
  const staying: Waiter[] = [];
  const leaving: PaceReservation[] = [];
  for (const waiter of line.waiting) {
    const waitMs = waitMsOf(waiter.since, staying.length + leaving.length);
    if (time + waitMs > waiter.until) waiter.tell(null);
    else if (waitMs <= longestInLineMs) staying.push(waiter);
    else {
      leaving.push({ since: waiter.since, keptUntil: time + waitMs + keptLateMs });
      waiter.tell(Math.ceil(waitMs - backEarlyMs));
    }
  }
  line.waiting = staying;
  line.places.push(...leaving);
}

/** Gives how long somebody would wait before whom so many stand in the line; to be asked in the order of `since`. */
function openForecast({ units, places, nextFrom, askFrom, intervalMs }: Line, time: number) {
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
