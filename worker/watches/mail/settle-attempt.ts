import type { Delivery } from '#shared/model/watch';
import { retryAfterS } from '#shared/model/watch-times';
import type { MailAnswer } from './mailer.ts';

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
