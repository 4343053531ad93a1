import { expect, test } from 'vitest';
import type { HealthFields } from '#shared/catalogue/domain-health/report';
import { assessHealth } from '#shared/health/assess';
import type { HealthEvidence, Source } from '#shared/health/evidence';
import { evidence, headers, ssl } from './parts.ts';

const at = (address: string, state: string, reason: string | null = null) => ({
  address,
  family: address.includes(':') ? 'IPv6' : 'IPv4',
  look: 'full',
  state,
  grade: null,
  protocol: null,
  alpn: null,
  reason,
});
/** An ssl-check report that asked these addresses. */
const asked = (...endpoints: ReturnType<typeof at>[]): Source => {
  const source = ssl();
  return 'report' in source ? { report: { ...source.report, endpoints } } : source;
};
const refused = 'the connection was refused';
const four = at('192.0.2.1', 'complete');
const six = at('2001:db8::1', 'complete');

type Case = readonly [
  name: string,
  change: Partial<HealthEvidence>,
  IPv4: readonly string[],
  IPv6: readonly string[],
];
const cases: readonly Case[] = [
  ['both answer', { ssl: asked(four, six) }, ['answers'], ['answers']],
  [
    'there is no IPv6 address',
    { ssl: asked(four) },
    ['answers'],
    ['no-address', 'the name has no address of this family'],
  ],
  [
    'no IPv6 address answers',
    { ssl: asked(four, at('2001:db8::1', 'unreachable', refused)) },
    ['answers'],
    ['no-answer', `2001:db8::1: ${refused}`],
  ],
  [
    'one of two IPv4 addresses answers',
    { ssl: asked(four, at('192.0.2.2', 'unreachable', refused), six) },
    ['partly', `192.0.2.2: ${refused}`],
    ['answers'],
  ],
  [
    'this machine has no IPv6',
    { ssl: asked(four, at('2001:db8::1', 'not-tested', 'there is no route to the network')) },
    ['answers'],
    ['unknown', 'there is no route to the network'],
  ],
  [
    'TLS answers over IPv6, and the page does not',
    { ssl: asked(four, six), headers: headers({ broken: ['ipv6-broken'] }) },
    ['answers'],
    ['partly', 'the page does not answer there'],
  ],
  [
    'there is no report of ssl-check',
    { ssl: { unavailable: 'it did not end in time' } },
    ['unknown', 'it did not end in time'],
    ['unknown', 'it did not end in time'],
  ],
  [
    'the report is of an older version',
    { ssl: ssl() },
    ['unknown', 'the addresses were not asked'],
    ['unknown', 'the addresses were not asked'],
  ],
];

test.for(cases)('reachability by family: %s', ([, change, ...expected]) => {
  const { addressFamilies } = assessHealth(evidence(change)).fields as HealthFields;
  expect(
    addressFamilies?.map(({ state, reason }) => (reason === undefined ? [state] : [state, reason])),
  ).toEqual(expected);
});
