import { expect, test } from 'vitest';
import { codesBroken, codesOf } from '#shared/model/verdict';
import type { HttpAnswer, HttpProbe } from '../../../worker/probes/http/port.ts';
import {
  type FamiliesObservation,
  type FamilyObservation,
  gatherFamilies,
} from '../../../worker/web/families.ts';
import { judgeFamilies } from '../../../worker/web/judge-families.ts';
import { addresses, lostOver, over } from './family-observations.ts';

const url = 'https://a.test/';
const seen = (...sights: readonly FamilyObservation[]): FamiliesObservation => ({ url, sights, late: false });
const policy = (value: string) => ({ headers: [['Content-Security-Policy', value]] as const });

type Case = {
  readonly name: string;
  readonly seen: FamiliesObservation | undefined;
  readonly broken?: readonly string[];
  readonly holds?: readonly string[];
  readonly notTested?: string;
};

const cases: readonly Case[] = [
  {
    name: 'the same over both',
    seen: seen(over(6), over(4)),
    holds: ['ipv6-broken', 'address-families-differ', 'ipv6-slow'],
  },
  {
    name: 'another status over IPv6',
    seen: seen(over(6, { status: 404 }), over(4)),
    broken: ['address-families-differ'],
  },
  {
    name: 'a field that only IPv4 sends',
    seen: seen(over(6, { headers: [] }), over(4)),
    broken: ['address-families-differ'],
  },
  {
    name: 'a nonce and a report address differ each time',
    seen: seen(
      over(6, policy("script-src 'nonce-a'; report-uri /a?1")),
      over(4, policy("script-src 'nonce-b'; report-uri /a?2")),
    ),
    holds: ['ipv6-broken', 'address-families-differ', 'ipv6-slow'],
  },
  { name: 'IPv6 that refuses', seen: seen(lostOver(6, 'connection-refused')), broken: ['ipv6-broken'] },
  { name: 'IPv6 that is silent', seen: seen(lostOver(6, 'connection-timeout')), broken: ['ipv6-broken'] },
  { name: 'a host without IPv6', seen: seen(lostOver(6, 'name-not-found')) },
  { name: 'a host without IPv4', seen: seen(over(6), lostOver(4, 'name-not-found')) },
  {
    name: 'a machine without IPv6',
    seen: seen(lostOver(6, 'network-unreachable')),
    notTested: 'this machine has no IPv6 route',
  },
  {
    name: 'a budget that was spent',
    seen: seen(lostOver(6, 'budget-spent')),
    notTested: 'IPv6 could not be tried: the reason',
  },
  {
    name: 'IPv4 that refuses',
    seen: seen(over(6), lostOver(4, 'connection-refused')),
    broken: ['address-families-differ'],
    holds: ['ipv6-broken'],
  },
  {
    name: 'IPv6 that takes ten times as long',
    seen: seen(over(6, { firstByteMs: 800 }), over(4, { firstByteMs: 80 })),
    broken: ['ipv6-slow'],
  },
  {
    name: 'twice as long is no fault',
    seen: seen(over(6, { firstByteMs: 800 }), over(4, { firstByteMs: 400 })),
    holds: ['ipv6-broken', 'address-families-differ', 'ipv6-slow'],
  },
  {
    name: 'no time left',
    seen: { url, sights: [], late: true },
    notTested: 'there was no time left to compare IPv4 and IPv6',
  },
  { name: 'no page', seen: undefined, notTested: 'no page was compared over IPv4 and IPv6' },
];

test.for(cases)('$name', (row) => {
  const verdicts = judgeFamilies(row.seen);
  expect(codesBroken(verdicts)).toEqual(row.broken ?? []);
  const held = codesOf(verdicts).filter((code) => verdicts[code] === 'holds');
  expect(held).toEqual(expect.arrayContaining([...(row.holds ?? [])]));
  const reasons = Object.values(verdicts).map((verdict) =>
    typeof verdict === 'object' && 'notTested' in verdict ? verdict.notTested : undefined,
  );
  expect(new Set(reasons)).toEqual(new Set([row.notTested]));
});

/** A web where each family answers as told, and the families in the order asked. */
function webOf(codes: { readonly [F in 4 | 6]?: 'name-not-found' | 'connection-refused' }) {
  const asked: (4 | 6 | undefined)[] = [];
  const http: HttpProbe = {
    ask({ url: at, family }) {
      asked.push(family);
      const code = family === undefined ? undefined : codes[family];
      const answer: HttpAnswer = code
        ? { kind: 'failure', url: at, code, reason: 'the reason', address: null }
        : ({
            kind: 'response',
            url: at,
            status: 200,
            headers: [
              ['Set-Cookie', 'a=1'],
              ['X-Frame-Options', 'DENY'],
            ],
            address: addresses[family ?? 4],
            timings: { tcp: 1, tls: 2, ttfb: 3, reused: false },
          } as unknown as HttpAnswer);
      return Promise.resolve(answer);
    },
  };
  return { http, asked };
}

test.for([
  { name: 'both families', codes: {}, asks: [6, 4] },
  { name: 'no IPv6', codes: { 6: 'name-not-found' as const }, asks: [6] },
  { name: 'IPv6 that refuses', codes: { 6: 'connection-refused' as const }, asks: [6] },
])('of a host with $name it asks no more than it needs', async ({ codes, asks }) => {
  const { http, asked } = webOf(codes);
  const families = await gatherFamilies(url, http, () => true);
  expect(asked).toEqual(asks);
  expect(families.sights.map(({ family }) => family)).toEqual(asks);
});

test('only the compared fields are kept, with the time to the first byte', async () => {
  const { http } = webOf({});
  const { sights } = await gatherFamilies(url, http, () => true);
  expect(sights[0]).toMatchObject({ headers: [['X-Frame-Options', 'DENY']], firstByteMs: 6 });
});

test('nothing is asked of an address, and nothing when time is over', async () => {
  const { http, asked } = webOf({});
  expect(await gatherFamilies('https://192.0.2.1/', http, () => true)).toMatchObject({
    sights: [],
    late: false,
  });
  expect(await gatherFamilies(url, http, () => false)).toMatchObject({ sights: [], late: true });
  expect(asked).toEqual([]);
});
