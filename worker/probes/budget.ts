import { getDomain } from 'tldts';
import type { Job } from '#shared/model/job';
import { ownSlot, type Slot } from '#shared/ports/job-queue';
import type { Pace } from '#shared/ports/pace';
import { isAddress } from '#shared/targets/classify-address';
import { openAnswerRoom } from './answer-room.ts';
import type { DnsAnswer } from './dns/port.ts';
import { type Charge, openPaceTurns } from './pace-turns.ts';
import { openRecognition } from './recognition.ts';

/** Whose run it is: the registrable domain or address that the caller named, whether the caller can be held to account, and how long it may take. */
export type RunOwner = {
  readonly site: string;
  readonly isAnonymous: boolean;
  readonly limitMs?: number;
  /** How much longer it may take, where waiting for its turn does not count; ms. */
  readonly mostMs?: () => number;
};

/** The owner of a job's run. */
export function ownerOf({
  host,
  isAnonymous,
  runLimitMs,
}: Pick<Job, 'host' | 'isAnonymous' | 'runLimitMs'>): RunOwner {
  return { site: host, isAnonymous: isAnonymous === true, limitMs: runLimitMs };
}

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
  /** The same for a page load, which keeps its slot while it waits: its browser holds the memory of one. */
  readonly chargeInSlot: Budget['charge'];
  /** Hears what a resolver answered: it tells which name servers belong to those that are asked more than others. */
  hear(answer: DnsAnswer): void;
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
  const spent = new Map<string, SpentBudget>();
  const answered = new Set<string>();
  const unanswered = new Map<string, number>();
  const room = openAnswerRoom(runLimits['answer bytes']);

  const refuse = (what: SpentBudget['what'], of: string, limit: number | null): SpentBudget => {
    const refusal = { what, of, limit };
    if (spent.size < spentLimit) spent.set(`${what} ${of}`, refusal);
    return refusal;
  };
  const refuseBytes = () => refuse('answer bytes', 'DNS', runLimits['answer bytes']);
  const recognition = openRecognition();
  const turns = openPaceTurns(pace, {
    isAnonymous: owner?.isAnonymous === true,
    limitMs: owner?.limitMs,
    mostMs: owner?.mostMs,
    slot,
    isWellKnown: recognition.isWellKnown,
  });
  const exceeds = openCount();
  const chargeBy =
    (take: typeof turns.take): Budget['charge'] =>
    async (what, host, signal) => {
      const of = isAddress(host) ? host : domainOf(host);
      if (isForeign(what) && (owner === undefined || of === owner.site)) return undefined;
      const exceeded = exceeds(what, of);
      if (exceeded !== undefined) return refuse(exceeded, of, runLimits[exceeded]);
      return (await take(what, of, signal)) ? undefined : refuse(what, of, null);
    };

  return {
    charge: chargeBy(turns.take),
    chargeInSlot: chargeBy(turns.takeInSlot),
    hear: recognition.hear,
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

/** Counts what one run asks, and tells which of its limits that exceeds. */
function openCount(): (what: Charge, of: string) => keyof typeof runLimits | undefined {
  const used = new Map<string, number>();
  const servers = new Set<string>();
  return (what, of) => {
    const count = (used.get(`${what} ${of}`) ?? 0) + 1;
    used.set(`${what} ${of}`, count);
    if (what === 'packets' && servers.add(of).size > runLimits['name servers']) return 'name servers';
    return hasRunLimit(what) && count > runLimits[what] ? what : undefined;
  };
}

function hasRunLimit(what: Charge): what is Charge & keyof typeof runLimits {
  return what in runLimits;
}

/** The registrable domain of any name that the DNS can be asked for: "*.a.test" and "_dmarc.a.test" are of a.test as well. */
function domainOf(name: string): string {
  return getDomain(name, { allowPrivateDomains: true, validateHostname: false }) ?? name;
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
