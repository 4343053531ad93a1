import { hash } from 'node:crypto';
import { makeDeliveries } from '#shared/catalogue/watch-event';
import { digestOfAddress, isConfirmed, mailboxIdOf } from '#shared/model/mailbox';
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

/** Asks the address of a watch, once, whether it may get messages. Until that is confirmed, nothing else is sent there. */
export async function askAddress(
  services: Pick<WatchServices, 'site' | 'watches'>,
  watch: Watch,
): Promise<void> {
  const { account, notify } = watch;
  if (notify.email === null) return;
  const { to } = notify.email;
  const mailboxId = mailboxIdOf(account, to);
  const stop = await services.watches.getStop(digestOfAddress(to));
  const drawn = { confirmKey: drawKey(), stopKey: drawKey(), createdAt: Date.now(), confirmedAt: null };
  await services.watches.keepMailbox({ mailboxId, account, to, ...drawn });
  const known = await services.watches.getMailbox(mailboxId);
  if (known && isConfirmed(known, stop)) return;
  const question = testOf(services, watch).filter(({ channel }) => channel === 'email');
  // Other watches of the account may tell the same address: it is asked once, and again by a test.
  const deliveryId = `evt_${hash('sha256', `${mailboxId} ${stop?.at ?? 0}`).slice(0, 32)}_mail`;
  await services.watches.keepDeliveries(question.map((one) => ({ ...one, deliveryId })));
}
