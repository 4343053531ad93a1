import { confirmationsOfAccount, confirmationsOfDay, dayOf, mailsOfDay } from '#shared/model/mail-times';
import { digestOfPerson, type Mailbox } from '#shared/model/mailbox';
import type { MailContext } from './context.ts';

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
