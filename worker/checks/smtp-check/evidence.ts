import type { FailureCode } from '#shared/model/failure';
import type { Observation } from '../../dns/observation.ts';
import type { PolicyObservation } from '../../mail/fetch-policy.ts';
import type { MailOffer, PortState, ReplyRead } from '../../probes/smtp/port.ts';

/** What was seen of the mail hosts of a domain. JSON; nothing in it is judged. */
export type SmtpEvidence = {
  readonly domain: string;
  /** Unix ms at the start: the clock of every judgement. */
  readonly at: number;
  readonly mx: Observation;
  /** The addresses of the domain itself, which count where there is no MX. */
  readonly own: readonly [Observation, Observation];
  /** Whether our resolver vouches for signed names at all; null where the root was not answered. */
  readonly resolverValidates: boolean | null;
  readonly hosts: readonly MailHostObservation[];
  readonly hostsLeftOut: number;
  readonly sts: { readonly record: Observation; readonly policy: PolicyObservation | null };
  /** Whether connections to port 25 leave this network, as far as somebody had to ask. */
  readonly port: PortState;
  /** Certificates of the store that bear a name in any chain, base64 DER: what trust is judged by. */
  readonly anchors: readonly string[];
  /** Made by this run. */
  readonly connections: number;
};

export type MailHostObservation = {
  readonly host: string;
  readonly preference: number;
  /** A and AAAA. */
  readonly lookups: readonly [Observation, Observation];
  /** The CNAME record of the host by itself; null where the host is no alias. */
  readonly alias: Observation | null;
  /** The TLSA records at the name where senders look first, then at the others. */
  readonly tlsa: readonly Observation[];
  /** Why none of its addresses may be talked to. */
  readonly failure: { readonly code: FailureCode; readonly reason: string } | null;
  readonly addresses: readonly AddressObservation[];
};

export type AddressObservation = {
  readonly address: string;
  /** Unix ms of the first conversation; null where there was none, or where the caller is not told when others asked. */
  readonly seenAt: number | null;
  readonly first: TalkObservation;
  /** A second try where the handshake failed, or a look for old versions where it did not. */
  readonly second: SecondObservation | null;
};

export type SecondObservation = {
  readonly offer: Exclude<MailOffer, 'modern'>;
  readonly talk: TalkObservation;
};

/** A conversation, without what nobody judges. */
export type TalkObservation =
  | {
      readonly kind: 'talked';
      readonly greeting: ReplyRead;
      readonly ehlo: ReplyRead | null;
      readonly startTls: ReplyRead | null;
      readonly droppedBytes: number;
      readonly handshake: MailHandshake | null;
      readonly ehloAfter: ReplyRead | null;
      readonly ms: number;
    }
  | { readonly kind: 'failure'; readonly code: FailureCode; readonly reason: string };

export type MailHandshake =
  | {
      readonly kind: 'connected';
      readonly protocol: string;
      /** IANA's name. */
      readonly suite: string;
      readonly group: string | null;
      /** DER, base64, in the order sent; the first ten. */
      readonly certificates: readonly string[];
    }
  | {
      readonly kind: 'failure';
      readonly code: FailureCode;
      readonly opensslCode: string | null;
      readonly reason: string;
    };
