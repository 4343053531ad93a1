import { digestOfAddress, type Mailbox, mailboxIdOf, questionIdOf } from '#shared/model/mailbox';
import type { IdleMailbox } from '#shared/ports/watch-store';
import { watchesOf } from '#shared/stores/watches/watches-of';
import type { WatchContext } from '../context.ts';

const dayMs = 86_400_000;
/** The links of a mail work for so long, whatever its watches became. */
const linksMs = 30 * dayMs;
const atOnce = 20;

type MailboxContext = Pick<WatchContext, 'backend' | 'kept' | 'now'>;

/** Notes that mail went to a mailbox. */
export function noteMail({ backend, now }: MailboxContext, { mailboxId }: Mailbox): Promise<void> {
  return backend.watches.noteMailbox(mailboxId, { mailedAt: now(), lookAt: now() + dayMs });
}

/** Deletes some of the mailboxes that have ended. True where there may be more. */
export async function sweepMailboxes(context: MailboxContext): Promise<boolean> {
  const { watches } = context.backend;
  const idle = await watches.idleMailboxes(context.now(), atOnce);
  for (const { mailbox, mailedAt } of idle)
    // In the account's turn: a change that names the address comes before it or after it.
    await context.kept.take(mailbox.account, async () => {
      const endsAt = await endOf(context, { mailbox, mailedAt });
      if (endsAt <= context.now()) await watches.removeMailbox(mailbox.mailboxId);
      else await watches.noteMailbox(mailbox.mailboxId, { lookAt: Math.min(endsAt, context.now() + dayMs) });
    });
  return idle.length === atOnce;
}

/** When a mailbox ends, Unix ms: never while a watch names it; else with its question where it was not confirmed, and 30 days after its last mail. */
async function endOf({ backend }: MailboxContext, { mailbox, mailedAt }: IdleMailbox): Promise<number> {
  const { watches } = backend;
  const { mailboxId, account, to, confirmedAt } = mailbox;
  for await (const { notify } of watchesOf(watches, account))
    if (notify.email && mailboxIdOf(account, notify.email.to) === mailboxId) return Number.POSITIVE_INFINITY;
  if (confirmedAt !== null) return Math.max(mailedAt, confirmedAt) + linksMs;
  const question = await watches.getDelivery(
    questionIdOf(mailboxId, await watches.getStop(digestOfAddress(to))),
  );
  return question?.expiresAt ?? 0;
}
