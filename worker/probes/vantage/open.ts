import { setTimeout as delay } from 'node:timers/promises';
import type { VantageKind } from '#shared/model/vantage';
import {
  isLacking,
  judgeFailure,
  type Knowledge,
  noteWorked,
  openKnowledge,
  type VantageSettings,
} from './knowledge.ts';
import {
  type ClockFault,
  emptyMemory,
  lackingWays,
  type ResolverTraits,
  type VantageMemory,
} from './memory.ts';
import { ipv4Inside } from './nat64.ts';
import type { Suspicion } from './port.ts';
import { type Family, kindOf, kindsOf, textOf, type Way } from './ways.ts';

/** Whose failure it was. `untried`: nobody else of the kind could be asked, so that it counts as the target's. */
export type Blame = { readonly ours: string } | { readonly ours: undefined; readonly untried: boolean };

/** What one run asks of the network that it runs in. */
export type RunVantage = {
  /** Why nothing of this kind need be tried, a clause; undefined where it may work. */
  lacks(ways: readonly Way[]): Promise<string | undefined>;
  /** The one place that says whose failure it was. */
  blame(suspicion: Suspicion): Promise<Blame>;
  /** The same of a port that has no control of its own: it is shut where those of https and of DNS are. */
  blameAnyPort(family: Family, suspicion: Omit<Suspicion, 'ways'>): Promise<Blame>;
  worked(...ways: readonly Way[]): void;
  /** Whether it was seen to work so lately, by anybody. */
  workedWithin(way: Way, ms: number): boolean;
  /** Notes that this run met what is missing. */
  meet(way: Way): string;
  /** Notes that it may be missing, so that a control is asked beside the run. */
  suspect(way: Way): void;
  /** What the resolver adds to answers, learnt once an hour. */
  traits(): Promise<ResolverTraits>;
  /** What is known of them now. */
  knownTraits(): ResolverTraits;
  /** Waits until it is known whether there is a NAT64, 3 s at most; false where nobody says: an address of IPv6 may then be anybody's. */
  knowsNat64(): Promise<boolean>;
  /** Whether the resolver hides types of records; asks where nobody knows. */
  hidesTypes(): Promise<boolean>;
  /** The IPv4 address that a NAT64 would reach by this one. */
  inside(address: string): string | undefined;
  /** Kinds that this run met, in their order. */
  missing(): readonly VantageKind[];
  /** Kinds of which something failed in this run while no control could be asked. */
  untried(): readonly VantageKind[];
  /** Something is not valid now: controls are asked for the time, unless they were within an hour. */
  suspectClock(): Promise<void>;
  /** How wrong this machine's clock is; null where it is right as far as anybody knows. */
  clock(): ClockFault | null;
};

export type Vantage = {
  openRun(): RunVantage;
  /** What is missing as far as is known. */
  missing(): readonly Way[];
  /** Asks for all of it, unless that was done within the last hour. Never rejects: what is not answered in time is left as it was. */
  surveyOnceAnHour(): Promise<void>;
  /** What is known of this machine's clock. */
  clock(): ClockFault | null;
  /** Takes the memory of before. */
  load(memory: VantageMemory): void;
};

const hourMs = 3_600_000;

/** Added to a reason where the environment names a proxy: who reads it would look there first. */
const proxyNote =
  '; probes connect directly on purpose, as a proxy would be measured instead, so HTTP_PROXY and HTTPS_PROXY are ignored';
const proxyKinds: readonly VantageKind[] = ['ipv4', 'ipv6', 'dns-direct', 'https'];
/** The first connection over IPv6 waits for so long. */
const nat64Ms = 3000;

/** Opens what a process knows of its network. */
export function openVantage(settings: VantageSettings): Vantage {
  const knowledge = openKnowledge(settings);
  return {
    openRun: () => openRun(knowledge, settings.ignoresProxy),
    missing: () => lackingWays(knowledge.memory()),
    clock: () => knowledge.memory().clock,
    async surveyOnceAnHour() {
      const { surveyedAt } = knowledge.memory();
      if (surveyedAt !== null && knowledge.now() - surveyedAt < hourMs) return;
      knowledge.change((memory) => ({ ...memory, surveyedAt: knowledge.now() }));
      await Promise.all([knowledge.learnTraits(), knowledge.survey()]);
    },
    load: (before) => knowledge.change(() => before),
  };
}

function openRun(knowledge: Knowledge, ignoresProxy: boolean): RunVantage {
  const { memory, now } = knowledge;
  const met = new Set<Way>();
  const untriedWays = new Set<Way>();
  const meet = (way: Way) => {
    met.add(way);
    const kind = kindOf(way);
    const isProxied = ignoresProxy && proxyKinds.includes(kind);
    return `${textOf(way).reason}${isProxied ? proxyNote : ''}`;
  };
  const blame = async ({ ways, ...suspicion }: Suspicion): Promise<Blame> => {
    let untried = false;
    for (const way of ways) {
      const whose = await judgeFailure(knowledge, way, suspicion);
      if (whose === 'ours') return { ours: meet(way) };
      untried ||= whose === 'untried';
      if (whose === 'untried') untriedWays.add(way);
    }
    return { ours: undefined, untried };
  };
  return {
    ...openTraits(knowledge),
    async lacks(ways) {
      for (const way of ways) if (await isLacking(knowledge, way)) return meet(way);
      return undefined;
    },
    blame,
    async blameAnyPort(family, suspicion) {
      const ways = [`https/${family}`, `dns-direct/${family}`] as const;
      for (const way of ways)
        if ((await judgeFailure(knowledge, way, { ...suspicion, isEarly: true })) !== 'ours')
          return { ours: undefined, untried: false };
      return { ours: meet(ways[0]) };
    },
    worked(...ways) {
      for (const way of ways) noteWorked(knowledge, way);
    },
    workedWithin: (way, ms) => now() - (memory().works[way] ?? -Infinity) < ms,
    meet,
    suspect(way) {
      void blame({ ways: [way], since: now(), isEarly: true }); // never rejects
    },
    missing: () => kindsOf(met),
    untried: () => kindsOf(untriedWays),
  };
}

/** What a run asks of the resolver's ways and of the clock. */
function openTraits({ memory, ask, now, learnTraits, learnNat64, learnClock }: Knowledge) {
  return {
    async traits() {
      await learnTraits();
      return traitsOf(memory());
    },
    knownTraits: () => traitsOf(memory()),
    async knowsNat64() {
      if (memory().nat64 === null)
        await Promise.race([learnNat64(), delay(nat64Ms, undefined, { ref: false })]);
      return memory().nat64 !== null;
    },
    async hidesTypes() {
      const { works, lacks } = memory();
      const knownAt = Math.max(works['dns-types'] ?? -Infinity, lacks['dns-types']?.at ?? -Infinity);
      if (now() - knownAt > hourMs) await ask('dns-types');
      return memory().lacks['dns-types'] !== undefined;
    },
    inside: (address: string) => ipv4Inside(address, memory().nat64 ?? []),
    suspectClock: () => learnClock(),
    clock: () => memory().clock,
  };
}

function traitsOf({ nat64, rewrites }: VantageMemory): ResolverTraits {
  return { nat64: nat64 ?? [], rewrites };
}

/** Of a network of which nothing is known, and that nobody asks: for labs, and for the controls themselves. */
export const trustedNetwork: RunVantage = {
  lacks: async () => undefined,
  blame: async () => ({ ours: undefined, untried: false }),
  blameAnyPort: async () => ({ ours: undefined, untried: false }),
  worked: () => undefined,
  workedWithin: () => true,
  meet: (way) => textOf(way).reason,
  suspect: () => undefined,
  traits: async () => traitsOf(emptyMemory),
  knownTraits: () => traitsOf(emptyMemory),
  knowsNat64: async () => true,
  hidesTypes: async () => false,
  inside: () => undefined,
  missing: () => [],
  untried: () => [],
  suspectClock: async () => undefined,
  clock: () => null,
};
