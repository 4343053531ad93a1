import { vantageKinds, type VantageKind } from '#shared/model/vantage';

/** A kind that controls found missing: when last, and how often in a row. */
type Lack = { readonly at: number; readonly times: number };

/** A target that failed in a way that a broken network would show too. */
export type SuspectFailure = {
  readonly kind: VantageKind;
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
  /** When each question to a control was sent, within the last hour. */
  asked: readonly number[];
  surveyedAt: number | null;
  works: { readonly [K in VantageKind]?: number };
  lacks: { readonly [K in VantageKind]?: Lack };
  suspects: readonly SuspectFailure[];
  /** Prefixes of NAT64 that the resolver names (RFC 7050), "64:ff9b::/96". */
  nat64: readonly string[];
  /** Addresses that the resolver gives to names that do not exist. */
  rewrites: readonly string[];
};

/** What the resolver adds to answers. */
export type ResolverTraits = Pick<VantageMemory, 'nat64' | 'rewrites'>;

export const emptyMemory: VantageMemory = {
  asked: [],
  surveyedAt: null,
  works: {},
  lacks: {},
  suspects: [],
  nat64: [],
  rewrites: [],
};

/** Questions to controls in an hour. */
export const askLimit = 60;
const hourMs = 3_600_000;
/** A control speaks for so long of failures that come after it. */
export const youngMs = 60_000;
/** What was missing several times in a row is asked for less often. */
const longestTrustMs = 300_000;
/** So many unrelated targets, within this time, stand in for a control. */
const standIn = { sites: 3, withinMs: 900_000, kept: 200 } as const;

/** What is missing as far as anybody knows, in the usual order. */
export function missingOf({ lacks }: VantageMemory): readonly VantageKind[] {
  return vantageKinds.filter((kind) => lacks[kind] !== undefined);
}

/** Whether a control found it missing so lately that nobody need ask again. */
export function isLackTrusted({ lacks }: VantageMemory, kind: VantageKind, now: number): boolean {
  const lack = lacks[kind];
  return lack !== undefined && now - lack.at < Math.min(lack.times * youngMs, longestTrustMs);
}

/** The memory after something of this kind was seen to work. */
export function noteWorks(memory: VantageMemory, kind: VantageKind, now: number): VantageMemory {
  const { [kind]: _lack, ...lacks } = memory.lacks;
  return {
    ...memory,
    lacks,
    works: { ...memory.works, [kind]: now },
    suspects: memory.suspects.filter((one) => one.kind !== kind),
  };
}

/** The memory after a control of this kind failed. */
export function noteLacks(memory: VantageMemory, kind: VantageKind, now: number): VantageMemory {
  const times = (memory.lacks[kind]?.times ?? 0) + 1;
  return { ...memory, lacks: { ...memory.lacks, [kind]: { at: now, times } } };
}

/** The memory after a question to a control; undefined where this hour has had all of them. */
export function noteAsked(memory: VantageMemory, now: number): VantageMemory | undefined {
  const asked = memory.asked.filter((at) => now - at < hourMs);
  return asked.length >= askLimit ? undefined : { ...memory, asked: [...asked, now] };
}

/** The memory after a target failed for which there was no control. */
export function noteSuspect(memory: VantageMemory, failure: SuspectFailure): VantageMemory {
  const others = memory.suspects.filter(
    ({ kind, site, at }) =>
      failure.at - at < standIn.withinMs && !(kind === failure.kind && site === failure.site),
  );
  return { ...memory, suspects: [...others.slice(1 - standIn.kept), failure] };
}

/** Whether unrelated targets failed so alike that they stand in for a control: three domains on three networks, while none worked. */
export function doSuspectsAgree(memory: VantageMemory, { kind, sign, at }: SuspectFailure): boolean {
  const since = at - standIn.withinMs;
  if ((memory.works[kind] ?? -Infinity) > since) return false;
  const alike = memory.suspects.filter((one) => one.kind === kind && one.sign === sign && one.at > since);
  const countOf = (values: readonly string[]) => new Set(values).size;
  return (
    countOf(alike.map(({ site }) => site)) >= standIn.sites &&
    countOf(alike.map(({ network }) => network)) >= standIn.sites
  );
}
