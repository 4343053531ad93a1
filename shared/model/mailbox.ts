import { hash } from 'node:crypto';
import { z } from 'zod';

/** One addr-spec of ASCII (RFC 5321 §4.1.2): a dot-string and a name with two labels or more. No quotes, comments and literals. */
const addressText =
  /^(?=.{3,254}$)(?<local>[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*)@(?<domain>(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?)$/i;
const longestLocal = 64;

/** An e-mail address with its domain in lower case; undefined for what is none. Case counts before the "@" (RFC 5321 §2.4). */
export function readAddress(text: string): string | undefined {
  const { local, domain } = addressText.exec(text)?.groups ?? {};
  if (local === undefined || domain === undefined || local.length > longestLocal) return undefined;
  return `${local}@${domain.toLowerCase()}`;
}

const mailboxSchema = z.object({
  mailboxId: z.string(),
  account: z.string(),
  to: z.string(),
  /** What the links of its mail prove: that their reader got it. */
  confirmKey: z.string(),
  stopKey: z.string(),
  createdAt: z.int(),
  confirmedAt: z.int().nullable(),
});
/** An address that an account wants to be told at. Times are Unix ms. */
export type Mailbox = Readonly<z.infer<typeof mailboxSchema>>;

/** The mailbox of a row. Throws for a row that fits no schema of ours. */
export const readMailbox = (row: unknown): Mailbox => mailboxSchema.parse(row);

/** That an address wants no mail, whatever account sends it. It outlives its end: what was confirmed before has to be confirmed again. */
export type Stop = { readonly at: number; readonly isOn: boolean };

/** True where mail other than a confirmation may be sent. */
export function isConfirmed({ confirmedAt }: Mailbox, stop: Stop | undefined): boolean {
  return confirmedAt !== null && stop?.isOn !== true && confirmedAt > (stop?.at ?? 0);
}

/** The id of a mailbox: one of each account and address. */
export function mailboxIdOf(account: string, to: string): string {
  return hash('sha256', JSON.stringify(['mailbox', account, to.toLowerCase()])).slice(0, 32);
}

/** The id of the message that asks a mailbox to confirm: another one after each stop. */
export function questionIdOf(mailboxId: string, stop: Stop | undefined): string {
  return `evt_${hash('sha256', `${mailboxId} ${stop?.at ?? 0}`).slice(0, 32)}_mail`;
}

/** What is kept of an address that wants no mail. */
export function digestOfAddress(to: string): string {
  return hash('sha256', `address ${to.toLowerCase()}`);
}

/** Whose messages are counted: what stands behind a "+" leads to the same person at most providers. */
export function digestOfPerson(to: string): string {
  const [local = '', domain = ''] = to.toLowerCase().split('@');
  return hash('sha256', `person ${local.replace(/(?<=.)\+.*$/s, '')}@${domain}`);
}
