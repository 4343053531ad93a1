import type { ReplyRead } from '../../../probes/smtp/port.ts';
import { hasCode, offersStartTls } from '../../../probes/smtp/reply-line.ts';

type Reply = Extract<ReplyRead, { readonly kind: 'reply' }>;

const shownOfReply = 200;

/** A reply in one line, cut: "554 5.7.1 not welcome". */
export function describeReply({ code, lines }: Reply): string {
  const text = lines.join(' ').trim();
  const whole = text === '' ? String(code) : `${code} ${text}`;
  return whole.length > shownOfReply ? `${whole.slice(0, shownOfReply - 1)}…` : whole;
}

/** The name in a greeting: the first word of a line, where that is a host name or an address literal (RFC 5321 §4.2). Of several lines not only the first has one. */
export function readName(greeting: ReplyRead): string | null {
  if (greeting.kind !== 'reply') return null;
  return greeting.lines.map(firstWord).find(isName) ?? null;
}

/** The name in an answer to EHLO (RFC 5321 §4.1.1.1): the lines after the first are extensions. */
export function readEhloName(ehlo: ReplyRead | null): string | null {
  const word = hasCode(ehlo, 250) ? firstWord(ehlo.lines[0] ?? '') : '';
  return isName(word) ? word : null;
}

function firstWord(line: string): string {
  return /^\S+/.exec(line)?.[0] ?? '';
}

function isName(word: string): boolean {
  if (/^\[[0-9a-f.:]+\]$|^\[IPv6:[0-9a-f.:]+\]$/i.test(word)) return true;
  return (
    word.length <= 253 && /^(?:[a-z0-9_](?:[a-z0-9_-]{0,62})\.)+[a-z](?:[a-z0-9-]{0,62})\.?$/i.test(word)
  );
}

/** What a server can do, by its answer to EHLO (RFC 5321 §4.1.1.1). */
export type Ehlo = { readonly extensions: readonly string[]; readonly offersStartTls: boolean };

/** Reads it; an answer that declines has no extensions. */
export function readEhlo(read: ReplyRead | null): Ehlo {
  if (read === null || !hasCode(read, 250)) return { extensions: [], offersStartTls: false };
  return {
    extensions: read.lines.slice(1).filter((line) => line !== ''),
    offersStartTls: offersStartTls(read),
  };
}
