import { KeyObject, webcrypto } from 'node:crypto';
import * as asn1js from 'asn1js';
import fc from 'fast-check';
import { Certificate, CertificateRevocationList } from 'pkijs';
import { expect, test } from 'vitest';
import { isMalformed } from '#shared/model/verdict';
import { joinBytes } from '../../../worker/certificates/grammar/byte-cursor.ts';
import {
  type CertificateList,
  parseCertificateList,
  scanEntries,
} from '../../../worker/certificates/grammar/certificate-list.ts';
import { readRevocationList } from '../../../worker/certificates/revocation-list.ts';
import { countCpu } from '../../kit/cpu-time.ts';
import { certificateOf, intermediate, leafWith, root } from '../ssl-check/evidence-of.ts';
import { issueCertificate, makeKey, nameOf, sealWith } from '../ssl-check/issue-certificate.ts';
import { der, integer, sequence } from '../ssl-check/write-der.ts';
import {
  issuingPoint,
  type ListWishes,
  pointName,
  writeEntry,
  writeExtension,
  writeRevocationList,
} from '../ssl-check/write-revocation-list.ts';

const list = (wishes: Partial<ListWishes> = {}) => writeRevocationList({ issuer: intermediate, ...wishes });
const read = (bytes: Uint8Array): CertificateList => {
  const parsed = parseCertificateList(bytes);
  if (isMalformed(parsed)) throw new Error(parsed.malformed);
  return parsed;
};
const scan = (entries: readonly Uint8Array[], serialNumber: string) =>
  scanEntries(read(list({ entries })).entries, serialNumber);

test('its dates and issuer are read', () => {
  expect(read(list())).toMatchObject({
    thisUpdate: Date.parse('2026-11-20T00:00:00Z'),
    nextUpdate: Date.parse('2026-11-27T00:00:00Z'),
    issuer: nameOf('Intermediate'),
    signatureAlgorithm: '1.2.840.10045.4.3.2',
  });
});

test('a list without an end has none', () => {
  expect(read(list({ nextUpdate: null })).nextUpdate).toBeNull();
});

const plain = {
  isDelta: false,
  isIndirect: false,
  only: null,
  onlySomeReasons: false,
  distributionPoint: null,
  unknownCritical: null,
};
test.for([
  { name: 'nothing is narrowed', extensions: [], scope: {} },
  {
    name: 'RFC 5280 §5.2.4: a delta',
    extensions: [writeExtension('2.5.29.27', integer(7), true)],
    scope: { isDelta: true },
  },
  {
    name: '§5.2.5: an indirect one',
    extensions: [issuingPoint(der(0x84, [0xff]))],
    scope: { isIndirect: true },
  },
  {
    name: 'a part, for users',
    extensions: [issuingPoint(pointName('http://crl.test/1'), der(0x81, [0xff]))],
    scope: { only: 'users', distributionPoint: ['http://crl.test/1'] },
  },
  { name: 'for authorities', extensions: [issuingPoint(der(0x82, [0xff]))], scope: { only: 'authorities' } },
  { name: 'for attributes', extensions: [issuingPoint(der(0x85, [0xff]))], scope: { only: 'attributes' } },
  {
    name: 'some reasons',
    extensions: [issuingPoint(der(0x83, [1, 0x40]))],
    scope: { onlySomeReasons: true },
  },
  {
    name: 'a point named relative to its issuer',
    extensions: [issuingPoint(der(0xa0, der(0xa1)))],
    scope: { distributionPoint: [] },
  },
  {
    name: 'a number and a key id are no matter',
    extensions: [writeExtension('2.5.29.20', integer(9)), writeExtension('2.5.29.35', sequence())],
    scope: {},
  },
  {
    name: 'something critical that nobody knows',
    extensions: [writeExtension('1.2.3.4', sequence(), true)],
    scope: { unknownCritical: '1.2.3.4' },
  },
])('its scope: $name', ({ extensions, scope }) => {
  expect(read(list({ extensions })).scope).toEqual({ ...plain, ...scope });
});

test('§5.3.3: an entry that names another issuer makes the list an indirect one', () => {
  const entry = sequence(
    integer(9),
    der(0x18, [...Buffer.from('20261101000000Z')]),
    sequence(writeExtension('2.5.29.29', sequence(), true)),
  );
  expect(read(list({ entries: [entry] })).scope.isIndirect).toBe(true);
});

const entries = [
  writeEntry([1]),
  writeEntry([0, 0x90, 0], undefined, 1),
  writeEntry([0x7f, 0xff], undefined, 7),
];
test.for([
  { name: 'the first', serial: '1', entry: { revokedAt: Date.parse('2026-11-01'), reason: null } },
  { name: 'one with a zero before it, and a reason', serial: '9000', entry: { reason: 'keyCompromise' } },
  { name: 'a reason that does not exist', serial: '7fff', entry: { reason: 'reason 7' } },
  { name: 'one that begins as another', serial: '7f', entry: null },
  { name: 'one that is not there', serial: '2', entry: null },
])('looks for $name', ({ serial, entry }) => {
  expect(scan(entries, serial)).toMatchObject({ kind: 'scan', count: 3, entry });
});

test('an empty list has no entries', () => {
  expect(scan([], '1')).toEqual({ kind: 'scan', count: 0, entry: null });
});

test.for([
  { name: 'an entry that is no sequence', bytes: integer(1) },
  { name: 'an entry without a serial number', bytes: sequence(der(0x04, [1])) },
  { name: 'a serial number longer than its entry', bytes: Uint8Array.of(0x30, 2, 2, 1, 5) },
  { name: 'an entry that is cut off', bytes: Uint8Array.of(0x30, 9, 2, 1, 5) },
])('refuses $name', ({ bytes }) => {
  expect(scanEntries(bytes, '5')).toMatchObject({ kind: 'malformed', at: 0 });
});

test.for([
  { name: 'nothing', bytes: new Uint8Array(0) },
  { name: 'a page', bytes: new TextEncoder().encode('<!doctype html>') },
  { name: 'PEM', bytes: new TextEncoder().encode('-----BEGIN X509 CRL-----') },
  { name: 'bytes after it', bytes: joinBytes(list(), 0) },
  { name: 'a sequence of nothing', bytes: sequence() },
  { name: 'a certificate', bytes: intermediate.der },
  { name: 'two algorithms', bytes: list({ seal: sealWith(makeKey('ed25519')) }) },
  { name: 'no date', bytes: list({ thisUpdate: 'once' }) },
  { name: 'an end that is no date', bytes: list({ nextUpdate: 'never' }) },
])('a list is not $name', ({ bytes }) => {
  expect(parseCertificateList(bytes)).toMatchObject({ kind: 'malformed' });
});

const leaf = leafWith({ serial: [0x11, 0x22] });
const signatureOf = (bytes: Uint8Array, issuer = intermediate) => {
  const content = readRevocationList(bytes, certificateOf(leaf), certificateOf(issuer));
  return typeof content === 'string' ? content : content.signature;
};

test.for(['p256', 'rsa2048', 'ed25519'] as const)('a signature by %s is checked', (kind) => {
  const issuer = issueCertificate({
    subject: 'Intermediate',
    issuer: root,
    key: makeKey(kind),
    isAuthority: true,
  });
  expect(signatureOf(list({ issuer }), issuer)).toBe('good');
  expect(signatureOf(list({ issuer }))).toBe('bad');
});

test('a signature over something else is bad', () => {
  const seal = sealWith(intermediate.key);
  expect(signatureOf(list({ seal: () => seal(new Uint8Array(3)) }))).toBe('bad');
});

test('SHA-1 proves nothing', () => {
  const seal = sealWith(intermediate.key, 'sha1');
  const [algorithm = new Uint8Array(0), bits = new Uint8Array(0)] = seal(new Uint8Array(0));
  const signed = sequence(
    integer(1),
    algorithm,
    nameOf('Intermediate'),
    der(0x18, [...Buffer.from('20261120000000Z')]),
  );
  expect(signatureOf(sequence(signed, algorithm, bits))).toBe('unknown');
});

test.for([
  { name: 'cRLSign', bits: [1, 0x06], signature: 'good' },
  { name: 'keyCertSign alone', bits: [2, 0x04], signature: 'not-allowed' },
] as const)('a CA with $name', ({ bits, signature }) => {
  const extensions = [{ id: '2.5.29.15', value: der(0x03, bits) }];
  const issuer = issueCertificate({ subject: 'Intermediate', issuer: root, isAuthority: true, extensions });
  expect(signatureOf(list({ issuer }), issuer)).toBe(signature);
});

test('without the certificate of the issuer it is not checked', () => {
  expect(readRevocationList(list(), certificateOf(leaf), null)).toMatchObject({ signature: 'no-issuer' });
});

const asBuffer = (bytes: Uint8Array) => Uint8Array.from(bytes).buffer;
test('agrees with pkijs about lists of any make', () => {
  const serials = fc.uniqueArray(fc.integer({ min: 1, max: 0x7fff_ffff }), { maxLength: 20 });
  fc.assert(
    fc.property(
      serials,
      fc.constantFrom(undefined, 0, 1, 4, 6, 9),
      fc.boolean(),
      (numbers, reason, hasEnd) => {
        const bytesOf = (number: number) => [
          number >>> 24,
          (number >> 16) & 255,
          (number >> 8) & 255,
          number & 255,
        ];
        const bytes = list({
          entries: numbers.map((number) => writeEntry(bytesOf(number), undefined, reason)),
          ...(hasEnd ? {} : { nextUpdate: null }),
        });
        const theirs = new CertificateRevocationList({ schema: asn1js.fromBER(asBuffer(bytes)).result });
        const ours = read(bytes);
        expect(ours.thisUpdate).toBe(theirs.thisUpdate.value.getTime());
        expect(ours.nextUpdate).toBe(theirs.nextUpdate?.value.getTime() ?? null);
        expect(scanEntries(ours.entries, '0')).toMatchObject({
          count: theirs.revokedCertificates?.length ?? 0,
        });
        for (const revoked of theirs.revokedCertificates ?? []) {
          const serial = Buffer.from(revoked.userCertificate.valueBlock.valueHexView).toString('hex');
          expect(scanEntries(ours.entries, serial.replace(/^0+(?=.)/, ''))).toMatchObject({
            entry: { revokedAt: revoked.revocationDate.value.getTime() },
          });
        }
      },
    ),
    { numRuns: 60 },
  );
});

test('a list that pkijs signs is good, and one that we sign is good to pkijs', async () => {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
  const keys = (await webcrypto.subtle.generateKey(algorithm, true, ['sign'])) as webcrypto.CryptoKeyPair;
  const key = KeyObject.from(keys.privateKey);
  const issuer = issueCertificate({ subject: 'Intermediate', issuer: root, key, isAuthority: true });
  const certificate = new Certificate({ schema: asn1js.fromBER(asBuffer(issuer.der)).result });
  const theirs = new CertificateRevocationList({ schema: asn1js.fromBER(asBuffer(list({ issuer }))).result });
  expect(await theirs.verify({ issuerCertificate: certificate })).toBe(true);
  await theirs.sign(keys.privateKey as never, 'SHA-256');
  expect(signatureOf(new Uint8Array(theirs.toSchema(true).toBER()), issuer)).toBe('good');
});

test('changed bytes are read without throwing', () => {
  const whole = list({
    entries,
    extensions: [issuingPoint(pointName('http://crl.test/1'), der(0x81, [0xff]))],
  });
  const changes = fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { maxLength: 6 });
  const facts = certificateOf(leaf);
  fc.assert(
    fc.property(changes, fc.nat(400), (edits, end) => {
      const bytes = Uint8Array.from(whole.subarray(0, end));
      for (const [index, value] of edits) if (index < bytes.length) bytes[index] = value;
      const content = readRevocationList(bytes, facts, certificateOf(intermediate));
      expect(['string', 'object']).toContain(typeof content);
      expect(typeof scanEntries(bytes, '1122').kind).toBe('string');
    }),
    { numRuns: 2000 },
  );
});

test('100,000 entries are scanned in one pass', () => {
  const many = joinBytes(
    ...Array.from({ length: 1000 }, () => writeEntry([1, 2, 3, 4, 5, 6, 7, 8], undefined, 4)),
  );
  const all = joinBytes(...Array.from({ length: 100 }, () => many), writeEntry([9]));
  const spentMs = countCpu();
  expect(scanEntries(all, '9')).toMatchObject({ count: 100_001, entry: { reason: null } });
  // It takes some 30 ms; a scan that looked at each pair of entries would take minutes.
  expect(spentMs()).toBeLessThan(10_000);
});
