import { makeDeliveries } from '#shared/catalogue/watch-event';
import { bytesOfRows, type Put } from '#shared/limits/kept';
import { digestOfAddress, isConfirmed, type Mailbox, mailboxIdOf, questionIdOf } from '#shared/model/mailbox';
import type { Delivery, Watch } from '#shared/model/watch';
import { drawKey } from './keys.ts';
import type { WatchServices } from './watch-services.ts';

/** A test of a watch: its event, and the same by e-mail where it has an address. @param once names it, where a second making is the same */
export function testOf(
  { site }: Pick<WatchServices, 'site'>,
  watch: Watch,
  once?: string,
): readonly [Delivery, ...Delivery[]] {
  const summary = 'This is a test. Nothing has changed.';
  const wish = { type: 'watch.test', target: null, severity: 'info', summary } as const;
  const publicUrl = site.publicPath === '' ? undefined : site.publicPath;
  return makeDeliveries(watch, { ...wish, ...(once === undefined ? {} : { once }) }, Date.now(), publicUrl);
}

/** What asking the address of a watch keeps: its mailbox where there is none yet, and a question where it has to be confirmed. */
export type Asking = { readonly mailboxes: readonly Mailbox[]; readonly question: readonly Delivery[] };

/** How the address of a watch is asked, once, whether it may get messages; undefined where it has none, or that is confirmed. Until that is confirmed, nothing else is sent there. */
export async function askingOf(
  services: Pick<WatchServices, 'site' | 'watches'>,
  watch: Watch,
): Promise<Asking | undefined> {
  const { account, notify } = watch;
  if (notify.email === null) return undefined;
  const { to } = notify.email;
  const mailboxId = mailboxIdOf(account, to);
  const stop = await services.watches.getStop(digestOfAddress(to));
  const drawn = { confirmKey: drawKey(), stopKey: drawKey(), createdAt: Date.now(), confirmedAt: null };
  const known = await services.watches.getMailbox(mailboxId);
  if (known && isConfirmed(known, stop)) return undefined;
  const mailboxes = known ? [] : [{ mailboxId, account, to, ...drawn }];
  // Other watches of the account may tell the same address: it is asked once, and again by a test.
  const deliveryId = questionIdOf(mailboxId, stop);
  const question = testOf(services, watch).filter(({ channel }) => channel === 'email');
  return { mailboxes, question: question.map((one) => ({ ...one, deliveryId })) };
}

/** About what asking keeps. */
export const bytesOfAsking = (asking: Asking | undefined): number =>
  asking ? bytesOfRows([...asking.mailboxes, ...asking.question]) : 0;

/** Keeps what asks an address. */
export async function putAsking(put: Put, asking: Asking | undefined): Promise<void> {
  if (!asking) return;
  for (const mailbox of asking.mailboxes) await put.mailbox(mailbox);
  await put.deliveries(asking.question);
}
