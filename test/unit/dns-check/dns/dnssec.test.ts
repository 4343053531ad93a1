import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { digestOf, keyOfDs } from '../../../../worker/checks/dns-check/dns/dnssec/ds-digest.ts';
import { keyTagOf } from '../../../../worker/checks/dns-check/dns/dnssec/key-tag.ts';
import { keyBitsOf, parsePublicKey } from '../../../../worker/checks/dns-check/dns/dnssec/public-key.ts';
import {
  canonicalOrder,
  type SignedSet,
} from '../../../../worker/checks/dns-check/dns/dnssec/signed-text.ts';
import { isLater, verifyRrsig } from '../../../../worker/checks/dns-check/dns/dnssec/verify-rrsig.ts';
import { dnskey, keys, rrsig } from './dnssec-vectors.ts';

const tags = [
  { name: 'RFC 4034 §5.4', key: keys.rfc4034, keyTag: 60485 },
  { name: 'RFC 4035 appendix A', key: keys.rfc4035, keyTag: 38519 },
  { name: 'RFC 5702 §6.1', key: keys.rfc5702sha256, keyTag: 9033 },
  { name: 'RFC 5702 §6.2', key: keys.rfc5702sha512, keyTag: 3740 },
  { name: 'RFC 6605 §6.1', key: keys.rfc6605p256, keyTag: 55648 },
  { name: 'RFC 6605 §6.2', key: keys.rfc6605p384, keyTag: 10771 },
  { name: 'RFC 8080 §6.1, first', key: keys.rfc8080ed25519a, keyTag: 3613 },
  { name: 'RFC 8080 §6.1, second', key: keys.rfc8080ed25519b, keyTag: 35217 },
  { name: 'RFC 8080 §6.2, first', key: keys.rfc8080ed448a, keyTag: 9713 },
  { name: 'RFC 8080 §6.2, second', key: keys.rfc8080ed448b, keyTag: 38353 },
];

test.for(tags)('the key tag of $name is $keyTag', ({ key, keyTag }) => {
  expect(keyTagOf(key)).toBe(keyTag);
});

test('an algorithm-1 key has its tag in its last octets (RFC 4034 appendix B.1)', () => {
  expect(keyTagOf(dnskey('257 3 1 AAECAwQFBgc='))).toBe(0x0506);
  expect(keyTagOf(dnskey('257 3 1 AA=='))).toBe(0);
});

const digests = [
  {
    name: 'RFC 4034 §5.4, SHA-1',
    zone: 'dskey.example.com',
    key: keys.rfc4034,
    type: 1,
    digest: '2bb183af5f22588179a53b0a98631fad1a292118',
  },
  {
    name: 'RFC 4509 §2.3, SHA-256',
    zone: 'dskey.example.com',
    key: keys.rfc4034,
    type: 2,
    digest: 'd4b7d520e7bb5f0f67674a0cceb1e3e0614b93c4f9e99b8383f6a1e4469da50a',
  },
  {
    name: 'RFC 6605 §6.1, SHA-256',
    zone: 'example.net',
    key: keys.rfc6605p256,
    type: 2,
    digest: 'b4c8c1fe2e7477127b27115656ad6256f424625bf5c1e2770ce6d6e37df61d17',
  },
  {
    name: 'RFC 6605 §6.2, SHA-384',
    zone: 'example.net',
    key: keys.rfc6605p384,
    type: 4,
    digest:
      '72d7b62976ce06438e9c0bf319013cf801f09ecc84b8d7e9495f27e305c6a9b0563a9b5f4d288405c3008a946df983d6',
  },
  {
    name: 'RFC 8080 §6.1, first',
    zone: 'example.com',
    key: keys.rfc8080ed25519a,
    type: 2,
    digest: '3aa5ab37efce57f737fc1627013fee07bdf241bd10f3b1964ab55c78e79a304b',
  },
  {
    name: 'RFC 8080 §6.1, second',
    zone: 'example.com',
    key: keys.rfc8080ed25519b,
    type: 2,
    digest: '401781b934e392de492ec77ae2e15d70f6575a1c0bc59c5275c04ebe80c6614c',
  },
  {
    name: 'RFC 8080 §6.2, first',
    zone: 'example.com',
    key: keys.rfc8080ed448a,
    type: 2,
    digest: '6ccf18d5bc5d7fc2fceb1d59d17321402f2aa8d368048db93dd811f5cb2b19c7',
  },
  {
    name: 'RFC 8080 §6.2, second',
    zone: 'example.com',
    key: keys.rfc8080ed448b,
    type: 2,
    digest: '645ff078b3568f5852b70cb60e8e696cc77b75bfaaffc118cf79cbda1ba28af4',
  },
];

describe('DS digests', () => {
  test.for(digests)('$name', ({ zone, key, type, digest }) => {
    expect(digestOf(zone, key, type)).toBe(digest);
    const ds = { keyTag: keyTagOf(key), algorithm: key.algorithm, digestType: type, digest };
    expect(keyOfDs(zone, ds, [keys.rfc4035, key])).toBe(key);
    expect(keyOfDs(zone, ds, [keys.rfc4035])).toBeNull();
    expect(keyOfDs(`x.${zone}`, ds, [key])).toBeNull();
  });

  test('a digest in upper case is the same digest', () => {
    const digest = 'D4B7D520E7BB5F0F67674A0CCEB1E3E0614B93C4F9E99B8383F6A1E4469DA50A';
    const ds = { keyTag: 60485, algorithm: 5, digestType: 2, digest };
    expect(keyOfDs('dskey.example.com', ds, [keys.rfc4034])).toBe(keys.rfc4034);
  });

  test('a digest type that is not computed here says neither yes nor no', () => {
    const ds = { keyTag: 60485, algorithm: 5, digestType: 3, digest: '00' };
    expect(keyOfDs('dskey.example.com', ds, [keys.rfc4034])).toBeUndefined();
  });
});

const addressSet = (name: string, rdata: string): SignedSet => ({ name, type: 'A', rdatas: [rdata] });
const exampleMx: SignedSet = {
  name: 'example.com',
  type: 'MX',
  rdatas: ['000a046d61696c076578616d706c6503636f6d00'],
};
// RFC 8080's own signatures are wrong; these are from its verified errata 4935.
const signatures = [
  {
    name: 'RFC 4035 §B.6: RSA/SHA-1 over an answer that came from a wildcard',
    set: {
      name: 'a.z.w.example',
      type: 'MX',
      rdatas: ['0001026169076578616d706c6500'],
    },
    zone: 'example',
    key: keys.rfc4035,
    atS: 1084000000,
    sig: 'MX 5 2 3600 20040509183619 20040409183619 38519 example OMK8rAZlepfzLWW75Dxd63jy2wswESzxDKG2f9AMN1CytCd10cYISAxfAdvXSZ7xujKAtPbctvOQ2ofO7AZJ+d01EeeQTVBPq4/6KCWhqe2XTjnkVLNvvhnc0u28aoSsG0+4InvkkOHknKxw4kX18MMR34i8lC36SR5xBni8vHI=',
  },
  {
    name: 'RFC 5702 §6.1: RSA/SHA-256',
    set: addressSet('www.example.net', 'c000025b'),
    zone: 'example.net',
    key: keys.rfc5702sha256,
    atS: 1_700_000_000,
    sig: 'A 8 3 3600 20300101000000 20000101000000 9033 example.net kRCOH6u7l0QGy9qpC9l1sLncJcOKFLJ7GhiUOibu4teYp5VE9RncriShZNz85mwlMgNEacFYK/lPtPiVYP4bwg==',
  },
  {
    name: 'RFC 5702 §6.2: RSA/SHA-512',
    set: addressSet('www.example.net', 'c000025b'),
    zone: 'example.net',
    key: keys.rfc5702sha512,
    atS: 1_700_000_000,
    sig: 'A 10 3 3600 20300101000000 20000101000000 3740 example.net tsb4wnjRUDnB1BUi+t6TMTXThjVnG+eCkWqjvvjhzQL1d0YRoOe0CbxrVDYd0xDtsuJRaeUw1ep94PzEWzr0iGYgZBWm/zpq+9fOuagYJRfDqfReKBzMweOLDiNa8iP5g9vMhpuv6OPlvpXwm9Sa9ZXIbNl1MBGk0fthPgxdDLw=',
  },
  {
    name: 'RFC 6605 §6.1: ECDSA P-256',
    set: addressSet('www.example.net', 'c0000201'),
    zone: 'example.net',
    key: keys.rfc6605p256,
    atS: 1_283_000_000,
    sig: 'A 13 3 3600 20100909100439 20100812100439 55648 example.net qx6wLYqmh+l9oCKTN6qIc+bw6ya+KJ8oMz0YP107epXAyGmt+3SNruPFKG7tZoLBLlUzGGus7ZwmwWep666VCw==',
  },
  {
    name: 'RFC 6605 §6.2: ECDSA P-384',
    set: addressSet('www.example.net', 'c0000201'),
    zone: 'example.net',
    key: keys.rfc6605p384,
    atS: 1_283_000_000,
    sig: 'A 14 3 3600 20100909102025 20100812102025 10771 example.net /L5hDKIvGDyI1fcARX3z65qrmPsVz73QD1Mr5CEqOiLP95hxQouuroGCeZOvzFaxsT8Glr74hbavRKayJNuydCuzWTSSPdz7wnqXL5bdcJzusdnI0RSMROxxwGipWcJm',
  },
  {
    name: 'RFC 8080 §6.1: Ed25519, first key',
    set: exampleMx,
    zone: 'example.com',
    key: keys.rfc8080ed25519a,
    atS: 1_439_000_000,
    sig: 'MX 15 2 3600 1440021600 1438207200 3613 example.com oL9krJun7xfBOIWcGHi7mag5/hdZrKWw15jPGrHpjQeRAvTdszaPD+QLs3fx8A4M3e23mRZ9VrbpMngwcrqNAg==',
  },
  {
    name: 'RFC 8080 §6.1: Ed25519, second key',
    set: exampleMx,
    zone: 'example.com',
    key: keys.rfc8080ed25519b,
    atS: 1_439_000_000,
    sig: 'MX 15 2 3600 1440021600 1438207200 35217 example.com zXQ0bkYgQTEFyfLyi9QoiY6D8ZdYo4wyUhVioYZXFdT410QPRITQSqJSnzQoSm5poJ7gD7AQR0O7KuI5k2pcBg==',
  },
  {
    name: 'RFC 8080 §6.2: Ed448, first key',
    set: exampleMx,
    zone: 'example.com',
    key: keys.rfc8080ed448a,
    atS: 1_439_000_000,
    sig: 'MX 16 2 3600 1440021600 1438207200 9713 example.com 3cPAHkmlnxcDHMyg7vFC34l0blBhuG1qpwLmjInI8w1CMB29FkEAIJUA0amxWndkmnBZ6SKiwZSAxGILn/NBtOXft0+Gj7FSvOKxE/07+4RQvE581N3Aj/JtIyaiYVdnYtyMWbSNyGEY2213WKsJlwEA',
  },
  {
    name: 'RFC 8080 §6.2: Ed448, second key',
    set: exampleMx,
    zone: 'example.com',
    key: keys.rfc8080ed448b,
    atS: 1_439_000_000,
    sig: 'MX 16 2 3600 1440021600 1438207200 38353 example.com E1/oLjSGIbmLny/4fcgM1z4oL6aqo+izT3urCyHyvEp4Sp8Syg1eI+lJ57CSnZqjJP41O/9l4m0AsQ4f7qI1gVnML8vWWiyW2KXhT9kuAICUSxv5OWbf81Rq7Yu60npabODB0QFPb/rkW3kUZmQ0YQUA',
  },
];

describe('signatures', () => {
  test.for(signatures)('$name verifies, and a changed one does not', ({ set, sig, zone, key, atS }) => {
    const signature = rrsig(sig);
    const context = { zone, keys: [key], atS };
    expect(verifyRrsig(set, signature, context)).toBe('valid');
    const changed = { ...set, rdatas: set.rdatas.map((hex) => `ff${hex.slice(2)}`) };
    expect(verifyRrsig(changed, signature, context)).toBe('does-not-verify');
    const shifted = { ...signature, originalTtl: signature.originalTtl + 1 };
    expect(verifyRrsig(set, shifted, context)).toBe('does-not-verify');
    const ends = signature.expiration;
    expect(verifyRrsig(set, signature, { ...context, atS: ends })).toBe('valid');
    expect(verifyRrsig(set, signature, { ...context, atS: ends + 1 })).toBe('expired');
    expect(verifyRrsig(set, signature, { ...context, atS: signature.inception - 1 })).toBe('not-yet-valid');
  });

  const good = signatures[3];
  if (!good) throw new Error('the table has lost its fourth row');
  const context = { zone: 'example.net', keys: [good.key], atS: good.atS };
  const refused = [
    { name: 'a signer that is another zone', change: { signerName: 'example' }, verdict: 'wrong-signer' },
    { name: 'a signature over another type', change: { typeCovered: 'AAAA' }, verdict: 'wrong-signer' },
    { name: 'a key tag that no key has', change: { keyTag: 1 }, verdict: 'no-key' },
    { name: 'an algorithm that no key has', change: { algorithm: 14 }, verdict: 'no-key' },
    { name: 'an algorithm that is not checked here', change: { algorithm: 12 }, verdict: 'unsupported' },
    { name: 'more labels than the owner has', change: { labels: 4 }, verdict: 'does-not-verify' },
    { name: 'fewer labels than were signed', change: { labels: 2 }, verdict: 'does-not-verify' },
    { name: 'an empty signature', change: { signature: '' }, verdict: 'does-not-verify' },
  ];
  test.for(refused)('$name: $verdict', ({ change, verdict }) => {
    expect(verifyRrsig(good.set, { ...rrsig(good.sig), ...change }, context)).toBe(verdict);
  });

  const refusedKeys = [
    { name: 'a key that is no zone key', flags: 1 },
    { name: 'a key that is revoked', flags: 257 + 128 },
  ];
  test.for(refusedKeys)('$name signs nothing', ({ flags }) => {
    const key = { ...good.key, flags };
    const signature = { ...rrsig(good.sig), keyTag: keyTagOf(key) };
    expect(verifyRrsig(good.set, signature, { ...context, keys: [key] })).toBe('no-key');
  });

  test('of many keys with one tag only a few are tried', () => {
    const wrong = { ...good.key, key: keys.rfc8080ed25519a.key };
    const sameTag = Array.from({ length: 100 }, () => ({ ...good.key }));
    expect(verifyRrsig(good.set, rrsig(good.sig), { ...context, keys: [wrong, ...sameTag] })).toBe('valid');
  });

  test('records are signed in canonical order, each once (RFC 4034 §6.3)', () => {
    const rdatas = ['02', '0100', '01', '02'].map((hex) => Buffer.from(hex, 'hex'));
    expect(canonicalOrder(rdatas).map((rdata) => rdata.toString('hex'))).toEqual(['01', '0100', '02']);
  });
});

test('times wrap around as serial numbers do (RFC 1982)', () => {
  expect(isLater(2, 1)).toBe(true);
  expect(isLater(1, 1)).toBe(false);
  expect(isLater(5, 0xfffffff0)).toBe(true);
  expect(isLater(0xfffffff0, 5)).toBe(false);
});

const sizes = [
  { name: 'RSA of RFC 5702 §6.1', key: keys.rfc5702sha256, bits: 512 },
  { name: 'RSA of RFC 4034', key: keys.rfc4034, bits: 1024 },
  { name: 'P-256', key: keys.rfc6605p256, bits: 256 },
  { name: 'P-384', key: keys.rfc6605p384, bits: 384 },
  { name: 'Ed25519', key: keys.rfc8080ed25519a, bits: 256 },
  { name: 'Ed448', key: keys.rfc8080ed448a, bits: 456 },
  { name: 'an RSA key cut short', key: dnskey('256 3 8 AwEAAQ=='), bits: null },
  { name: 'an unknown algorithm', key: dnskey('256 3 200 AwEAAQ=='), bits: null },
];
test.for(sizes)('$name: $bits bits', ({ key, bits }) => {
  expect(keyBitsOf(key)).toBe(bits);
});

const badKeys = [
  {
    name: 'a point that is not on the curve',
    key: { ...keys.rfc6605p256, key: Buffer.alloc(64, 7).toString('base64') },
  },
  { name: 'a P-256 key with too few octets', key: { ...keys.rfc6605p256, key: 'AAAA' } },
  { name: 'an Ed25519 key with too few octets', key: { ...keys.rfc8080ed25519a, key: 'AAAA' } },
  { name: 'an empty RSA key', key: dnskey('256 3 8 ') },
  {
    name: 'an RSA modulus of 8192 bits',
    key: {
      ...keys.rfc4034,
      key: Buffer.concat([Buffer.of(1, 3), Buffer.alloc(1024, 255)]).toString('base64'),
    },
  },
  {
    name: 'an RSA exponent of 64 octets',
    key: { ...keys.rfc4034, key: Buffer.concat([Buffer.of(64), Buffer.alloc(192, 255)]).toString('base64') },
  },
];
test.for(badKeys)('$name is refused', ({ key }) => {
  expect(parsePublicKey(key)).toHaveProperty('malformed');
});

test('no key, digest or signature makes the check throw', () => {
  const text = fc.string({ maxLength: 80, unit: 'binary' });
  const number = fc.oneof(fc.nat(300), fc.integer());
  fc.assert(
    fc.property(
      fc.record({
        flags: number,
        protocol: fc.constant(3),
        algorithm: fc.nat(20),
        key: fc.base64String({ maxLength: 300 }),
      }),
      fc.record({
        name: text,
        type: fc.constantFrom('A', 'MX', 'TYPE77', 'x'),
        rdatas: fc.array(text, { maxLength: 3 }),
      }),
      fc.record({
        typeCovered: fc.constantFrom('A', 'MX'),
        algorithm: fc.nat(20),
        labels: number,
        originalTtl: number,
        expiration: number,
        inception: number,
        keyTag: number,
        signerName: text,
        signature: text,
      }),
      (key, set, signature) => {
        const aimed = {
          ...signature,
          algorithm: key.algorithm,
          keyTag: keyTagOf(key),
          expiration: 10,
          inception: 1,
        };
        const context = { zone: signature.signerName, keys: [key], atS: 5 };
        for (const candidate of [signature, aimed]) {
          expect(verifyRrsig(set, candidate, context)).not.toBe('valid');
        }
        digestOf(set.name, key, 2);
        keyBitsOf(key);
      },
    ),
    { numRuns: 500 },
  );
});
