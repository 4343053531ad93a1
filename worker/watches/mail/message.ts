import type { Mailbox } from '#shared/model/mailbox';
import type { Delivery } from '#shared/model/watch';
import type { MailLinks, MailText } from '#shared/render/watches';
import type { MailContext } from '../context.ts';
import type { Message } from './mailer.ts';

/** The pages of a mailbox. Each key opens one of them. */
export function linksOf(
  { service }: Pick<MailContext, 'service'>,
  { mailboxId, confirmKey, stopKey }: Mailbox,
): MailLinks {
  return {
    service,
    confirm: `${service}/mail/confirm?key=${mailboxId}-${confirmKey}`,
    stop: `${service}/mail/stop?key=${mailboxId}-${stopKey}`,
  };
}

type Letter = { readonly mailbox: Mailbox; readonly delivery: Delivery; readonly text: MailText };

/** The whole message: from a machine (RFC 3834), and with an end by one click (RFC 8058). */
export function messageOf(context: MailContext, { mailbox, delivery, text }: Letter): Message {
  const { from, service } = context;
  return {
    from,
    to: mailbox.to,
    ...text,
    messageId: `${delivery.deliveryId}@${new URL(service).hostname.replace(/[[\]]/g, '')}`,
    headers: {
      'Auto-Submitted': 'auto-generated',
      'List-Unsubscribe': `<${linksOf(context, mailbox).stop}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  };
}
