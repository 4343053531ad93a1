import { vantageKinds, vantageTexts, type VantageKind } from '#shared/model/vantage';
import { siteOf } from '#shared/targets/parse-target';
import { steadyNow } from '#shared/time/steady-time';
import {
  doSuspectsAgree,
  emptyMemory,
  isLackTrusted,
  missingOf,
  noteAsked,
  noteLacks,
  noteSuspect,
  noteWorks,
  youngMs,
  type ResolverTraits,
  type VantageMemory,
} from './memory.ts';
import { ipv4Inside } from './nat64.ts';
import type { Controls, ControlNotes, Outcome } from './port.ts';

/** A failure that may be our own network's. */
export type Suspicion = {
  /** What could be missing here, the likeliest first. */
  readonly kinds: readonly VantageKind[];
  /** When what failed was begun, by the steady clock: what worked since then rules our network out. */
  readonly since: number;
  /** The host that was asked, and its address. */
  readonly host?: string;
  readonly address?: string;
  /** The system itself knows no way to the address. */
  readonly hasNoRoute?: boolean;
  /** What other failures must have in common with it. */
  readonly sign?: string;
  /** It has not failed yet: nothing is concluded from it but what a control says. */
  readonly isEarly?: boolean;
};

/** Whose failure it was. `untried`: nobody else of the kind could be asked, so that it counts as the target's. */
export type Blame = { readonly ours: string } | { readonly ours: undefined; readonly untried: boolean };

/** What one run asks of the network that it runs in. */
export type RunVantage = {
  /** Why nothing of this kind need be tried, a clause; undefined where it may work. */
  lacks(kinds: readonly VantageKind[]): Promise<string | undefined>;
  /** The one place that says whose failure it was. */
  blame(suspicion: Suspicion): Promise<Blame>;
  worked(...kinds: readonly VantageKind[]): void;
  /** Notes that this run met what is missing. */
  meet(kind: VantageKind): string;
  /** Notes that it may be missing, so that a control is asked beside the run. */
  suspect(kind: VantageKind): void;
  /** What the resolver adds to answers, learnt once an hour. */
  traits(): Promise<ResolverTraits>;
  /** What is known of them now. */
  knownTraits(): ResolverTraits;
  /** Whether the resolver hides types of records; asks where nobody knows. */
  hidesTypes(): Promise<boolean>;
  /** The IPv4 address that a NAT64 would reach by this one. */
  inside(address: string): string | undefined;
  /** Kinds that this run met, in their order. */
  missing(): readonly VantageKind[];
};

export type Vantage = {
  openRun(): RunVantage;
  /** What is missing as far as is known. */
  missing(): readonly VantageKind[];
  /** Asks for all of it, unless that was done within the last hour. Never rejects: what is not answered in time is left as it was. */
  surveyOnceAnHour(): Promise<void>;
  /** Takes the memory of before. */
  load(memory: VantageMemory): void;
};

export type VantageSettings = {
  readonly controls: (notes: ControlNotes) => Controls;
  /** Whether an HTTP proxy is named in the environment. */
  readonly ignoresProxy: boolean;
  readonly tell?: ((memory: VantageMemory) => void) | undefined;
  readonly now?: () => number;
};

const hourMs = 3_600_000;

/** Added to a reason where the environment names a proxy: who reads it would look there first. */
const proxyNote =
  '; probes connect directly on purpose, as a proxy would be measured instead, so HTTP_PROXY and HTTPS_PROXY are ignored';
const proxyKinds: readonly VantageKind[] = ['ipv4', 'ipv6', 'dns-direct', 'https'];

/** Opens what a process knows of its network. */
export function openVantage(settings: VantageSettings): Vantage {
  const knowledge = openKnowledge(settings);
  const { controls, ask } = knowledge;
  return {
    openRun: () => openRun(knowledge, settings.ignoresProxy),
    missing: () => missingOf(knowledge.memory()),
    async surveyOnceAnHour() {
      const { surveyedAt } = knowledge.memory();
      if (surveyedAt !== null && knowledge.now() - surveyedAt < hourMs) return;
      knowledge.change((memory) => ({ ...memory, surveyedAt: knowledge.now() }));
      await knowledge.learnTraits();
      // One after the other: what is known of the first tells how to ask for the next.
      for (const kind of controls.surveyed) await ask(kind);
    },
    load: (before) => knowledge.change(() => before),
  };
}

/** What is known, and the controls by which more is learnt. */
type Knowledge = {
  readonly memory: () => VantageMemory;
  readonly change: (next: (memory: VantageMemory) => VantageMemory) => void;
  readonly controls: Controls;
  /** Asks a control of the kind; several at once ask one. */
  readonly ask: (kind: VantageKind, about?: Partial<Suspicion>) => Promise<Outcome>;
  /** When a control last showed that it works, by the steady clock. */
  readonly provedAt: (kind: VantageKind) => number;
  /** Asks the resolver what it adds to answers, once an hour. */
  readonly learnTraits: () => Promise<void>;
  readonly now: () => number;
};

function openKnowledge({ controls: make, tell, now = steadyNow }: VantageSettings): Knowledge {
  let memory = emptyMemory;
  const change: Knowledge['change'] = (next) => {
    memory = next(memory);
    tell?.(memory);
  };
  const proved = new Map<VantageKind, number>();
  const works = (kind: VantageKind) => {
    proved.set(kind, now());
    change((before) => noteWorks(before, kind, now()));
  };
  const controls = make({
    mayAsk() {
      const next = noteAsked(memory, now());
      if (next) change(() => next);
      return next !== undefined;
    },
    works,
    keepTraits: (traits) => change((before) => ({ ...before, ...traits })),
  });
  const asking = new Map<VantageKind, Promise<Outcome>>();
  const askControl = async (kind: VantageKind, about: Partial<Suspicion>): Promise<Outcome> => {
    const said = await controls.ask(kind, about).finally(() => asking.delete(kind));
    if (said === 'works') works(kind);
    if (said === 'fails') change((before) => noteLacks(before, kind, now()));
    return said;
  };
  let traits: { readonly at: number; readonly learnt: Promise<void> } | undefined;
  return {
    memory: () => memory,
    change,
    controls,
    now,
    provedAt: (kind) => proved.get(kind) ?? -Infinity,
    ask(kind, about = {}) {
      const outcome = asking.get(kind) ?? askControl(kind, about);
      asking.set(kind, outcome);
      return outcome;
    },
    learnTraits() {
      if (!traits || now() - traits.at > hourMs) traits = { at: now(), learnt: controls.learnTraits() };
      return traits.learnt;
    },
  };
}

/** Whose failure it was: the target's, ours, or the target's as nobody else of the kind could be asked. */
async function judgeFailure(
  knowledge: Knowledge,
  kind: VantageKind,
  suspicion: Suspicion,
): Promise<'ours' | 'theirs' | 'untried'> {
  const { memory, ask, provedAt, now } = knowledge;
  if ((memory().works[kind] ?? -1) >= suspicion.since) return 'theirs';
  if (isLackTrusted(memory(), kind, now())) return 'ours';
  // The resolver is our own: it may be asked as often as it fails.
  const youth = kind === 'resolver' ? youngMs / 20 : youngMs;
  if (now() - provedAt(kind) < youth) return 'theirs';
  const said = await ask(kind, suspicion);
  if (said !== 'unsure') return said === 'fails' ? 'ours' : 'theirs';
  if (memory().lacks[kind] !== undefined) return 'ours';
  return doOthersFailAlike(knowledge, kind, suspicion) ? 'ours' : 'untried';
}

/** Takes a failure down beside others for which there was no control; true where they agree that it is no target's. */
function doOthersFailAlike(
  { memory, change, controls, now }: Knowledge,
  kind: VantageKind,
  { host = '', address = '', sign = '', isEarly }: Suspicion,
): boolean {
  if (isEarly || !controls.hasStandIn(kind) || host === '' || host === address) return false;
  const failure = { kind, site: siteOf(host), network: networkOf(address), sign, at: now() };
  change((before) => noteSuspect(before, failure));
  // Only failures are explained by it. It is no lack, for which others would not even be tried: targets teach none.
  return doSuspectsAgree(memory(), failure);
}

async function isLacking({ memory, ask, now }: Knowledge, kind: VantageKind): Promise<boolean> {
  if (memory().lacks[kind] === undefined) return false;
  if (isLackTrusted(memory(), kind, now())) return true;
  // Where nobody can say, it is tried: what works ends the lack, and what fails is judged by a control of its own.
  return (await ask(kind)) === 'fails';
}

/** Between two times at which it is told that something works: a busy worker sees hundreds in a second. */
const tellEveryMs = 1000;

function noteWorked({ memory, change, now }: Knowledge, kind: VantageKind): void {
  const { works, lacks } = memory();
  const isNews = lacks[kind] !== undefined || now() - (works[kind] ?? -Infinity) > tellEveryMs;
  if (isNews) change((before) => noteWorks(before, kind, now()));
  else (works as { [K in VantageKind]?: number })[kind] = now();
}

function openRun(knowledge: Knowledge, ignoresProxy: boolean): RunVantage {
  const { memory, ask, now, learnTraits } = knowledge;
  const met = new Set<VantageKind>();
  const meet = (kind: VantageKind) => {
    met.add(kind);
    const isProxied = ignoresProxy && proxyKinds.includes(kind);
    return `${vantageTexts[kind].reason}${isProxied ? proxyNote : ''}`;
  };
  const blame = async (suspicion: Suspicion): Promise<Blame> => {
    let untried = false;
    for (const kind of suspicion.kinds) {
      const whose = await judgeFailure(knowledge, kind, suspicion);
      if (whose === 'ours') return { ours: meet(kind) };
      untried ||= whose === 'untried';
    }
    return { ours: undefined, untried };
  };
  return {
    async lacks(kinds) {
      for (const kind of kinds) if (await isLacking(knowledge, kind)) return meet(kind);
      return undefined;
    },
    blame,
    worked(...kinds) {
      for (const kind of kinds) noteWorked(knowledge, kind);
    },
    meet,
    suspect(kind) {
      void blame({ kinds: [kind], since: now(), isEarly: true }); // never rejects
    },
    async traits() {
      await learnTraits();
      return memory();
    },
    knownTraits: memory,
    async hidesTypes() {
      const { works, lacks } = memory();
      const knownAt = Math.max(works['dns-types'] ?? -Infinity, lacks['dns-types']?.at ?? -Infinity);
      if (now() - knownAt > hourMs) await ask('dns-types');
      return memory().lacks['dns-types'] !== undefined;
    },
    inside: (address) => ipv4Inside(address, memory().nat64),
    missing: () => vantageKinds.filter((kind) => met.has(kind)),
  };
}

/** The /16 of an IPv4 address, the /32 of an IPv6 address. */
function networkOf(address: string): string {
  return address.includes(':')
    ? address.split(':').slice(0, 2).join(':')
    : address.split('.').slice(0, 2).join('.');
}

/** Of a network of which nothing is known, and that nobody asks: for labs, and for the controls themselves. */
export const trustedNetwork: RunVantage = {
  lacks: async () => undefined,
  blame: async () => ({ ours: undefined, untried: false }),
  worked: () => undefined,
  meet: (kind) => vantageTexts[kind].reason,
  suspect: () => undefined,
  traits: async () => emptyMemory,
  knownTraits: () => emptyMemory,
  hidesTypes: async () => false,
  inside: () => undefined,
  missing: () => [],
};
