import type { FailureCode } from '#shared/model/failure';
import type { Json } from '#shared/model/verdict';

/** One question. `name` in ASCII without the last dot ("" is the root); `type` a mnemonic ("A", "HTTPS", "TYPE65534"). */
export type DnsQuestion = { readonly name: string; readonly type: string };

export type DnsAskOptions = {
  /** Ask this address directly, without recursion, instead of the configured resolvers. Judged by the guard: it is the target's choice. */
  readonly server?: string;
  /** EDNS with the DO bit: signatures come along, and AD and EDE mean something. */
  readonly dnssecOk?: boolean;
  /** CD: a validating resolver hands out what it would refuse as bogus. */
  readonly checkingDisabled?: boolean;
  /** RD. Default: on for resolvers, off for a chosen server. */
  readonly recursionDesired?: boolean;
  /** `udp` (default) goes on by TCP when the answer is truncated. */
  readonly transport?: 'udp' | 'tcp';
  /** Default true; false asks as before 1999. */
  readonly edns?: boolean;
  /** The version of EDNS that the query claims; default 0, the only one there is. */
  readonly ednsVersion?: number;
  /** Sends an EDNS option that nobody knows, which every server must ignore (RFC 6891 §6.1.2). */
  readonly unknownOption?: boolean;
  /** Asks with every other letter of the name in upper case; the answer then says whether it was kept. */
  readonly mixedCase?: boolean;
};

/**
 * `data` by type, all JSON: A AAAA NS CNAME DNAME PTR a string · MX {preference, exchange} · SOA {mname, rname, serial, refresh, retry, expire, minimum}
 * · TXT SPF {strings: string[], text} (each byte one character, latin1; `text` is joined without a blank) · CAA {flags, tag, value}
 * · DS CDS {keyTag, algorithm, digestType, digest} · DNSKEY CDNSKEY {flags, protocol, algorithm, key, keyTag}
 * · RRSIG {typeCovered, algorithm, labels, originalTtl, expiration, inception, keyTag, signerName, signature} (times in Unix s) · NSEC {nextName, types}
 * · NSEC3 {algorithm, flags, iterations, salt, nextHash, types} · NSEC3PARAM {algorithm, flags, iterations, salt} · TLSA {usage, selector, matchingType, certificate}
 * · HTTPS SVCB {priority, target, params: {alpn: [...], port, ipv4hint: [...], ech, mandatory: [...], keyN}} · others {rdata} · a record that breaks its own format {malformed, rdata}.
 * Digests, keys in DS, TLSA, salts and rdata are lower-case hex; DNSKEY keys and signatures base64. Names are lower case without the last dot; a dot inside a label is "\.".
 */
export type DnsRecord = {
  readonly name: string;
  readonly type: string;
  readonly ttl: number;
  readonly data: Json;
  /** Hex of the RDATA in the canonical form of RFC 4034 §6.2; only when `dnssecOk` was asked. */
  readonly rdata?: string;
};

export type DnsAnswer =
  | {
      readonly kind: 'answer';
      readonly question: DnsQuestion;
      /** NOERROR, NXDOMAIN, SERVFAIL, REFUSED, FORMERR, NOTIMP, … or RCODE16 and so on. */
      readonly rcode: string;
      readonly flags: {
        readonly aa: boolean;
        readonly tc: boolean;
        readonly ra: boolean;
        readonly ad: boolean;
      };
      readonly answers: readonly DnsRecord[];
      readonly authority: readonly DnsRecord[];
      readonly additional: readonly DnsRecord[];
      /** Extended DNS errors (RFC 8914). */
      readonly ede: readonly { readonly code: number; readonly text: string }[];
      /** null when the answer had no OPT record. */
      readonly edns: {
        readonly version: number;
        readonly udpSize: number;
        readonly dnssecOk: boolean;
      } | null;
      /** Whether the answer repeats the question letter by letter; only where `mixedCase` was asked, and the answer has the question in it. */
      readonly keepsCase?: boolean;
      readonly server: string;
      readonly transport: 'udp' | 'tcp';
      readonly rttMs: number;
      readonly sizeBytes: number;
    }
  | {
      readonly kind: 'failure';
      readonly question: DnsQuestion;
      readonly code:
        | 'timeout'
        | 'connection-refused'
        | 'network-unreachable'
        | 'malformed-answer'
        | 'target-address-not-allowed'
        | 'tcp-failed'
        | 'invalid-name'
        | 'not-from-here'
        | 'budget-spent';
      /** A sentence's end: "no answer within 3 tries". */
      readonly reason: string;
      readonly server: string;
    };

/** What a server sent, whatever it says. */
export type DnsReply = Extract<DnsAnswer, { kind: 'answer' }>;

/** What a name server says to a request for the whole zone. */
export type DnsTransfer =
  /** It began to send the zone; so many records stood in the first message. */
  | { readonly kind: 'open'; readonly records: number }
  /** `rcode` of its answer, or "closed" where it closed the connection instead. */
  | { readonly kind: 'refused'; readonly rcode: string }
  | {
      readonly kind: 'failure';
      readonly code: FailureCode | 'timeout' | 'malformed-answer' | 'invalid-name';
      readonly reason: string;
    };

/** Names without the last dot: of the zone for IPv4, whose labels are octets in reverse, and of that for IPv6, whose labels are nibbles. */
export type OriginZones = { readonly ipv4: string; readonly ipv6: string };

/** Asks the DNS. Equal questions of one run are asked once; answers of resolvers are cached by TTL. Throws only when the run is aborted, or for a defect. */
export interface DnsProbe {
  ask(question: DnsQuestion, options?: DnsAskOptions): Promise<DnsAnswer>;
  /** Asks one name server, by its address, for the whole zone over TCP, and closes after the first message. */
  transfer?(zone: string, server: string): Promise<DnsTransfer>;
  /** Zones that tell by TXT records which autonomous system announces an address; absent where the operator names none. */
  readonly originZones?: OriginZones | undefined;
}
