import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ClientHello, writeClientHello } from '../../../worker/checks/ssl-check/grammar/client-hello.ts';
import { kindOfKey, kindOfSuite } from '../../../worker/checks/ssl-check/grammar/key-kind.ts';
import { groupsWithKeys, makeKeyShares } from '../../../worker/checks/ssl-check/grammar/key-shares.ts';
import { isSsl2ServerHello, writeSsl2ClientHello } from '../../../worker/checks/ssl-check/grammar/ssl2.ts';
import { hasForwardSecrecy, suiteSets, suites } from '../../../worker/checks/ssl-check/grammar/suites.ts';
import { versionNumbers } from '../../../worker/checks/ssl-check/grammar/tls-names.ts';
import { readClientHello } from './read-client-hello.ts';

const hello = (change: Partial<ClientHello> = {}): ClientHello => ({
  version: 'TLSv1.2',
  servername: 'a.test',
  suites: [0xc02f],
  groups: [0x001d],
  alpn: ['h2'],
  compression: true,
  random: new Uint8Array(32).fill(7),
  ...change,
});

test('what a hello offers is what a server reads', () => {
  const word = fc.integer({ min: 1, max: 0xffff });
  const offers = fc.record({
    version: fc.constantFrom('TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'),
    servername: fc.option(fc.stringMatching(/^[a-z]{1,60}\.test$/)),
    suites: fc.array(word, { minLength: 1, maxLength: 200 }),
    groups: fc.array(word, { maxLength: 30 }),
    alpn: fc.array(fc.stringMatching(/^[a-z0-9/.]{1,20}$/), { maxLength: 4 }),
    compression: fc.boolean(),
  });
  fc.assert(
    fc.property(offers, (offer) => {
      const read = readClientHello(writeClientHello(hello(offer)));
      expect(read).toMatchObject({
        version: versionNumbers[offer.version],
        suites: offer.suites,
        groups: offer.groups,
        servername: offer.servername,
        alpn: offer.alpn,
      });
    }),
  );
});

test.for([
  { name: 'SSL 3.0 carries no extensions', change: { version: 'SSLv3' as const }, has: [] },
  {
    name: 'TLS 1.1 names no signature schemes',
    change: { version: 'TLSv1.1' as const },
    has: [0, 5, 10, 11, 16, 18, 23, 35, 0xff01],
  },
  { name: 'TLS 1.2 does', change: {}, has: [0, 5, 10, 11, 13, 16, 18, 23, 35, 0xff01] },
  {
    name: 'TLS 1.3 brings its versions, modes and an empty key share',
    change: { version: 'TLSv1.3' as const },
    has: [0, 5, 10, 13, 16, 18, 43, 45, 51],
  },
  {
    name: 'with keys it offers to decompress certificates',
    change: {
      version: 'TLSv1.3' as const,
      keyShares: makeKeyShares().of(groupsWithKeys),
      certificateCompressions: [2, 1, 3],
    },
    has: [0, 5, 10, 13, 16, 18, 43, 45, 51, 27],
  },
  {
    name: 'without a name there is no SNI',
    change: { servername: null, alpn: [], groups: [] },
    has: [5, 11, 13, 18, 23, 35, 0xff01],
  },
])('$name', ({ change, has }) => {
  expect(readClientHello(writeClientHello(hello(change)))?.extensions).toEqual(has);
});

test('SSL 3.0 signals secure renegotiation by a suite', () => {
  expect(readClientHello(writeClientHello(hello({ version: 'SSLv3' })))?.suites).toEqual([0xc02f, 0x00ff]);
});

test('TLS 1.3 offers no compression', () => {
  expect(readClientHello(writeClientHello(hello({ version: 'TLSv1.3' })))?.compressions).toEqual([0]);
  expect(readClientHello(writeClientHello(hello()))?.compressions).toEqual([1, 0]);
});

test('every hello that is sent fits one TCP segment of 1460 bytes', () => {
  for (const set of Object.values(suiteSets))
    expect(
      writeClientHello(hello({ suites: set, servername: `${'a'.repeat(63)}.`.repeat(3) })).length,
    ).toBeLessThan(1000);
});

test('the hello of SSL 2.0 has a head of its own', () => {
  const bytes = writeSsl2ClientHello(new Uint8Array(16));
  expect([...bytes.subarray(0, 5)]).toEqual([0x80, 46, 1, 0, 2]);
  expect(bytes.length).toBe(48);
});

test.for([
  {
    name: 'an answer that offers a cipher is SSL 2.0',
    bytes: [0x80, 14, 4, 0, 1, 0, 2, 0, 0, 0, 3, 0, 0, 1, 0, 128],
    is: true,
  },
  { name: 'an answer without ciphers is not', bytes: [0x80, 11, 4, 0, 1, 0, 2, 0, 0, 0, 0, 0, 0], is: false },
  { name: 'a TLS alert is not', bytes: [21, 3, 1, 0, 2, 2, 40, 0, 0, 0, 0, 0, 0], is: false },
  { name: 'a cut answer is not', bytes: [0x80, 14, 4], is: false },
  { name: 'nothing is not', bytes: [], is: false },
])('$name', ({ bytes, is }) => {
  expect(isSsl2ServerHello(Uint8Array.from(bytes))).toBe(is);
});

test.for([
  [
    'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256',
    0xc02f,
    { keyExchange: 'ECDHE', bits: 128, isAead: true, cipher: 'AES' },
  ],
  [
    'TLS_RSA_EXPORT_WITH_DES40_CBC_SHA',
    0x0008,
    { keyExchange: 'RSA', bits: 40, isExport: true, cipher: 'DES' },
  ],
  ['TLS_RSA_WITH_3DES_EDE_CBC_SHA', 0x000a, { keyExchange: 'RSA', bits: 112, isAead: false, cipher: '3DES' }],
  ['TLS_DH_anon_WITH_AES_256_CBC_SHA256', 0x006d, { isAnonymous: true, bits: 256 }],
  ['TLS_ECDH_anon_WITH_NULL_SHA', 0xc015, { isAnonymous: true, bits: 0, cipher: 'NULL' }],
  ['TLS_RSA_EXPORT1024_WITH_RC4_56_SHA', 0x0064, { bits: 56, isExport: true, cipher: 'RC4' }],
  ['TLS_DHE_RSA_WITH_CHACHA20_POLY1305_SHA256', 0xccaa, { keyExchange: 'DHE', bits: 256, isAead: true }],
  ['TLS_CHACHA20_POLY1305_SHA256', 0x1303, { keyExchange: 'TLS13', bits: 256, isAead: true }],
  ['TLS_RSA_WITH_AES_128_CCM_8', 0xc0a0, { keyExchange: 'RSA', isAead: true }],
] as const)('%s is %i', ([name, id, facts]) => {
  expect(suites.get(id)).toMatchObject({ id, name, ...facts });
});

test('the sets of suites do not overlap and leave none out', () => {
  const { tls13, dangerous, withoutForwardSecrecy, sound } = suiteSets;
  const asked = [...tls13, ...dangerous, ...withoutForwardSecrecy, ...sound];
  expect(asked.sort((a, b) => a - b)).toEqual([...suites.keys()].sort((a, b) => a - b));
  expect([...suites.values()].filter(({ id }) => sound.includes(id)).every(hasForwardSecrecy)).toBe(true);
});

test.for([
  ['TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256', 'ECDSA'],
  ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256', 'RSA'],
  ['TLS_DHE_RSA_WITH_AES_128_GCM_SHA256', 'RSA'],
  ['TLS_RSA_WITH_AES_128_GCM_SHA256', 'RSA'],
  ['TLS_RSA_EXPORT_WITH_RC4_40_MD5', 'RSA'],
  ['TLS_DHE_DSS_WITH_AES_128_CBC_SHA', null],
  ['TLS_DH_anon_WITH_AES_128_CBC_SHA', null],
  ['TLS_ECDH_anon_WITH_AES_128_CBC_SHA', null],
  ['TLS_ECDH_ECDSA_WITH_AES_128_GCM_SHA256', 'ECDSA'],
  ['TLS_ECDH_RSA_WITH_AES_128_GCM_SHA256', 'ECDSA'],
  ['TLS_AES_128_GCM_SHA256', null],
] as const)('%s wants the key %s', ([name, kind]) => {
  expect([...suites.values()].map((suite) => suite.name)).toContain(name);
  expect(kindOfSuite(name)).toBe(kind);
});

test.for([
  ['RSA', 'RSA'],
  ['RSA-PSS', 'RSA'],
  ['EC', 'ECDSA'],
  ['Ed25519', 'ECDSA'],
] as const)('a key of type %s is of the kind %s', ([type, kind]) => {
  expect(kindOfKey(type)).toBe(kind);
});
