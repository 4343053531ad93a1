import type { Case } from './case.ts';
import type { Change } from './good-world.ts';

const ipv6 = (third: string) => `1.${'0.'.repeat(19)}${third}.0.0.0.8.b.d.0.1.0.0.2`;
// The five addresses of good.test's name servers, as an origin zone names them.
const first = '1.2.0.192.origin';
const others = ['1.100.51.198.origin', '53.113.0.203.origin', `${ipv6('1')}.origin6`, `${ipv6('2')}.origin6`];
const line = (name: string, systems: string) =>
  `${name}.as.test 300 TXT ${systems} | 192.0.2.0/24 | ZZ | lab | 2026-11-21`;
const announced = (ofFirst: string | undefined, ofOthers: string): Change => ({
  origins: [
    ...(ofFirst === undefined ? [] : [line(first, ofFirst)]),
    ...others.map((name) => line(name, ofOthers)),
  ],
});

/** Which autonomous systems announce the name servers. */
export const originCases: readonly Case[] = [
  {
    name: 'name servers in two autonomous systems',
    change: announced('64496', '64511'),
    broken: [],
    score: 100,
  },
  {
    name: 'name servers in one autonomous system',
    change: announced('64511', '64511'),
    broken: ['ns-same-as'],
    score: 100,
  },
  {
    name: 'a network that two systems announce, one of them all others too',
    change: announced('64496 64511', '64511'),
    broken: ['ns-same-as'],
  },
  {
    name: 'two systems are two, though one network is not announced',
    change: {
      origins: [line(first, '64496'), ...others.slice(1).map((name) => line(name, '64511'))],
    },
    broken: [],
  },
  {
    name: 'a network whose origin nobody tells may be in another system',
    change: announced(undefined, '64511'),
    broken: [],
    notTested: ['ns-same-as'],
  },
  {
    name: 'an answer that is no list of systems tells nothing',
    change: announced('see elsewhere', '64511'),
    broken: [],
    notTested: ['ns-same-as'],
  },
  {
    name: 'without a zone that tells origins nothing is asked',
    change: {},
    broken: [],
    notTested: ['ns-same-as'],
  },
];
