import type { VantageKind } from '#shared/model/vantage';
import { kindsOf, type Way } from './ways.ts';

/** What controls found missing: when last, and how often in a row. */
type Lack = { readonly at: number; readonly times: number };

/** A target that failed in a way that a broken network would show too. */
export type SuspectFailure = {
  readonly way: Way;
  /** Registrable domain. */
  readonly site: string;
  /** Its /16 of IPv4 or /32 of IPv6. */
  readonly network: string;
  /** What has to be the same: the issuer of a certificate; "" where nothing has. */
  readonly sign: string;
  readonly at: number;
};

/**
 * What a worker knows of its own network. JSON: the worker keeps it over the ends of its runner process. Times are those of the machine's
 * steady clock, in ms.
 */
export type VantageMemory = {
  /** When each question to a control was sent, within the last hour, by what it was asked for. */
  asked: { readonly [P in Purpose]: readonly number[] };
  surveyedAt: number | null;
  works: { readonly [W in Way]?: number };
  lacks: { readonly [W in Way]?: Lack };
  suspects: readonly SuspectFailure[];
  /** Prefixes of NAT64 that the resolver names (RFC 7050), "64:ff9b::/96"; null until it has said so. */
  nat64: readonly string[] | null;
  /** Addresses that the resolver gives to names that do not exist. */
  rewrites: readonly string[];
  /** How far this machine's clock is from the right time; null where it is right, or nobody can say. */
  clock: ClockFault | null;
};

/** Why a control is asked: once an hour, or because a target failed. Neither uses up the other's questions. */
export type Purpose = 'survey' | 'failures';

/** A wrong clock: what is to be added to it, ms; at least `offsetMs` and at most `mostMs` where only bounds are known. */
export type ClockFault = { readonly offsetMs: number; readonly mostMs: number };

/** What the resolver adds to answers. */
export type ResolverTraits = { readonly nat64: readonly string[]; readonly rewrites: readonly string[] };

export const emptyMemory: VantageMemory = {
  asked: { survey: [], failures: [] },
  surveyedAt: null,
  works: {},
  lacks: {},
  suspects: [],
  nat64: null,
  rewrites: [],
  clock: null,
};

/** Questions to controls in an hour, for each purpose. */
export const askLimit = 30;
const hourMs = 3_600_000;
/** A control speaks for so long of failures that come after it. */
export const youngMs = 60_000;
/** What was missing several times in a row is asked for less often. */
const longestTrustMs = 300_000;
/** So many unrelated targets, within this time, stand in for a control. */
const standIn = { sites: 3, withinMs: 900_000, kept: 200 } as const;

/** What is missing as far as anybody knows, in the usual order. */
export function missingOf(memory: VantageMemory): readonly VantageKind[] {
  return kindsOf(lackingWays(memory));
}

/** The same, as it is asked for. */
export function lackingWays({ lacks }: VantageMemory): readonly Way[] {
  return (Object.keys(lacks) as Way[]).filter((way) => lacks[way] !== undefined);
}

/** Whether a control found it missing so lately that nobody need ask again. */
export function isLackTrusted({ lacks }: VantageMemory, way: Way, now: number): boolean {
  const lack = lacks[way];
  return lack !== undefined && now - lack.at < Math.min(lack.times * youngMs, longestTrustMs);
}

/** The memory after something of this kind was seen to work. */
export function noteWorks(memory: VantageMemory, way: Way, now: number): VantageMemory {
  const { [way]: _lack, ...lacks } = memory.lacks;
  return {
    ...memory,
    lacks,
    works: { ...memory.works, [way]: now },
    suspects: memory.suspects.filter((one) => one.way !== way),
  };
}

/** The memory after a control of this kind failed. */
export function noteLacks(memory: VantageMemory, way: Way, now: number): VantageMemory {
  const times = (memory.lacks[way]?.times ?? 0) + 1;
  return { ...memory, lacks: { ...memory.lacks, [way]: { at: now, times } } };
}

/** The memory after a question to a control; undefined where this hour has had all of them. */
export function noteAsked(memory: VantageMemory, purpose: Purpose, now: number): VantageMemory | undefined {
  const asked = memory.asked[purpose].filter((at) => now - at < hourMs);
  if (asked.length >= askLimit) return undefined;
  return { ...memory, asked: { ...memory.asked, [purpose]: [...asked, now] } };
}

/** The memory after a target failed for which there was no control. */
export function noteSuspect(memory: VantageMemory, failure: SuspectFailure): VantageMemory {
  const others = memory.suspects.filter(
    ({ way, site, at }) =>
      failure.at - at < standIn.withinMs && !(way === failure.way && site === failure.site),
  );
  return { ...memory, suspects: [...others.slice(1 - standIn.kept), failure] };
}

/** Whether unrelated targets failed so alike that they stand in for a control: three domains on three networks, while none worked. */
export function doSuspectsAgree(memory: VantageMemory, { way, sign, at }: SuspectFailure): boolean {
  const since = at - standIn.withinMs;
  if ((memory.works[way] ?? -Infinity) > since) return false;
  const alike = memory.suspects.filter((one) => one.way === way && one.sign === sign && one.at > since);
  const countOf = (values: readonly string[]) => new Set(values).size;
  return (
    countOf(alike.map(({ site }) => site)) >= standIn.sites &&
    countOf(alike.map(({ network }) => network)) >= standIn.sites
  );
}
