import { expect, test } from 'vitest';
import { openStarts } from '../../api/pages/starts.ts';

const now = Date.parse('2026-11-21T03:00:00Z');

test('a token starts one check once', () => {
  const starts = openStarts();
  const token = starts.issue('a', now);
  expect([
    starts.redeem(token, 'b', now),
    starts.redeem(token, 'a', now),
    starts.redeem(token, 'a', now),
  ]).toEqual([false, true, false]);
});

const changes: readonly (readonly [what: string, change: (token: string) => string])[] = [
  ['a dot more', (token: string) => `${token}.`],
  ['a part more', (token: string) => `${token}.x`],
  ['a space before it', (token: string) => ` ${token}`],
  ['a space behind it', (token: string) => `${token} `],
  ['letters in another case', (token: string) => token.toUpperCase()],
];
test.for(changes)('a token with %s is another one, and starts nothing', ([, change]) => {
  const starts = openStarts();
  expect(starts.redeem(change(starts.issue('a', now)), 'a', now)).toBe(false);
});

test('a token is good for half an hour on either side of its clock', () => {
  const starts = openStarts();
  const minutes = [-31, -29, 29, 31];
  expect(minutes.map((minute) => starts.redeem(starts.issue('a', now), 'a', now + minute * 60_000))).toEqual([
    false,
    true,
    true,
    false,
  ]);
});
