import { expect, test } from 'vitest';
import { domainRegistration } from '#shared/catalogue/domain-health/registration';
import { answers } from '#shared/model/freshness';
import { timesOf } from '../../../worker/visit/registration.ts';

const now = Date.parse('2026-11-21T03:00:00Z');
const hourMs = 3_600_000;
const inDays = (days: number) => new Date(now + days * 24 * hourMs).toISOString();

/** Until when an answer serves, in hours; and how old it may be at most where a caller asks afresh. */
function servesFor(state: Parameters<typeof timesOf>[0]['state'], expiresAt: string | null) {
  const { checkedAtMs, freshForS } = timesOf({ state, expiresAt }, now);
  const stored = { checkedAt: checkedAtMs, freshUntil: checkedAtMs + 1000 * freshForS };
  const isAnswer = (hours: number, isFresh: boolean) => {
    const at = now + hours * hourMs;
    const since = isFresh ? at - 1000 * domainRegistration.refreshFloorS : at;
    return answers(stored, { since, orFresh: !isFresh }, at);
  };
  const hours = [0, 0.01, 0.5, 0.99, 2, 11.9, 12.1];
  return {
    usual: hours.filter((hour) => isAnswer(hour, false)).at(-1),
    fresh: hours.filter((hour) => isAnswer(hour, true)).at(-1),
  };
}

test.for([
  ['a date far away', 'ok', inDays(31), { usual: 11.9, fresh: 0.99 }],
  ['a date within 30 days', 'ok', inDays(29), { usual: 0.99, fresh: 0.99 }],
  ['a date that is past', 'ok', inDays(-1), { usual: 0.99, fresh: 0.99 }],
  ['no date', 'no-date', null, { usual: 11.9, fresh: 0.99 }],
  ['no such name', 'missing', null, { usual: 11.9, fresh: 0.99 }],
  ['no answer', 'unknown', null, { usual: 0.01, fresh: 0.01 }],
] as const)('%s is asked again in time', ([, state, expiresAt, expected]) => {
  expect(servesFor(state, expiresAt)).toEqual(expected);
});
