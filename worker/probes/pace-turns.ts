import type { Slot } from '#shared/ports/job-queue';
import type { Pace, PaceRate } from '#shared/ports/pace';
import { steadyNow } from '#shared/time/steady-time';
import { openAbsence, untilAborted } from './absence.ts';

/** What is charged, and the key under which it is counted: a registrable domain or an address. */
export type Charge =
  | 'foreign questions' // to resolvers, for names of one foreign domain
  | 'foreign connections' // to hosts of one foreign domain
  | 'packets' // to one name server's address
  | 'server connections' // TCP to one name server's address
  | 'requests' // HTTP connections to one address, and requests over those that are open
  | 'handshakes' // TLS connections to one address
  | 'mail connections' // to port 25 of one address
  | 'mail connections an hour' // the same, over a longer time
  | 'UDP exchanges' // one datagram to one address, sent twice at most
  | 'registry questions'; // to one registry; they have a pace of their own, also where RATE_LIMIT is off

/** Of all names behind one address: with what comes by in the hour that follows, the burst makes 60 in any hour. */
export const mailPerHour: PaceRate = { perSecond: 30 / 3600, burst: 30 };

/** What all runs together may ask of one host. Work of anonymous callers may use a part of it. */
export const paceRates: { readonly [charge in Charge]?: PaceRate } = {
  'foreign questions': { perSecond: 200, burst: 2000 },
  'foreign connections': { perSecond: 80, burst: 800 },
  packets: { perSecond: 200, burst: 2000 },
  requests: { perSecond: 100, burst: 1000 },
  handshakes: { perSecond: 40, burst: 800 },
  'mail connections': { perSecond: 1, burst: 6 },
  'mail connections an hour': mailPerHour,
  'UDP exchanges': { perSecond: 20, burst: 200 },
};

/** Name servers of registries and of large providers answer for many domains, and are made to. */
const wellKnownFactor = 4;

/** Longest that a question waits for its turn. */
const longestWaitMs = 10_000;
/** What a run needs at its end to judge what it has seen. */
const endMs = 1500;

/** A run that asks so often at one host stands in line as if it had come that much later, so that others have their turn. */
const unitsInTurn = 16;
const laterMs = 1000;

type PacedRun = {
  readonly isAnonymous: boolean;
  /** How long it may take in all; undefined: without an end of its own. */
  readonly limitMs: number | undefined;
  /** How much longer it may take, where its clock stands still while it waits without its slot. */
  readonly mostMs: (() => number) | undefined;
  readonly slot: Slot;
  readonly isWellKnown: (address: string) => boolean;
};

type TakeTurn = (what: Charge, of: string, signal: AbortSignal) => Promise<boolean>;

/** The turns of one run at the pace of all runs. Both give false where the wait would be too long, and reject only with the signal's reason. */
export type PaceTurns = {
  /** Gives the slot up while it waits for long. */
  readonly take: TakeTurn;
  readonly takeInSlot: TakeTurn;
};

/** Opens the turns of one run. */
export function openPaceTurns(pace: Pace, run: PacedRun): PaceTurns {
  const { isAnonymous, limitMs, mostMs, slot, isWellKnown } = run;
  const limitAt = steadyNow() + (limitMs ?? Infinity);
  const endsAt = () => (mostMs ? steadyNow() + mostMs() : limitAt) - endMs;
  const asked = new Map<string, { readonly since: number; units: number }>();
  const waitingSince = (key: string) => {
    const before = asked.get(key) ?? { since: steadyNow(), units: 0 };
    asked.set(key, before);
    const since = before.since + Math.floor(before.units / unitsInTurn) * laterMs;
    before.units += 1;
    return since;
  };
  const takeBy =
    (waitOutside: (waitMs: number, signal: AbortSignal) => Promise<void>): TakeTurn =>
    async (what, of, signal) => {
      const usual = paceRates[what];
      if (!usual) return true;
      const rate = what === 'packets' && isWellKnown(of) ? timesAsFast(usual) : usual;
      const askedAt = steadyNow();
      const until = Math.min(askedAt + longestWaitMs, endsAt());
      const order = {
        key: `${what} ${of}`,
        rate,
        isAnonymous,
        askedAt,
        since: waitingSince(`${what} ${of}`),
        until,
      };
      for (;;) {
        const waitMs = await untilAborted(pace.take(order), signal);
        if (waitMs === null || waitMs === 0) return waitMs === 0;
        await waitOutside(waitMs, signal);
      }
    };
  return { take: takeBy(openAbsence(slot)), takeInSlot: takeBy(openAbsence(undefined)) };
}

function timesAsFast({ perSecond, burst }: PaceRate): PaceRate {
  return { perSecond: wellKnownFactor * perSecond, burst: wellKnownFactor * burst };
}
