import { expect, test } from 'vitest';
import type { SslEvidence } from '../../../worker/checks/ssl-check/evidence.ts';
import { simulateClients } from '../../../worker/checks/ssl-check/facts/clients.ts';
import { readFacts } from '../../../worker/checks/ssl-check/facts/facts.ts';
import { fitMozillaProfile } from '../../../worker/checks/ssl-check/facts/mozilla-profile.ts';
import { clientProfiles } from '../../../worker/checks/ssl-check/grammar/client-profiles.ts';
import { suites } from '../../../worker/checks/ssl-check/grammar/suites.ts';
import {
  accepts,
  asked,
  askedOnly,
  connected,
  evidenceOf,
  modern,
  question,
  refused,
  stopped,
} from './evidence-of.ts';

const outcomeOf = (name: string, change: Partial<SslEvidence>) =>
  simulateClients(readFacts(evidenceOf(change))).find((one) => one.name === name);
const speaks12 = (...ids: number[]) =>
  asked(
    question(
      'TLSv1.2',
      'sound',
      ids.map((id) => accepts(id)),
    ),
  );
const only12 = (...ids: number[]) => ({
  questions: askedOnly(
    ...speaks12(...ids).filter(({ version }) => version === 'TLSv1.2'),
    question('TLSv1.3', 'tls13', [], refused(70)),
  ),
  groups: { accepted: [], end: refused(70) },
  handshakes: modern(connected({ protocol: 'TLSv1.2' })),
});

test.for([
  ['Chrome 131 and later', {}, { connects: true, protocol: 'TLSv1.3', suite: 'TLS_AES_256_GCM_SHA384' }],
  ['Chrome 131 and later', { preference: 'client' }, { connects: true, suite: 'TLS_AES_128_GCM_SHA256' }],
  ['Chrome 131 and later', { preference: null }, { connects: true, suite: null }],
  [
    'Java 8u161',
    {},
    { connects: true, protocol: 'TLSv1.2', suite: 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256' },
  ],
  ['Java 7', {}, { connects: false, protocol: null, reason: 'no version in common' }],
  [
    'Internet Explorer 11, Windows 7',
    only12(0xc02f),
    { connects: false, protocol: 'TLSv1.2', reason: 'no cipher suite in common' },
  ],
  [
    'Internet Explorer 11, Windows 10',
    only12(0xc02f),
    { connects: null, reason: 'whether a key exchange group is in common is not known' },
  ],
  [
    'Safari 18, iOS 18',
    { groups: { accepted: [0x11ec], end: refused() } },
    { connects: false, reason: 'no key exchange group in common' },
  ],
  ['Safari 18, iOS 18', { groups: null }, { connects: null, reason: 'not every group could be asked for' }],
  [
    'OpenSSL 0.9.8',
    { questions: asked(question('TLSv1', 'old', [], stopped)) },
    { connects: null, reason: 'whether TLSv1 is offered is not known' },
  ],
  [
    'Chrome 131 and later',
    { alpnRefused: true },
    { connects: false, reason: 'the server refuses h2 and http/1.1' },
  ],
  ['Java 8u161', { alpnRefused: true }, { connects: true }],
] as const satisfies readonly (readonly [string, Partial<SslEvidence>, object])[])(
  '%s gets what it can (row %#)',
  ([name, change, expected]) => {
    expect(outcomeOf(name, change)).toMatchObject(expected);
  },
);

test('every suite of a client is one that is asked for', () => {
  const unknown = clientProfiles.flatMap((one) => one.suites.filter((id) => !suites.has(id)));
  expect(unknown).toEqual([]);
});

test.for([
  ['intermediate', {}],
  ['modern', { questions: askedOnly(question('TLSv1.3', 'tls13', [accepts(0x1302, { chain: null })])) }],
  ['old', { questions: asked(question('TLSv1', 'old', [accepts(0xc009)], stopped)) }],
  ['none', only12(0xc02b)],
  ['none', { questions: asked(question('SSLv3', 'old', [accepts(0x002f)], stopped)) }],
  [null, { questions: asked(question('TLSv1', 'old', [], stopped)) }],
] as const satisfies readonly (readonly [string | null, Partial<SslEvidence>])[])(
  'the profile %s fits (row %#)',
  ([profile, change]) => {
    expect(fitMozillaProfile(readFacts(evidenceOf(change)))).toBe(profile);
  },
);
