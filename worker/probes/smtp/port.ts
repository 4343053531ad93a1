import type { FailureCode } from '#shared/model/failure';
import type { Handshake } from '../tls/port.ts';

/** What came where a reply was due (RFC 5321 §4.2). */
export type ReplyRead =
  | {
      readonly kind: 'reply';
      readonly code: number;
      /** The texts behind the codes, each byte one character, cut to what RFC 5321 §4.5.3.1.5 allows. */
      readonly lines: readonly string[];
    }
  | { readonly kind: 'closed' | 'reset' | 'timeout' }
  /** No reply of SMTP, or a longer one than is read (`isOurLimit`); `reason` is a clause. */
  | {
      readonly kind: 'malformed';
      readonly reason: string;
      readonly text: string;
      readonly isOurLimit?: true;
    };

/**
 * modern: what today's mail servers send. legacy: every version, suite and group that OpenSSL still has, at security level 0.
 * old: the same, but nothing newer than TLS 1.1.
 */
export type MailOffer = 'modern' | 'legacy' | 'old';

export type TalkRequest = {
  readonly host: string;
  /** One of the host's addresses. */
  readonly address: string;
  /** SNI. */
  readonly servername: string;
  readonly offer: MailOffer;
  /** How long the whole of it may take, the wait for its turn included. */
  readonly limitMs: number;
};

/** A conversation with a mail host. What was not said, because of what came before, is null. */
export type Talk =
  | {
      readonly kind: 'talked';
      readonly address: string;
      readonly greeting: ReplyRead;
      readonly ehlo: ReplyRead | null;
      readonly startTls: ReplyRead | null;
      /** Bytes that came after the reply to STARTTLS and before the handshake; nobody read them. */
      readonly droppedBytes: number;
      readonly handshake: Handshake | null;
      readonly ehloAfter: ReplyRead | null;
      readonly ms: number;
    }
  | {
      readonly kind: 'failure';
      readonly code: FailureCode;
      readonly reason: string;
      readonly address: string | null;
      /** No connection was tried: other runs have asked the address as often as is allowed. */
      readonly isUnasked?: true;
    };

/** Whether this network lets connections to port 25 out. */
export type PortState = 'open' | 'blocked' | 'unknown';

/** Addresses of a mail host, all judged, or why none may be talked to. */
export type MailAddresses =
  | { readonly kind: 'addresses'; readonly addresses: readonly string[] }
  | { readonly kind: 'failure'; readonly code: FailureCode; readonly reason: string };

/** What was seen at an address, kept for all runs. */
export type KeptTalk = { readonly seenAt: number; readonly text: string };

/** Talks to mail hosts on port 25, as far as STARTTLS. Throws only when the run is aborted, or for a defect. */
export interface SmtpProbe {
  addresses(host: string): Promise<MailAddresses>;
  /** Greeting, EHLO, STARTTLS, handshake, EHLO, QUIT: never a sender, a recipient or a password. */
  talk(request: TalkRequest): Promise<Talk>;
  /** Asks a host that should answer, where there is one; once a minute at most. */
  lookAtPort(): Promise<PortState>;
  /**
   * What is known of a conversation with a mail host at an address, or what `look` sees now; equal looks of one process are made once.
   * @param since Unix ms; what was seen before then is looked at again
   */
  once(
    key: { readonly host: string; readonly address: string; readonly offer: MailOffer },
    since: number,
    look: () => Promise<KeptTalk & { readonly keepMs: number }>,
  ): Promise<KeptTalk>;
}
