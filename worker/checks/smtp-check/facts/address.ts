import type { AddressState } from '#shared/catalogue/smtp-check/report';
import type { PortState, ReplyRead } from '../../../probes/smtp/port.ts';
import { hasCode } from '../../../probes/smtp/reply-line.ts';
import type { TalkObservation } from '../evidence.ts';
import { describeReply } from './replies.ts';

/** Whether an address talks to us, and why not. */
export type AddressAnswer = {
  readonly state: AddressState;
  /** A clause; null where it talks. */
  readonly reason: string | null;
  /** What is wrong where it does not: `unreachable` and `not-smtp` are the host's, `declined` is about us, `unseen` is ours. */
  readonly fault: 'unreachable' | 'not-smtp' | 'declined' | 'unseen' | null;
};

const silences: readonly string[] = ['connection-timeout', 'connection-refused', 'connection-reset'];

/** True where no connection was made, as it would be where port 25 is blocked. */
export function isSilence(talk: TalkObservation): boolean {
  return talk.kind === 'failure' && silences.includes(talk.code);
}

/** Reads how far a host let us come. @param port whether connections leave this network */
export function readAnswer(talk: TalkObservation, port: PortState): AddressAnswer {
  if (talk.kind === 'failure') return readFailure(talk, port);
  const { greeting, ehlo } = talk;
  if (!hasCode(greeting, 220)) return readDeclined(greeting, 'a greeting');
  if (ehlo === null || hasCode(ehlo, 250) || isUnknownCommand(ehlo)) return answered;
  return readDeclined(ehlo, 'an answer to EHLO');
}

const answered: AddressAnswer = { state: 'ok', reason: null, fault: null };

/** EHLO itself is not known there, whoever sends it (RFC 5321 §4.2.4). */
export function isUnknownCommand(ehlo: ReplyRead | null): boolean {
  return ehlo?.kind === 'reply' && [500, 502, 504].includes(ehlo.code);
}

function readFailure(talk: Extract<TalkObservation, { kind: 'failure' }>, port: PortState): AddressAnswer {
  const { code, reason } = talk;
  if (!isSilence(talk)) return { state: 'unknown', reason, fault: 'unseen' };
  if (port === 'blocked')
    return {
      state: 'blocked-here',
      reason: 'the network of this service lets no connection to port 25 out',
      fault: 'unseen',
    };
  const state = code === 'connection-timeout' ? 'silent' : 'refused';
  // Where nobody else was heard on this port, the silence may be our own network's.
  return { state, reason, fault: port === 'open' ? 'unreachable' : 'unseen' };
}

function readDeclined(read: ReplyRead, wanted: string): AddressAnswer {
  switch (read.kind) {
    case 'reply':
      if (read.code >= 400)
        return {
          state: read.code < 500 ? 'temporary' : 'refused',
          reason: `it answers ${describeReply(read)}`,
          fault: 'declined',
        };
      return notSmtp(`it answers ${describeReply(read)} in place of ${wanted}`);
    case 'closed':
    case 'reset':
      return { state: 'refused', reason: `it ended the connection in place of ${wanted}`, fault: 'declined' };
    case 'timeout':
      return { state: 'silent', reason: `we waited in vain for ${wanted}`, fault: 'declined' };
    case 'malformed':
      if (read.isOurLimit) return { state: 'unknown', reason: read.reason, fault: 'unseen' };
      return notSmtp(read.text === '' ? read.reason : `${read.reason} ("${read.text.slice(0, 80)}")`);
  }
}

function notSmtp(reason: string): AddressAnswer {
  return { state: 'unknown', reason, fault: 'not-smtp' };
}
