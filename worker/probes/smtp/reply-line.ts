import { type Malformed, malformed } from '#shared/model/verdict';
import type { ReplyRead } from './port.ts';

/** One line of a reply (RFC 5321 §4.2.1). */
export type ReplyLine = { readonly code: number; readonly isLast: boolean; readonly text: string };

/** Reads a line without its end: three digits, the first from 2 to 5, then nothing, or a space or hyphen and a text. */
export function parseReplyLine(line: string): ReplyLine | Malformed {
  const [, digits, separator = ' ', text = ''] = /^([2-5][0-9]{2})(?:([ -])(.*))?$/s.exec(line) ?? [];
  if (digits === undefined) return malformed('a line is no reply of SMTP');
  return { code: Number(digits), isLast: separator === ' ', text };
}

/** True for a reply with this code. */
export function hasCode(
  read: ReplyRead | null,
  code: number,
): read is Extract<ReplyRead, { readonly kind: 'reply' }> {
  return read?.kind === 'reply' && read.code === code;
}

/** Whether STARTTLS stands where the server's name belongs, in the first line of its answer to EHLO: senders do not look there (RFC 5321 §4.1.1.1). */
export function isStartTlsMisplaced(ehlo: ReplyRead | null): boolean {
  return hasCode(ehlo, 250) && /^STARTTLS(?: |$)/i.test(ehlo.lines[0] ?? '');
}

/** Whether a server offers STARTTLS in its answer to EHLO (RFC 3207 §2). */
export function offersStartTls(ehlo: ReplyRead | null): boolean {
  return hasCode(ehlo, 250) && ehlo.lines.slice(1).some((line) => /^STARTTLS(?: |$)/i.test(line));
}
