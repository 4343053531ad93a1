import type { Observation } from '../../../dns/observation.ts';
import type { HeldBack } from '../../../dns/questions.ts';
import type { DnsAnswer } from '../../../probes/dns/port.ts';
import type { ApexType } from '../halves.ts';

/** All that the DNS half has seen. JSON; nothing in it is judged. */
export type DnsEvidence = {
  readonly domain: string;
  /** When the first question was asked, Unix s; what signatures are compared with. */
  readonly askedAtS: number;
  readonly apex: ApexAnswers;
  /**
   * The same questions once more with checking disabled, where the resolver had answered SERVFAIL; and to a server of the domain, where the
   * resolver was told that there is no such domain while servers of the parent delegate it.
   */
  readonly unchecked: Partial<ApexAnswers>;
  /** And once more as before, but without DNSSEC: a server that was slow for once has answered by now. */
  readonly secondTry: Partial<ApexAnswers>;
  /** The root's SOA: a resolver that validates says so here. */
  readonly root: DnsAnswer;
  /** Names above the domain, nearest first. */
  readonly ancestors: readonly Ancestor[];
  readonly www: { readonly A: DnsAnswer; readonly AAAA: DnsAnswer };
  /** The address of a random name below the domain. */
  readonly random: DnsAnswer;
  /** What the parent zone's own servers say of the domain's NS, with the DS in the referral (RFC 4035 §3.1.4). */
  readonly referrals: readonly DnsAnswer[];
  /** How many servers the parent zone names; those that were asked stand in `referrals`. Absent in evidence of before. */
  readonly parentServers?: number;
  /**
   * What those of them that serve the domain too say of its DS, which is the parent's word; and what those that denied the delegation
   * answered when they were asked once more. Absent where there were none.
   */
  readonly parentAgain?: readonly DnsAnswer[];
  /** What one of them answers by TCP; absent where a server of the domain answers by TCP itself. */
  readonly parentTcp?: DnsAnswer;
  readonly hosts: readonly HostAnswers[];
  readonly servers: readonly ServerAnswers[];
  /** Absent where no transfer may be asked for. */
  readonly transfers?: readonly TransferAnswer[];
  /** Who announces the name servers' networks; absent where no zone is named that tells it. */
  readonly origins?: readonly OriginAnswer[];
  /** Addresses of name servers beyond the limit. */
  readonly notAsked: number;
  /** Records as one of the domain's servers gives them, with the TTL of the zone. */
  readonly direct: readonly DnsAnswer[];
  /** Whether RNAME's mail domain takes mail; absent where the resolver gave no RNAME that is an address. */
  readonly mailbox?: MailboxAnswers;
  /** The addresses of the primary that the SOA names, where it is none of the name servers. */
  readonly primary?: HostAnswers;
  /** What was seen behind a lookup of CAA that fails for everybody; absent where none does. */
  readonly caa?: readonly Observation[];
  /** The names that HTTPS records lead to, up to a limit; absent in evidence of before. */
  readonly bindingTargets?: readonly HostAnswers[];
  /** Names in any of the run's answers that are not public, and were not looked up; absent in evidence of before. */
  readonly refused?: HeldBack['refused'];
};

/** What a name server answered to the question for a transfer of the zone. */
export type TransferAnswer = ServerAddress & {
  readonly answer:
    | { readonly kind: 'open'; readonly records: number }
    | { readonly kind: 'refused'; readonly rcode: string }
    | { readonly kind: 'failure'; readonly code: string; readonly reason: string };
};

/** The answer of an origin-ASN zone about an address: TXT records "AS | prefix | country | registry | date". */
export type OriginAnswer = { readonly address: string; readonly answer: DnsAnswer };

export type ServerAddress = { readonly name: string; readonly address: string };

export type ApexAnswers = { readonly [T in ApexType]: DnsAnswer };

export type Ancestor = {
  /** "" is the root, whose CAA is never asked. */
  readonly name: string;
  readonly ns: DnsAnswer;
  readonly caa: DnsAnswer | null;
};

/** A host's name with the answers to its addresses. */
export type HostAnswers = { readonly name: string; readonly A: DnsAnswer; readonly AAAA: DnsAnswer };

/** What the DNS says of a mail domain. */
export type MailboxAnswers = HostAnswers & {
  readonly MX: DnsAnswer;
  /** The hosts that MX names, the preferred ones first; those beyond the limit are left out. */
  readonly exchanges: readonly HostAnswers[];
};

/** What one address of a name server answered. */
export type ServerAnswers = {
  readonly name: string;
  readonly address: string;
  readonly soa: DnsAnswer;
  /** Asked without EDNS, so that a server or firewall that drops EDNS can be told from a silent one. */
  readonly ns: DnsAnswer;
  /** By TCP, without EDNS too: one thing is tried at a time. */
  readonly tcp: DnsAnswer;
  /** A foreign name, with recursion desired. */
  readonly foreign: DnsAnswer;
  /** Asked in mixed case. Absent in evidence of before, and of a server that answered nothing else. */
  readonly mx?: DnsAnswer;
  /** The same as it is usually written; asked where the server answered an error, that there is no such name, or nothing. */
  readonly plainMx?: DnsAnswer;
  /** With its signatures; asked where the zone is signed. */
  readonly dnskey?: DnsAnswer;
  /** What it asks the parent to enter; asked where the zone is signed. Absent in evidence of before. */
  readonly cds?: DnsAnswer;
  /** The same as keys; asked where the resolver saw either. */
  readonly cdnskey?: DnsAnswer;
  /** A random name below the domain, with DNSSEC; asked where the zone is signed. */
  readonly absentName?: DnsAnswer;
  /** A type that no domain has at its own name, with DNSSEC; asked where the zone is signed. */
  readonly absentType?: DnsAnswer;
  /** What it has itself of what the resolver was told is not there, or its own proofs say is not there. */
  readonly owns?: readonly DnsAnswer[];
  /** Its answers to questions that make it prove such a denial. */
  readonly proofs?: readonly DnsAnswer[];
  /** The SOA by EDNS of version 1, which does not exist. */
  readonly nextEdns?: DnsAnswer;
  /** The SOA with an EDNS option that nobody knows. */
  readonly unknownOption?: DnsAnswer;
};
