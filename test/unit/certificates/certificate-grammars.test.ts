import { X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import * as asn1js from 'asn1js';
import fc from 'fast-check';
import { Certificate } from 'pkijs';
import { expect, test } from 'vitest';
import { isMalformed } from '#shared/model/verdict';
import { joinBytes, numberBytes, vectorBytes } from '../../../worker/certificates/grammar/byte-cursor.ts';
import {
  type CertificateExtensions,
  extensionIds,
  parseCertificateExtensions,
} from '../../../worker/certificates/grammar/certificate-extensions.ts';
import { parseOcspResponse } from '../../../worker/certificates/grammar/ocsp-response.ts';
import { describeSignature } from '../../../worker/certificates/grammar/signature-names.ts';
import { parseSignedTimestamps } from '../../../worker/certificates/grammar/signed-timestamps.ts';
import { parseTlsSession } from '../../../worker/checks/ssl-check/grammar/tls-session.ts';
import {
  der,
  integer,
  objectIdentifier,
  sequence,
  text,
  time,
  writeCertificate,
  writeOcspResponse,
} from '../ssl-check/write-der.ts';

const timestamp = (log: number, at: number, version = 0) =>
  vectorBytes(
    2,
    version,
    new Uint8Array(32).fill(log),
    numberBytes(Math.floor(at / 2 ** 32), 4),
    numberBytes(at % 2 ** 32, 4),
    vectorBytes(2, []),
    [4, 3],
    vectorBytes(2, [1, 2, 3]),
  );
const at = Date.parse('2026-10-01T00:00:00Z');

const extensions = [
  {
    name: 'no extension',
    list: [],
    reads: {
      present: [],
      hasSubjectAltName: false,
      timestamps: null,
      mustStaple: false,
      revocationListUrls: [],
      authorityKeyId: null,
      policies: [],
      extendedKeyUsages: null,
      isAuthority: false,
    },
  },
  {
    name: 'RFC 7633: status_request is must-staple',
    list: [{ id: extensionIds.tlsFeature, value: sequence(integer(5)) }],
    reads: { mustStaple: true },
  },
  {
    name: 'status_request_v2 alone is not',
    list: [{ id: extensionIds.tlsFeature, value: sequence(integer(17)) }],
    reads: { mustStaple: false },
  },
  {
    name: 'RFC 6962: two timestamps',
    list: [
      { id: extensionIds.timestamps, value: der(4, vectorBytes(2, timestamp(1, at), timestamp(2, at + 1))) },
    ],
    reads: {
      timestamps: [
        { logId: Buffer.alloc(32, 1).toString('base64'), at },
        { logId: Buffer.alloc(32, 2).toString('base64'), at: at + 1 },
      ],
    },
  },
  {
    name: 'broken timestamps',
    list: [{ id: extensionIds.timestamps, value: der(4, [0, 9, 1]) }],
    reads: { timestamps: { kind: 'malformed' } },
  },
  {
    name: 'two places for revocation lists',
    list: [
      {
        id: extensionIds.revocationLists,
        value: sequence(
          sequence(der(0xa0, der(0xa0, text(0x86, 'http://crl.test/1')))),
          sequence(der(0xa0, der(0xa0, text(0x86, 'http://crl.test/2'), text(0x82, 'name.test')))),
        ),
      },
    ],
    reads: { revocationListUrls: ['http://crl.test/1', 'http://crl.test/2'] },
  },
  {
    name: 'key ids',
    list: [
      { id: extensionIds.authorityKeyId, value: sequence(der(0x80, [1, 0xab])) },
      { id: extensionIds.subjectKeyId, value: der(4, [2]) },
    ],
    reads: { authorityKeyId: '01ab', subjectKeyId: '02' },
  },
  {
    name: 'policies',
    list: [{ id: extensionIds.policies, value: sequence(sequence(objectIdentifier('2.23.140.1.2.1'))) }],
    reads: { policies: ['2.23.140.1.2.1'] },
  },
  {
    name: 'purposes',
    list: [{ id: extensionIds.extendedKeyUsage, value: sequence(objectIdentifier('1.3.6.1.5.5.7.3.1')) }],
    reads: { extendedKeyUsages: ['1.3.6.1.5.5.7.3.1'] },
  },
  {
    name: 'an authority',
    list: [{ id: extensionIds.basicConstraints, value: sequence(der(1, [0xff])) }],
    reads: { isAuthority: true },
  },
  {
    name: 'no authority',
    list: [{ id: extensionIds.basicConstraints, value: sequence() }],
    reads: { isAuthority: false },
  },
  {
    name: 'an extension that breaks its grammar',
    list: [{ id: extensionIds.policies, value: Uint8Array.of(0x30, 9) }],
    reads: { policies: [] },
  },
];
test.for(extensions)('reads $name', ({ list, reads }) => {
  expect(parseCertificateExtensions(writeCertificate(list))).toMatchObject({ kind: 'extensions', ...reads });
});

const hashOf = (id: string) => der(0xa0, sequence(objectIdentifier(id)));
test.for([
  { name: 'nothing said, which means SHA-1 (RFC 4055 §3.1)', parameters: sequence(), isWeak: true },
  { name: 'SHA-1', parameters: sequence(hashOf('1.3.14.3.2.26')), isWeak: true },
  { name: 'SHA-256', parameters: sequence(hashOf('2.16.840.1.101.3.4.2.1')), isWeak: false },
])('RSA-PSS with $name is weak: $isWeak', ({ parameters, isWeak }) => {
  const algorithm = sequence(objectIdentifier('1.2.840.113549.1.1.10'), parameters);
  const certificate = parseCertificateExtensions(writeCertificate([], [1], algorithm));
  expect(isMalformed(certificate)).toBe(false);
  expect(describeSignature((certificate as CertificateExtensions).signatureAlgorithm).isWeak).toBe(isWeak);
});

test('a serial number loses its leading zeros only', () => {
  expect(parseCertificateExtensions(writeCertificate([], [0, 0x90, 0]))).toMatchObject({
    serialNumber: '9000',
  });
});

test.for([
  { name: 'nothing', bytes: new Uint8Array(0) },
  { name: 'a certificate with bytes behind it', bytes: joinBytes(writeCertificate([]), 0) },
  { name: 'a sequence of nothing', bytes: sequence() },
  { name: 'text', bytes: new TextEncoder().encode('-----BEGIN CERTIFICATE-----') },
])('refuses $name', ({ bytes }) => {
  expect(parseCertificateExtensions(bytes)).toMatchObject({ kind: 'malformed' });
});

test.for(
  rootCertificates.map((pem) => ({ pem, subject: new X509Certificate(pem).subject.replaceAll('\n', ', ') })),
)('agrees with pkijs and node:crypto about $subject', ({ pem }) => {
  const x509 = new X509Certificate(pem);
  const ours = parseCertificateExtensions(x509.raw);
  const theirs = new Certificate({ schema: asn1js.fromBER(Uint8Array.from(x509.raw).buffer).result });
  expect(ours).toMatchObject({
    serialNumber: x509.serialNumber.toLowerCase().replace(/^0+(?=.)/, ''),
    signatureAlgorithm: theirs.signatureAlgorithm.algorithmId,
    present: (theirs.extensions ?? []).map(({ extnID }) => extnID),
    isAuthority: x509.ca,
  });
});

test.for([
  { name: 'an empty list', bytes: [0, 0], reads: { kind: 'timestamps', timestamps: [] } },
  {
    name: 'a version to come',
    bytes: [...vectorBytes(2, timestamp(1, at, 1), timestamp(2, at))],
    reads: { timestamps: [{ at }] },
  },
  { name: 'a list of another length', bytes: [0, 1], reads: { kind: 'malformed', at: 0 } },
  { name: 'bytes after the list', bytes: [0, 0, 0], reads: { kind: 'malformed', at: 0 } },
  { name: 'an entry that runs past the end', bytes: [0, 3, 0, 9, 0], reads: { kind: 'malformed', at: 2 } },
  { name: 'an entry too short', bytes: [0, 4, 0, 2, 0, 1], reads: { kind: 'malformed', at: 2 } },
  { name: 'nothing', bytes: [], reads: { kind: 'malformed' } },
])('a timestamp list: $name', ({ bytes, reads }) => {
  expect(parseSignedTimestamps(Uint8Array.from(bytes))).toMatchObject(reads);
});

const day = (date: string) => `${date}T00:00:00`;
const good = {
  serial: [0, 0x90],
  status: der(0x80),
  thisUpdate: day('2026-11-20'),
  nextUpdate: day('2026-11-27'),
};
const revoked = { ...good, status: der(0xa1, time(day('2026-11-01'))) };
test.for([
  {
    name: 'good',
    bytes: writeOcspResponse([good]),
    reads: {
      responseStatus: 0,
      statuses: [
        {
          serialNumber: '90',
          status: 'good',
          revokedAt: null,
          thisUpdate: Date.parse('2026-11-20'),
          nextUpdate: Date.parse('2026-11-27'),
        },
      ],
    },
  },
  {
    name: 'revoked, since when',
    bytes: writeOcspResponse([revoked]),
    reads: { statuses: [{ status: 'revoked', revokedAt: Date.parse('2026-11-01') }] },
  },
  {
    name: 'unknown',
    bytes: writeOcspResponse([{ ...good, status: der(0x82) }]),
    reads: { statuses: [{ status: 'unknown' }] },
  },
  {
    name: 'good without an end',
    bytes: writeOcspResponse([{ serial: [1], status: der(0x80), thisUpdate: day('2026-11-20') }]),
    reads: { statuses: [{ nextUpdate: null }] },
  },
  {
    name: 'RFC 6960 §4.2.1: tryLater has no statuses',
    bytes: sequence(der(0x0a, [3])),
    reads: { responseStatus: 3, statuses: [] },
  },
  {
    name: 'a choice that does not exist',
    bytes: writeOcspResponse([{ ...good, status: der(0x83) }]),
    reads: { kind: 'malformed' },
  },
  {
    name: 'a type that is not known',
    bytes: sequence(der(0x0a, [0]), der(0xa0, sequence(objectIdentifier('1.2.3'), der(4, [])))),
    reads: { kind: 'malformed' },
  },
  { name: 'no response at all', bytes: sequence(), reads: { kind: 'malformed' } },
  { name: 'nothing', bytes: new Uint8Array(0), reads: { kind: 'malformed' } },
])('an OCSP response: $name', ({ bytes, reads }) => {
  expect(parseOcspResponse(bytes)).toMatchObject(reads);
});

const session = (...tail: Uint8Array[]) =>
  joinBytes(
    [...Buffer.from('\0nodejs:tls:session:1\t\t127.0.0.1')],
    sequence(integer(1), integer(3, 4), der(4, [0x13, 2]), der(4, [1]), der(4, new Uint8Array(300)), ...tail),
  );
test.for([
  {
    name: 'a ticket that allows early data',
    bytes: session(der(0xa1, integer(9)), der(0xaf, integer(0x40, 0))),
    reads: { kind: 'session', maxEarlyDataBytes: 16_384 },
  },
  {
    name: 'a ticket that does not',
    bytes: session(der(0xa1, integer(9))),
    reads: { kind: 'session', maxEarlyDataBytes: 0 },
  },
  { name: 'a limit that is no number', bytes: session(der(0xaf, der(4, []))), reads: { kind: 'malformed' } },
  { name: 'a header alone', bytes: session().subarray(0, 30), reads: { kind: 'malformed' } },
  { name: 'a session cut short', bytes: session().subarray(0, 200), reads: { kind: 'malformed' } },
])('a session: $name', ({ bytes, reads }) => {
  expect(parseTlsSession(bytes)).toMatchObject(reads);
});

test('changed bytes are read without throwing', () => {
  const list = { id: extensionIds.timestamps, value: der(4, vectorBytes(2, timestamp(1, at))) };
  const wholes = [
    { whole: writeCertificate([list]), parse: parseCertificateExtensions },
    { whole: writeOcspResponse([good, revoked]), parse: parseOcspResponse },
    { whole: vectorBytes(2, timestamp(1, at)), parse: parseSignedTimestamps },
    { whole: session(), parse: parseTlsSession },
  ];
  const changes = fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { maxLength: 5 });
  fc.assert(
    fc.property(fc.constantFrom(...wholes), changes, fc.nat(400), ({ whole, parse }, edits, end) => {
      const bytes = Uint8Array.from(whole.subarray(0, end));
      for (const [index, value] of edits) if (index < bytes.length) bytes[index] = value;
      expect(typeof isMalformed(parse(bytes))).toBe('boolean');
    }),
    { numRuns: 500 },
  );
});
