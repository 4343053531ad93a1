import { digestOfAddress, isConfirmed, type Mailbox, mailboxIdOf } from '#shared/model/mailbox';
import type { Delivery } from '#shared/model/watch';
import { renderConfirmation, renderEventMail } from '#shared/render/watches';
import type { Logger } from '#shared/telemetry/logger';
import type { MailContext } from '../context.ts';
import { payFor } from '../pay.ts';
import { holdForDigest, isDigest, mayAsk, sendDigest, settleAttempt, takeMessage } from './digest.ts';
import { noteMail } from './mailboxes.ts';
import type { SendMail } from './mailer.ts';
import { linksOf, messageOf } from './message.ts';

/** Sends what a watch tells by e-mail, once, and notes what came of it. */
export async function sendMail(context: MailContext, delivery: Delivery, signal: AbortSignal): Promise<void> {
  const { watches } = context.backend;
  if (isDigest(delivery)) return sendDigest(context, delivery, signal);
  const mailbox = await mailboxOf(context, delivery);
  const end = (failure: string) =>
    watches.settleDelivery({ ...delivery, state: 'dead', nextAttemptAt: null, failure });
  if (!mailbox) return end('the watch has no e-mail address any more');
  const stop = await watches.getStop(digestOfAddress(mailbox.to));
  if (stop?.isOn === true) return end('the address wants no mail');
  const isAsking = !isConfirmed(mailbox, stop);
  if (isAsking && delivery.type !== 'watch.test')
    return watches.settleDelivery({ ...delivery, nextAttemptAt: null, waitsFor: mailbox.mailboxId });
  const letter = { delivery, mailbox, isAsking };
  // A retry is counted already, and what our server did is not the account's to pay.
  const why = delivery.attempts === 0 ? await countOf(context, letter) : undefined;
  if (why === undefined) return hand(context, letter, signal);
  if (why === 'full') return holdForDigest(context, delivery, mailbox);
  if (why === 'asked') return end('the address had its questions of the day; send a test tomorrow');
  return watches.settleDelivery({ ...delivery, nextAttemptAt: context.now() + why.waitS * 1000 });
}

/** Where the watch of a delivery tells now; undefined where it tells nobody by e-mail any more. */
async function mailboxOf(
  { backend }: MailContext,
  { watchId, account }: Delivery,
): Promise<Mailbox | undefined> {
  const watch = await backend.watches.get(watchId);
  const to = watch?.notify.email?.to;
  return to === undefined ? undefined : backend.watches.getMailbox(mailboxIdOf(account, to));
}

type Letter = { readonly delivery: Delivery; readonly mailbox: Mailbox; readonly isAsking: boolean };

/** Pays for a message and counts it; why it is not sent now, where it is not. */
async function countOf(
  context: MailContext,
  { delivery, mailbox, isAsking }: Letter,
): Promise<'full' | 'asked' | { readonly waitS: number } | undefined> {
  const fee = await payFor(context, delivery);
  if ('waitS' in fee) return fee;
  if (isAsking) return (await mayAsk(context, mailbox)) ? undefined : 'asked';
  return (await takeMessage(context, mailbox)) ? undefined : 'full';
}

async function hand(
  context: MailContext,
  { delivery, mailbox, isAsking }: Letter,
  signal: AbortSignal,
): Promise<void> {
  const links = linksOf(context, mailbox);
  const text = isAsking ? renderConfirmation(links) : renderEventMail(delivery.body, links);
  const answer = await context.mailer(messageOf(context, { mailbox, delivery, text }), signal);
  if (answer.kind === 'taken') await noteMail(context, mailbox);
  await context.backend.watches.settleDelivery(settleAttempt(delivery, answer, context.now()));
}

/** The same sending, which logs once that the server takes no mail, and once that it takes mail again. That a receiver is refused says nothing of it. */
export function tellOutage(send: SendMail, log: Pick<Logger, 'warn' | 'info'>): SendMail {
  let isAway = false;
  return async (message, signal) => {
    const answer = await send(message, signal);
    if (answer.kind === 'taken' && isAway) log.info({}, 'the mail server accepts mail again');
    if (answer.kind === 'taken') isAway = false;
    else if (!answer.isFinal && !isAway) {
      isAway = true;
      log.warn({ failure: answer.failure }, 'the mail server refuses mail; will retry');
    }
    return answer;
  };
}
