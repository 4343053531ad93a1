import type { StartTlsState } from '#shared/catalogue/smtp-check/report';
import { isNotAsked } from '#shared/model/failure';
import type { ReplyRead } from '../../../probes/smtp/port.ts';
import { hasCode } from '../../../probes/smtp/reply-line.ts';
import type { AddressObservation, MailHandshake, TalkObservation } from '../evidence.ts';
import { describeReply, readEhlo } from './replies.ts';

/** Whether mail can be sent encrypted to an address, as far as its host was willing to talk. */
export type StartTls = {
  readonly state: StartTlsState;
  /** A clause; null where the state says it all. */
  readonly reason: string | null;
  /** Every sender that asks for encryption fails there, now and later. */
  readonly isHopeless: boolean;
  /** The conversation in which a handshake was completed, and that handshake. */
  readonly talk: Talked | null;
  readonly connection: Connection | null;
};

export type Talked = Extract<TalkObservation, { readonly kind: 'talked' }>;
export type Connection = Extract<MailHandshake, { readonly kind: 'connected' }>;

/** True where STARTTLS was offered and no handshake came of it, for another reason than an answer that declines it. */
export function isHandshakeFailed(talk: TalkObservation): boolean {
  return talk.kind === 'talked' && describeFailure(talk) !== null;
}

/** Reads both conversations of an address that answered EHLO. */
export function readStartTls({ first, second }: Pick<AddressObservation, 'first' | 'second'>): StartTls {
  if (first.kind !== 'talked') return unknownStartTls(null);
  const offered = readOffer(first);
  if (offered !== null) return offered;
  return readConnection(first) ?? readRetry(first, second?.offer === 'legacy' ? second.talk : null);
}

const unseen = { talk: null, connection: null } as const;

/** Nothing is known of it. @param reason a clause */
export function unknownStartTls(reason: string | null): StartTls {
  return { state: 'unknown', reason, isHopeless: false, ...unseen };
}

/** What was settled before a handshake; null where one was tried, or the server fell silent. */
function readOffer({ ehlo, startTls }: Talked): StartTls | null {
  if (!readEhlo(ehlo).offersStartTls)
    return { state: 'missing', reason: 'it does not offer STARTTLS', isHopeless: true, ...unseen };
  if (startTls?.kind !== 'reply' || startTls.code === 220) return null;
  const reason = `it answers STARTTLS with ${describeReply(startTls)}`;
  return { state: 'refused', reason, isHopeless: startTls.code >= 500, ...unseen };
}

function readConnection(talk: Talked): StartTls | null {
  if (talk.handshake?.kind !== 'connected') return null;
  return { state: 'ok', reason: null, isHopeless: false, talk, connection: talk.handshake };
}

/** A failure counts once it came twice; the second time every version, suite and group was offered. */
function readRetry(first: Talked, retry: TalkObservation | null): StartTls {
  const failure = describeFailure(first) ?? 'it did not answer';
  if (retry?.kind !== 'talked') return unknownStartTls(`${failure}, and a second try was not possible`);
  const connected = readConnection(retry);
  if (connected !== null) return connected;
  if (!isWilling(retry)) return unknownStartTls(`${failure}, and the host was not willing to try again`);
  const declined = readOffer(retry);
  if (declined !== null) return declined;
  const again = describeFailure(retry) ?? failure;
  return isOurs(first) || isOurs(retry)
    ? unknownStartTls(again)
    : { state: 'broken', reason: again, isHopeless: true, ...unseen };
}

function isWilling({ greeting, ehlo }: Talked): boolean {
  return hasCode(greeting, 220) && readEhlo(ehlo).offersStartTls;
}

/** Certificates that would keep this process busy for long are not checked here; other clients may check them. */
function isOurs({ handshake }: Talked): boolean {
  return handshake?.kind === 'failure' && isNotAsked(handshake.code);
}

function describeFailure({ ehlo, startTls, handshake }: Talked): string | null {
  if (!readEhlo(ehlo).offersStartTls || startTls === null) return null;
  if (startTls.kind !== 'reply') return describeEnd(startTls);
  return handshake?.kind === 'failure' ? handshake.reason : null;
}

function describeEnd(startTls: Exclude<ReplyRead, { readonly kind: 'reply' }>): string {
  switch (startTls.kind) {
    case 'closed':
      return 'the server closed the connection after STARTTLS';
    case 'reset':
      return 'the connection was reset after STARTTLS';
    case 'timeout':
      return 'the server did not answer STARTTLS';
    case 'malformed':
      return `what it answers to STARTTLS is no reply of SMTP: ${startTls.reason}`;
  }
}
