import { createHmac } from 'node:crypto';
import type { Delivery, Watch } from '#shared/model/watch';
import { retryAfterS } from '#shared/model/watch-times';
import type { VerifiedAnswer, VerifiedRequest } from '../probes/verified/send.ts';
import type { WatchContext } from './context.ts';
import { pauseWatch } from './pause.ts';
import { payFor } from './pay.ts';

/** Tests, replays and retries at one address, over all accounts and names. */
const receiverPaces = [
  { policy: 'scans', points: 1, windowS: 1 },
  { policy: 'scans', points: 60, windowS: 3600 },
] as const;
const gone = 410;

/** Sends an event that this process has claimed, once, and notes what came of it. Nothing of the answer is kept but its status. */
export async function sendDelivery(
  context: WatchContext,
  delivery: Delivery,
  signal: AbortSignal,
): Promise<void> {
  const { watches } = context.backend;
  const watch = await watches.get(delivery.watchId);
  const url = watch?.notify.webhook?.url;
  // The watch was deleted, or tells nobody any more.
  if (!watch || url === undefined) return drop(context, delivery);
  // Its first test has not been answered yet, or the address is another since.
  if (!watch.isConfirmed && delivery.type !== 'watch.test')
    return watches.settleDelivery({ ...delivery, state: 'pending', nextAttemptAt: null });
  const waitFor = (waitS: number) =>
    watches.settleDelivery({ ...delivery, nextAttemptAt: context.now() + waitS * 1000 });
  const fee = await payFor(context, delivery);
  if ('waitS' in fee) return waitFor(fee.waitS);
  const request = requestOf(watch, delivery, url, context.now());
  const admit = (addresses: readonly string[]) => takeReceiver(context, addresses);
  try {
    const answer = await context.send(request, signal, fee.isFree ? undefined : admit);
    await settle(context, { watch, delivery, url }, answer);
  } catch (error) {
    if (!(error instanceof ReceiverBusy)) throw error;
    if (fee.paid) await context.owners.giveBack(fee.paid);
    await waitFor(error.waitS);
  }
}

type Sent = { readonly watch: Watch; readonly delivery: Delivery; readonly url: string };

async function settle(context: WatchContext, sent: Sent, answer: VerifiedAnswer): Promise<void> {
  const { watch, delivery, url } = sent;
  const status = answer.kind === 'response' ? answer.status : 0;
  const isTaken = status >= 200 && status < 300;
  // Before the attempt is settled: a process that ends in between sends the test again, and what waits for it is released then.
  if (isTaken && (!watch.isConfirmed || delivery.type === 'watch.test')) await confirm(context, watch, url);
  await context.backend.watches.settleDelivery(settledOf(delivery, answer, isTaken, context.now()));
  if (status === gone) await pauseWatch(context, watch.watchId, 'webhook-gone');
}

/** The request of an attempt, which has an end in 15 s: that of the sender itself. */
function requestOf(watch: Watch, { deliveryId, body }: Delivery, url: string, now: number): VerifiedRequest {
  const { secret, oldSecret } = watch;
  const old = oldSecret && oldSecret.until > now ? [oldSecret.text] : [];
  const timestampS = Math.floor(now / 1000);
  const fields = signWebhook({ id: deliveryId, timestampS, body }, [secret ?? '', ...old]);
  return {
    url,
    method: 'POST',
    headers: { ...fields, 'content-type': 'application/json' },
    body: Buffer.from(body),
    bodyLimitBytes: 0,
  };
}

/** Another attempt is sent to one of these addresses already, whatever name led there. */
class ReceiverBusy extends Error {
  readonly waitS: number;
  constructor(waitS: number) {
    super('the receiver has had its attempts for now');
    this.waitS = waitS;
  }
}

/** Counts an attempt at each address of the receiver. Throws ReceiverBusy. */
async function takeReceiver(
  { backend }: Pick<WatchContext, 'backend'>,
  addresses: readonly string[],
): Promise<void> {
  for (const address of addresses)
    for (const pace of receiverPaces) {
      const taken = await backend.rateLimiter.take(pace, `webhooks ${pace.windowS} ${address}`, 1);
      if (!taken.allowed) throw new ReceiverBusy(Math.max(1, taken.resetS));
    }
}

function settledOf(delivery: Delivery, answer: VerifiedAnswer, isTaken: boolean, now: number): Delivery {
  const attempts = delivery.attempts + 1;
  const httpStatus = answer.kind === 'response' ? answer.status : null;
  const tried = { ...delivery, attempts, httpStatus, isExtra: false };
  if (isTaken) return { ...tried, state: 'delivered', nextAttemptAt: null, failure: null };
  const failure = answer.kind === 'response' ? `it answered ${answer.status}` : answer.code;
  const waitS = httpStatus === gone ? undefined : retryAfterS[attempts - 1];
  return waitS === undefined
    ? { ...tried, state: 'dead', nextAttemptAt: null, failure }
    : { ...tried, state: 'retrying', nextAttemptAt: now + waitS * 1000, failure };
}

/** The receiver has answered the first test: what has waited for that is sent. */
async function confirm({ backend, now }: WatchContext, { watchId }: Watch, url: string): Promise<void> {
  const changed = await backend.watches.change(watchId, (watch) =>
    watch.notify.webhook?.url === url ? { ...watch, isConfirmed: true } : watch,
  );
  if (changed?.isConfirmed === true) await backend.watches.release(watchId, now());
}

function drop({ backend }: WatchContext, delivery: Delivery): Promise<void> {
  return backend.watches.settleDelivery({
    ...delivery,
    state: 'dead',
    nextAttemptAt: null,
    failure: 'the watch has no webhook any more',
  });
}

/** What is signed: the id and the bytes are the same in each attempt, the time is that of the attempt. */
type Signed = { readonly id: string; readonly timestampS: number; readonly body: string };

/**
 * The fields of a webhook as Standard Webhooks say (standardwebhooks.com, "Signature scheme"): HMAC-SHA256 of id, time and body.
 * @param secrets "whsec_" and base64; each signs, so that a receiver may change from one to the next
 */
export function signWebhook(
  { id, timestampS, body }: Signed,
  secrets: readonly string[],
): Readonly<Record<string, string>> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestampS}.${body}`).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampS),
    'webhook-signature': signatures.join(' '),
  };
}
