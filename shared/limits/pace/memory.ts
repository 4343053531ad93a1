import { LRUCache } from 'lru-cache';
import type { Pace } from '../../ports/pace.ts';
import { steadyNow } from '../../time/steady-time.ts';
import { openLeasedPace } from './leased.ts';
import { type PaceAsk, horizonMs, intervalsOf, type Ledger, type Portion } from './ledger.ts';

/** Keys at most 300 characters long: about 20 MB when full. The one that was asked longest ago is forgotten first. */
const keyLimit = 50_000;

/** When all that was given out will have been used at the rate, in ms: of all callers, and of anonymous ones. */
type UsedUp = { readonly ofAll: number; readonly ofAnonymous: number };

export type MemoryLedgerOptions = {
  readonly now?: () => number;
  /** How much of each rate this process has; all of it by default. */
  readonly share?: () => number;
  /** Since when a key that was not asked before has gathered its burst; a long rest by default. */
  readonly emptyAt?: () => number;
};

/** The account of one process. */
export function openMemoryLedger(options: MemoryLedgerOptions = {}): Ledger {
  const { now = steadyNow, share = () => 1, emptyAt = () => -Infinity } = options;
  const usedUp = new LRUCache<string, UsedUp>({ max: keyLimit });
  const leaseOne = (ask: PaceAsk): Portion => {
    const time = now();
    const intervals = intervalsOf(ask, share());
    const burstMs = (ask.rate.burst * 1000) / ask.rate.perSecond;
    const atFirst = emptyAt() + burstMs;
    const before = usedUp.get(ask.key) ?? { ofAll: atFirst, ofAnonymous: atFirst };
    const all = Math.max(before.ofAll - ask.returned * intervals.ofAll, time);
    const returnedMs = ask.isAnonymous ? ask.returned * intervals.ofKind : 0;
    const anonymous = Math.max(before.ofAnonymous - returnedMs, time);
    const ofAll = all + intervals.ofAll - burstMs - time;
    const ofKind = (ask.isAnonymous ? anonymous : all) + intervals.ofKind - burstMs - time;
    const units = countUnits(ask, { ofAll, ofKind, intervals });
    usedUp.set(ask.key, {
      ofAll: all + units * intervals.ofAll,
      ofAnonymous: ask.isAnonymous ? anonymous + units * intervals.ofKind : anonymous,
    });
    return { units, at: time, ofAll, ofKind, intervals };
  };
  return {
    lease: async (asks) => asks.map(leaseOne),
    close: () => undefined,
  };
}

type Waits = Pick<Portion, 'ofAll' | 'ofKind' | 'intervals'>;

/** How many units it is given: those that come free soon, and of what is left of the burst half to have in hand. */
function countUnits({ wanted, ahead }: PaceAsk, { ofAll, ofKind, intervals }: Waits): number {
  const fit = (withinMs: number) => {
    const units = Math.min((withinMs - ofAll) / intervals.ofAll, (withinMs - ofKind) / intervals.ofKind);
    // What is left of a sum of fractions is no wait.
    return Math.max(0, 1 + Math.floor(units + 1e-6));
  };
  const spare = Math.floor(Math.min(ahead, Math.max(0, fit(0) - wanted) / 2));
  return Math.min(wanted, fit(horizonMs)) + spare;
}

/** The pace of one process. @param now ms that only grow; for tests */
export function openMemoryPace(now: () => number = steadyNow): Pace {
  return openLeasedPace(openMemoryLedger({ now }), now);
}

/** Lets everything through at once; for labs, and for tests that are not about the pace. */
export const noPace: Pace = { take: async () => 0, close: async () => undefined };
