import { setTimeout as delay } from 'node:timers/promises';
import { ownSlot, type Slot } from '#shared/job-queue/port';
import type { Job } from '#shared/model/job';
import type { Pace, PaceRate } from '#shared/pace/port';
import { isAddress } from '#shared/target/classify-address';
import { siteOf } from '#shared/target/parse-target';
import { openAnswerRoom } from './answer-room.ts';

/** Whose run it is: the registrable domain or address that the caller named, and whether the caller can be held to account. */
export type RunOwner = { readonly site: string; readonly isAnonymous: boolean };

/** The owner of a job's run. */
export function ownerOf({ host, isAnonymous }: Pick<Job, 'host' | 'isAnonymous'>): RunOwner {
  return { site: host, isAnonymous: isAnonymous === true };
}

/** What is charged, and the key under which it is counted: a registrable domain or an address. */
export type Charge =
  | 'foreign questions' // to resolvers, for names of one foreign domain
  | 'foreign connections' // to hosts of one foreign domain
  | 'packets' // to one name server's address
  | 'server connections' // TCP to one name server's address
  | 'requests' // HTTP connections to one address, and requests over those that are open
  | 'handshakes' // TLS connections to one address
  | 'UDP exchanges'; // one datagram to one address, sent twice at most

/**
 * What one run may ask of one host, or in all. Usual zones stay far below: the largest foreign domain of a Google or Microsoft 365 zone is
 * asked 40 questions, and six name servers with two addresses each are asked a dozen packets each. A signed zone with
 * twelve name servers, keys of 2,048 bits and 3 kB of text answers with 121,000 bytes in all.
 */
const runLimits = {
  'foreign questions': 120,
  'foreign connections': 24,
  packets: 60,
  'server connections': 6,
  'UDP exchanges': 2,
  'name servers': 26,
  'answer bytes': 1_000_000,
} as const satisfies { readonly [what in SpentBudget['what']]?: number };

/** Packets that an address leaves unanswered before it counts as silent: three questions with all their tries. */
const unansweredLimit = 9;

/** What all runs together may ask of one host. Work of anonymous callers, whom nobody can hold to account, is slower. */
const paceRates: {
  readonly [charge in Charge]?: { readonly anonymous: PaceRate; readonly known: PaceRate };
} = {
  'foreign questions': rates(50, 500),
  'foreign connections': rates(20, 200),
  packets: rates(50, 500),
  requests: rates(25, 250),
  handshakes: rates(10, 200),
  'UDP exchanges': rates(5, 50),
};

function rates(perSecond: number, burst: number) {
  return {
    anonymous: { perSecond, burst },
    known: { perSecond: 4 * perSecond, burst: 4 * burst },
  };
}

/** Longest that a question waits for its turn; the run's own limit ends it before. */
const longestWaitMs = 10_000;

/** Units that a run takes at once of what comes by the dozen, so that not every packet asks Redis. */
const leaseUnits: { readonly [charge in Charge]?: number } = { packets: 5, 'foreign questions': 5 };

/** A budget that ran out: what was to be asked, and the limit of this run; null when all runs together have asked enough. */
export type SpentBudget = {
  readonly what: Charge | 'name servers' | 'answer bytes';
  /** The registrable domain or address that it counts for; "DNS" for the bytes of all answers. */
  readonly of: string;
  readonly limit: number | null;
};

/** What one run may still ask of hosts that its target names. */
export type Budget = {
  /**
   * Charges one unit and waits until all runs together may ask again. Rejects only with the signal's reason.
   * @param host the host or address that is asked; its registrable domain is what counts
   * @returns undefined when it may be asked, or what ran out; nothing may be sent then
   */
  charge(what: Charge, host: string, signal: AbortSignal): Promise<SpentBudget | undefined>;
  /**
   * Counts bytes of DNS answers, from resolvers and name servers, as they come.
   * @returns what ran out when this run has read as many as it may: no more is to be asked or read then
   */
  receive(bytes: number): SpentBudget | undefined;
  /**
   * Waits until the largest answer over TCP fits beside those that are on their way.
   * @returns what gives the place back, to be called once; or what ran out
   */
  reserve(signal: AbortSignal): Promise<(() => void) | SpentBudget>;
  /** Notes what came of a packet. */
  note(address: string, outcome: 'answered' | 'unanswered'): void;
  /** True for an address that never answered a packet and left nine: nothing more is to be sent there. */
  isSilent(address: string): boolean;
  /** Every budget that ran out so far, each once. */
  spent(): readonly SpentBudget[];
};

/** The first few tell enough. */
const spentLimit = 20;

/** Opens the budget of one run. @param owner undefined: no host is foreign, as in tests and on the command line */
export function openBudget(pace: Pace, owner: RunOwner | undefined, slot: Slot = ownSlot): Budget {
  const used = new Map<string, number>();
  const spent = new Map<string, SpentBudget>();
  const servers = new Set<string>();
  const answered = new Set<string>();
  const unanswered = new Map<string, number>();
  const room = openAnswerRoom(runLimits['answer bytes']);

  const refuse = (what: SpentBudget['what'], of: string, limit: number | null): SpentBudget => {
    const refusal = { what, of, limit };
    if (spent.size < spentLimit) spent.set(`${what} ${of}`, refusal);
    return refusal;
  };
  const refuseBytes = () => refuse('answer bytes', 'DNS', runLimits['answer bytes']);
  const takeTurn = openTurns(pace, owner?.isAnonymous === true ? 'anonymous' : 'known', slot);

  return {
    async charge(what, host, signal) {
      const of = isAddress(host) ? host : siteOf(host);
      if (isForeign(what) && (owner === undefined || of === owner.site)) return undefined;
      const key = `${what} ${of}`;
      const count = (used.get(key) ?? 0) + 1;
      used.set(key, count);
      if (what === 'packets') {
        servers.add(of);
        if (servers.size > runLimits['name servers'])
          return refuse('name servers', of, runLimits['name servers']);
      }
      const limit = (runLimits as { readonly [charge in Charge]?: number })[what];
      if (limit !== undefined && count > limit) return refuse(what, of, limit);
      return (await takeTurn(what, of, signal)) ? undefined : refuse(what, of, null);
    },
    receive: (bytes) => (room.receive(bytes) ? undefined : refuseBytes()),
    reserve: async (signal) => (await room.reserve(signal)) ?? refuseBytes(),
    note(address, outcome) {
      if (outcome === 'answered') answered.add(address);
      else unanswered.set(address, (unanswered.get(address) ?? 0) + 1);
    },
    isSilent: (address) => !answered.has(address) && (unanswered.get(address) ?? 0) >= unansweredLimit,
    spent: () => [...spent.values()],
  };
}

/** Takes a run's turns at the pace of all runs, some units at once. Gives false when the wait would be too long. */
function openTurns(pace: Pace, who: 'anonymous' | 'known', slot: Slot) {
  const leased = new Map<string, number>();
  return async (what: Charge, of: string, signal: AbortSignal): Promise<boolean> => {
    const rate = paceRates[what]?.[who];
    if (!rate) return true;
    const key = `${what} ${of}`;
    const left = leased.get(key) ?? 0;
    const units = leaseUnits[what] ?? 1;
    // Before the wait, so that the other questions of the same wave use this lease instead of taking their own.
    leased.set(key, left > 0 ? left - 1 : units - 1);
    if (left > 0) return true;
    const waitMs = await pace.take(key, units, rate, longestWaitMs);
    if (waitMs === null) leased.set(key, 0);
    else if (waitMs > 0) await waitFor(waitMs, slot, signal);
    return waitMs !== null;
  };
}

/** A wait beyond this is spent without a slot. */
const longestInSlotMs = 1000;

async function waitFor(waitMs: number, slot: Slot, signal: AbortSignal): Promise<void> {
  const isLong = waitMs > longestInSlotMs;
  if (isLong) slot.release();
  await delay(waitMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  if (isLong) await slot.retake(signal);
}

function isForeign(what: Charge): boolean {
  return what === 'foreign questions' || what === 'foreign connections';
}

/** Why nothing was asked, as a clause for reports. */
export function describeSpent({ what, of, limit }: SpentBudget): string {
  if (limit === null) return `other checks have asked ${of} as often as we allow for now`;
  if (what === 'answer bytes') return `one check reads at most ${limit} bytes of DNS answers`;
  if (what === 'name servers') return `one check asks at most ${limit} addresses of name servers`;
  return `one check makes at most ${limit} ${what} to ${of}`;
}
