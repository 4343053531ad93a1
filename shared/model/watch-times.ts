import { hash } from 'node:crypto';
import type { Watch } from './watch.ts';

/**
 * When the next turn of a target is: the turns of a watch lie spread over its interval, each target's always at the same place in it, so that
 * neither a bulk of watches nor a restart brings them together.
 * @param after Unix ms; the turn lies behind it, by one interval at most
 */
export function nextTurn(
  { watchId, everySeconds }: Pick<Watch, 'watchId' | 'everySeconds'>,
  target: string,
  after: number,
): number {
  const everyMs = everySeconds * 1000;
  const place = Number.parseInt(hash('sha256', `${watchId} ${target}`).slice(0, 12), 16) % everyMs;
  const turns = Math.floor((after - place) / everyMs) + 1;
  return place + turns * everyMs;
}

/** A second look comes so long after the first, or a sixth of the interval where that is shorter. */
const secondLookMs = 600_000;

/** When to look again at what got better; undefined where the next turn comes before. */
export function secondLook(
  watch: Pick<Watch, 'watchId' | 'everySeconds'>,
  target: string,
  now: number,
): number | undefined {
  const at = Math.round(now + Math.min(secondLookMs, (watch.everySeconds * 1000) / 6));
  return at < nextTurn(watch, target, now) ? at : undefined;
}

/** Turns that began before this moment are late. */
export function lateBefore({ everySeconds }: Pick<Watch, 'everySeconds'>, now: number): number {
  return now - Math.max(60_000, everySeconds * 100);
}

/** A target that missed so many turns is told of, once. */
export const turnsMissed = 3;

/** The waits before the attempts to send an event, from the second on, seconds. */
export const retryAfterS = [5, 300, 1800, 7200, 18_000, 36_000, 86_400] as const;

const dayMs = 86_400_000;
const spreadMs = 3_600_000;

/** Messages that an address gets a day, over all accounts. What comes beyond is reported by one digest. */
export const mailsOfDay = 20;
/** Questions that an address gets a day whether it wants messages, over all accounts. */
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
