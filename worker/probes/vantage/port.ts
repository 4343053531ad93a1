import type { VantageKind } from '#shared/model/vantage';
import type { DnsAnswer, DnsAskOptions, DnsQuestion } from '../dns/port.ts';
import type { ResolverTraits } from './memory.ts';

/** What a control says. `unsure`: there was none to ask, or it speaks of something else. */
export type Outcome = 'works' | 'fails' | 'unsure';

export type ControlNotes = {
  /** Takes one of the questions of this hour; false where none is left. */
  mayAsk(): boolean;
  works(kind: VantageKind): void;
  keepTraits(traits: ResolverTraits): void;
};

/** Of whom a control is asked: hosts of the failing one's kind. */
export type ControlSubject = { readonly host?: string; readonly hasNoRoute?: boolean };

export type Controls = {
  ask(kind: VantageKind, about: ControlSubject): Promise<Outcome>;
  /** Whether unrelated targets stand in where there is no control of the kind. */
  hasStandIn(kind: VantageKind): boolean;
  learnTraits(): Promise<void>;
  /** Kinds that are asked for at the start and once an hour, in the order in which one tells of the next. */
  readonly surveyed: readonly VantageKind[];
};

export type Family = 4 | 6;

/** What came of an https connection to a control. */
export type HttpsOutcome =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'not-connected' }
  /** Connected, and then nothing came. */
  | { readonly kind: 'silent' }
  /** `isKnown`: by a root that only this machine trusts. */
  | { readonly kind: 'secured'; readonly isPublic: boolean; readonly isKnown: boolean };

export type ControlWire = {
  /** Asks a server without recursion, as name servers are asked; `trySpan` ms at most. */
  askServer(
    address: string,
    question: DnsQuestion,
    options: Pick<DnsAskOptions, 'edns' | 'dnssecOk' | 'transport'>,
  ): Promise<DnsAnswer>;
  askResolver(question: DnsQuestion, options?: DnsAskOptions): Promise<DnsAnswer>;
  hasRoute(family: Family): Promise<boolean>;
  /** Shakes hands with a host on port 443. */
  lookAtHttps(host: string, family?: Family): Promise<HttpsOutcome>;
  /** Hosts that answer https, beside those of the registry of a target. */
  readonly controlHosts: readonly string[];
  /** The host of the registry of a target's domain. */
  registryHostOf(host: string): string | undefined;
};
