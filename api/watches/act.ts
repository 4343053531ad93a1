import type { Response } from 'express';
import type { Caller } from '#shared/limits/caller';
import { bytesOfRows } from '#shared/limits/kept';
import { Problem } from '#shared/model/problem';
import type { Delivery, Notify, Watch } from '#shared/model/watch';
import { applyTurns, type ChangeServices, requireFit } from './apply.ts';
import { drawSecret } from './keys.ts';
import { testOf } from './tests.ts';

/** Pauses a watch, or goes on with it. Throws where it cannot go on within the account's limit. */
export async function pauseByOwner(
  services: ChangeServices,
  caller: Caller,
  known: Watch,
  isPaused: boolean,
): Promise<void> {
  const pausedReason = isPaused ? 'owner' : null;
  await services.kept.take(known.account, async () => {
    await requireFit(services, caller, { ...known, pausedReason });
    let before = known;
    const changed = await services.watches.change(known.watchId, (watch) => {
      before = watch;
      return { ...watch, pausedReason };
    });
    if (changed) await applyTurns(services, before, changed);
  });
}

/** Has a test sent, which costs a scan: by whoever sends it, or at once where the feed alone tells of it. @returns the delivery that its owner follows */
export async function sendTest(
  services: ChangeServices,
  caller: Caller,
  watch: Watch,
  response: Response,
): Promise<Delivery> {
  const tests = testOf(services, watch);
  const [event, byMail] = tests;
  if (tests.every(({ channel }) => channel === 'feed'))
    await services.limits.quotas.takeScans(caller, 1, response);
  await services.kept.take(watch.account, async (room) => {
    const put = await room(bytesOfRows(tests));
    await put.deliveries(tests);
  });
  return event.channel === 'feed' && byMail ? byMail : event;
}

const oldSecretMs = 86_400_000;

/** Draws a new secret; the old one signs beside it for a day. Throws for a watch without a webhook. */
export async function renewSecretOf(
  { watches }: Pick<ChangeServices, 'watches'>,
  { watchId, notify }: Watch,
): Promise<string> {
  if (notify.webhook === null)
    throw new Problem('invalid_request', 'This watch has no webhook, and nothing to sign.');
  const secret = drawSecret();
  const until = Date.now() + oldSecretMs;
  await watches.change(watchId, (watch) => ({
    ...watch,
    secret,
    oldSecret: watch.secret === null ? null : { text: watch.secret, until },
  }));
  return secret;
}

/** Has an event of a watch sent again, under the same id. Throws for what is not sent, or is not there. */
export async function replayOf(
  { watches }: Pick<ChangeServices, 'watches'>,
  { watchId, notify }: Watch,
  deliveryId: string,
): Promise<Delivery> {
  const delivery = await watches.getDelivery(deliveryId);
  if (delivery?.watchId !== watchId)
    throw new Problem('delivery_not_found', 'This watch has no delivery with this id.');
  if (!canSend(notify, delivery))
    throw new Problem(
      'invalid_request',
      'This event is told by the feed alone: the watch has no webhook or e-mail address for it.',
    );
  const again: Delivery = {
    ...delivery,
    state: 'pending',
    attempts: 0,
    nextAttemptAt: Date.now(),
    waitsFor: null,
    isExtra: true,
    failure: null,
  };
  await watches.settleDelivery(again);
  return again;
}

/** True where an event can be sent again. */
export function canSend({ webhook, email }: Notify, { channel }: Pick<Delivery, 'channel'>): boolean {
  return channel === 'webhook' ? webhook !== null : channel === 'email' && email !== null;
}
