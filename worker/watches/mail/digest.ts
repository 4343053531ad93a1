import { hash } from 'node:crypto';
import { digestOfAddress, digestOfPerson, isConfirmed, type Mailbox } from '#shared/model/mailbox';
import type { Delivery } from '#shared/model/watch';
import {
  confirmationsOfAccount,
  confirmationsOfDay,
  dayOf,
  digestTime,
  mailsOfDay,
  retryAfterS,
} from '#shared/model/watch-times';
import { renderDigest } from '#shared/render/watches';
import { giveBack } from '#shared/time/give-back';
import type { MailContext } from '../context.ts';
import { noteMail } from './mailboxes.ts';
import type { MailAnswer } from './mailer.ts';
import { linksOf, messageOf } from './message.ts';

const keptForMs = 30 * 86_400_000;
/** Events that one digest ends; what is left waits for the next. */
const mostHeld = 1000;

/** True for the delivery that stands for a digest: it is of a mailbox and of no watch. */
export function isDigest({ deliveryId }: Delivery): boolean {
  return deliveryId.startsWith('digest_');
}

/** Lets a message wait for the digest of the next day. */
export async function holdForDigest(
  context: MailContext,
  delivery: Delivery,
  mailbox: Mailbox,
): Promise<void> {
  const { watches } = context.backend;
  const digest = digestOf(delivery, mailbox, context.now());
  await context.kept.tell(digest.account, [digest]);
  const held: Delivery = { ...delivery, nextAttemptAt: null, waitsFor: digest.deliveryId };
  await watches.settleDelivery(held);
  // It may have been sent between the two.
  const known = await watches.getDelivery(digest.deliveryId);
  if (known && isOver(known))
    await watches.settleDelivery({ ...held, waitsFor: null, nextAttemptAt: context.now() });
}

function digestOf(delivery: Delivery, { mailboxId }: Mailbox, now: number): Delivery {
  return {
    ...delivery,
    deliveryId: `digest_${hash('sha256', `${mailboxId} ${dayOf(now).name}`).slice(0, 32)}`,
    watchId: mailboxId,
    target: null,
    createdAt: now,
    state: 'pending',
    attempts: 0,
    nextAttemptAt: digestTime(mailboxId, now),
    waitsFor: null,
    isExtra: false,
    expiresAt: now + keptForMs,
    body: '',
  };
}

const isOver = ({ state }: Delivery) => state === 'delivered' || state === 'dead';

/** Sends the digest of a mailbox, and notes of each event in it what came of that. */
export async function sendDigest(context: MailContext, digest: Delivery, signal: AbortSignal): Promise<void> {
  const { watches } = context.backend;
  const waiting = await watches.listWaiting(digest.deliveryId, mostHeld);
  const mailbox = await watches.getMailbox(digest.watchId);
  const stop = mailbox && (await watches.getStop(digestOfAddress(mailbox.to)));
  const held = mailbox && isConfirmed(mailbox, stop) ? await stillTold(context, waiting, mailbox) : [];
  if (!mailbox || held.length === 0)
    return settle(context, { digest, waiting }, (one) => ({
      ...one,
      state: 'dead',
      nextAttemptAt: null,
      failure: 'the address wants no mail of this any more',
    }));
  if (digest.attempts === 0 && !(await takeMessage(context, mailbox)))
    return watches.settleDelivery({ ...digest, nextAttemptAt: digestTime(mailbox.mailboxId, context.now()) });
  const text = renderDigest(
    held.map(({ body }) => body),
    linksOf(context, mailbox),
  );
  const answer = await context.mailer(messageOf(context, { mailbox, delivery: digest, text }), signal);
  const now = context.now();
  if (answer.kind === 'taken') await noteMail(context, mailbox);
  const settled = settleAttempt(digest, answer, now);
  if (!isOver(settled)) return watches.settleDelivery(settled);
  await settle(context, { digest, waiting }, (one) => ({
    ...settleAttempt(one, answer, now),
    state: settled.state,
    nextAttemptAt: null,
  }));
}

/** Without events of watches that tell another address since. */
async function stillTold(
  { backend }: MailContext,
  waiting: readonly Delivery[],
  { to }: Mailbox,
): Promise<readonly Delivery[]> {
  const ids = [...new Set(waiting.map(({ watchId }) => watchId))];
  const found = await Promise.all(ids.map((id) => backend.watches.get(id)));
  const telling = new Set(found.flatMap((watch) => (watch?.notify.email?.to === to ? [watch.watchId] : [])));
  return waiting.filter(({ watchId }) => telling.has(watchId));
}

type Held = { readonly digest: Delivery; readonly waiting: readonly Delivery[] };

async function settle(
  { backend, now }: MailContext,
  { digest, waiting }: Held,
  end: (one: Delivery) => Delivery,
): Promise<void> {
  const { watches } = backend;
  for (const one of waiting) {
    await watches.settleDelivery({ ...end(one), waitsFor: null });
    await giveBack();
  }
  await watches.settleDelivery(end(digest));
  // What came while it was sent, or was too much for one: each on its own, or in the next one.
  for (const one of await watches.listWaiting(digest.deliveryId, mostHeld)) {
    await watches.settleDelivery({ ...one, waitsFor: null, nextAttemptAt: now() });
    await giveBack();
  }
}

type Counting = Pick<MailContext, 'backend' | 'now'>;

/** Takes one of the day's questions to this address, and of this account. */
export async function mayAsk({ backend, now }: Counting, { account, to }: Mailbox): Promise<boolean> {
  const { name, end } = dayOf(now());
  const { watches } = backend;
  return (
    (await watches.takeOne(`questions ${digestOfPerson(to)} ${name}`, confirmationsOfDay, end)) &&
    (await watches.takeOne(`questions of ${account} ${name}`, confirmationsOfAccount, end)) &&
    takeMessage({ backend, now }, { to })
  );
}

/** Takes one of the day's messages to an address. */
export function takeMessage({ backend, now }: Counting, { to }: Pick<Mailbox, 'to'>): Promise<boolean> {
  const { name, end } = dayOf(now());
  return backend.watches.takeOne(`mail ${digestOfPerson(to)} ${name}`, mailsOfDay, end);
}

/** A delivery after an attempt by e-mail: it is tried as often, and after the same waits, as a webhook. */
export function settleAttempt(delivery: Delivery, answer: MailAnswer, now: number): Delivery {
  const attempts = delivery.attempts + 1;
  const tried = { ...delivery, attempts, isExtra: false };
  if (answer.kind === 'taken') return { ...tried, state: 'delivered', nextAttemptAt: null, failure: null };
  const waitS = answer.isFinal ? undefined : retryAfterS[attempts - 1];
  return waitS === undefined
    ? { ...tried, state: 'dead', nextAttemptAt: null, failure: answer.failure }
    : { ...tried, state: 'retrying', nextAttemptAt: now + waitS * 1000, failure: answer.failure };
}
