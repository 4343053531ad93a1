import { expect, test } from 'vitest';
import { readPageCookies } from '../../../worker/checks/pagespeed-check/facts/cookies.ts';
import { readCookies } from '../../../worker/probes/browser/child/cookies.ts';

type Held = Parameters<typeof readCookies>[0][number];
const held = (name: string, more: Partial<Held> = {}): Held =>
  ({
    name,
    value: 'SECRET',
    domain: 'a.test',
    path: '/',
    secure: false,
    httpOnly: false,
    session: true,
    expires: -1,
    ...more,
  }) as Held;
const log = [
  { method: 'Network.responseReceived', params: { headers: { 'set-cookie': 'other=SECRET' } } },
  {
    method: 'Network.responseReceivedExtraInfo',
    params: { headers: { 'Set-Cookie': 'sid=SECRET; Path=/\nlang=en' } },
  },
];

test('a cookie that no answer set was set by a script; values stay out', () => {
  const seen = readCookies(
    [
      held('sid', { httpOnly: true, sameSite: 'Lax' }),
      held('lang'),
      held('other', { session: false, expires: 1060 }),
      held('gone', { httpOnly: true }),
    ],
    log,
    1000,
  );
  expect(JSON.stringify(seen)).not.toContain('SECRET');
  expect(seen.entries.map(({ name, setBy, lifetimeS }) => [name, setBy, lifetimeS])).toEqual([
    ['sid', 'response', null],
    ['lang', 'response', null],
    ['other', 'script', 60],
    ['gone', 'response', null],
  ]);
});

test('a hundred are kept, all are counted, and names are cut', () => {
  const many = Array.from({ length: 300 }, (_, at) => held('x'.repeat(1000) + at));
  const { total, entries } = readCookies(many, [], 0);
  expect([total, entries.length, entries[0]?.name.length]).toEqual([300, 100, 256]);
});

test('cookies of another shape are read as what they are sure to be', () => {
  const read = (cookies: unknown) => readPageCookies({ cookies } as never);
  expect(read(undefined)).toBeUndefined();
  expect(read({})).toEqual({ total: 0, entries: [] });
  expect(read({ total: 'x', entries: [{ name: 5 }, null] })?.entries).toMatchObject([
    { name: '', setBy: 'response' },
    { name: '', setBy: 'response' },
  ]);
});
