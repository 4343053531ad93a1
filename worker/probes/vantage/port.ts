import type { DnsAnswer, DnsAskOptions, DnsQuestion } from '../dns/port.ts';
import type { ClockFault, Purpose, ResolverTraits } from './memory.ts';
import type { Family, Way } from './ways.ts';

/** What a control says. `unsure`: there was none to ask, or it speaks of something else. */
export type Outcome = 'works' | 'fails' | 'unsure';

export type ControlNotes = {
  readonly purpose: Purpose;
  /** Takes one of the questions of this hour; false where none is left. */
  mayAsk(): boolean;
  works(way: Way): void;
  /** The prefix of the NAT64 that the resolver names. */
  nat64(): string | undefined;
  keepTraits(traits: Partial<ResolverTraits>): void;
  keepClock(fault: ClockFault | null): void;
};

/** Of whom a control is asked: hosts of the failing one's kind. */
export type ControlSubject = { readonly host?: string; readonly hasNoRoute?: boolean };

export type Controls = {
  ask(way: Way, about: ControlSubject): Promise<Outcome>;
  /** Whether unrelated targets stand in where there is no control of it. */
  hasStandIn(way: Way): boolean;
  /** Asks the resolver what it adds to answers: addresses for names that do not exist, and those of a NAT64. */
  learnRewrites(): Promise<void>;
  learnNat64(): Promise<void>;
  /** What is asked for at the start and once an hour. */
  readonly surveyed: readonly Way[];
};

/** What came of an https connection to a control. */
export type HttpsOutcome =
  /** `isAbsent`: it has no address of the family. */
  | { readonly kind: 'unknown'; readonly isAbsent?: true }
  | { readonly kind: 'not-connected' }
  /** Connected, and then nothing came. */
  | { readonly kind: 'silent' }
  | {
      readonly kind: 'secured';
      /** Its chain leads to a public root. */
      readonly isPublic: boolean;
      /** Its chain leads to nobody that is known, or to somebody whom only this machine trusts: never so by its times alone. */
      readonly isStrange: boolean;
      /** By a root that only this machine trusts. */
      readonly isKnown: boolean;
      /** What its Date has more than our clock, ms, where its chain is trusted at that time. */
      readonly aheadMs?: number;
    };

/** A host that answers https and is no target. */
export type ControlHost = {
  readonly host: string;
  /** Who runs it: two of one operator may fail together. */
  readonly operator: string;
  /** What is asked for its clock, by HEAD. */
  readonly path: string;
  /** By the operator of this service: its certificate may be one of an authority of its own. */
  readonly isNamed: boolean;
};

export type ControlWire = {
  /** Asks a server without recursion, as name servers are asked; `trySpan` ms at most. */
  askServer(
    address: string,
    question: DnsQuestion,
    options: Pick<DnsAskOptions, 'edns' | 'dnssecOk' | 'transport'>,
  ): Promise<DnsAnswer>;
  askResolver(question: DnsQuestion, options?: DnsAskOptions): Promise<DnsAnswer>;
  hasRoute(family: Family): Promise<boolean>;
  /** Shakes hands with a host on port 443. @param asksDate whether it is asked for its clock too */
  lookAtHttps(host: ControlHost, family: Family, asksDate: boolean): Promise<HttpsOutcome>;
  /** Those that may be asked, the operator's own first. */
  readonly controlHosts: readonly ControlHost[];
  /** Those of the registry of a target's domain, as registrable domains: none of them tells anything of it. */
  registriesOf(host: string): readonly string[];
  readonly now: () => number;
};

/** A failure that may be our own network's. */
export type Suspicion = {
  /** What could be missing here, the likeliest first. */
  readonly ways: readonly Way[];
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
