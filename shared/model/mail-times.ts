import { hash } from 'node:crypto';

const dayMs = 86_400_000;
const spreadMs = 3_600_000;

/** Messages that an address gets a day, over all accounts. What comes beyond is told by one digest. */
export const mailsOfDay = 20;
/** Questions that an address gets a day whether it may be told, over all accounts. */
export const confirmationsOfDay = 3;
/** Questions a day that an account has sent, to whatever addresses. */
export const confirmationsOfAccount = 20;

/** The day (UTC) that a moment counts for, and its end. Unix ms. */
export function dayOf(now: number): { readonly name: string; readonly end: number } {
  const start = Math.floor(now / dayMs) * dayMs;
  return { name: new Date(start).toISOString().slice(0, 10), end: start + dayMs };
}

/** When the digest of a mailbox is sent: in the first hour of the day after, each mailbox at a moment of its own. */
export function digestTime(mailboxId: string, now: number): number {
  const place = Number.parseInt(hash('sha256', mailboxId).slice(0, 8), 16) % spreadMs;
  return dayOf(now).end + place;
}
