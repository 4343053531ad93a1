import { readForm } from '../../worker/certificates/browsers/certificate-form.ts';
import { readCertificate } from '../../worker/certificates/certificate.ts';
import { parseCertificateExtensions } from '../../worker/certificates/grammar/certificate-extensions.ts';
import { parseCertificateList } from '../../worker/certificates/grammar/certificate-list.ts';
import { parseDer } from '../../worker/certificates/grammar/der.ts';
import { parseNameConstraints } from '../../worker/certificates/grammar/name-constraints.ts';
import { parseOcspResponse } from '../../worker/certificates/grammar/ocsp-response.ts';
import { parseSignedTimestamps } from '../../worker/certificates/grammar/signed-timestamps.ts';
import { readRevocationList } from '../../worker/certificates/revocation-list.ts';
import { readStaple } from '../../worker/certificates/staple.ts';
import { decodeFile } from '../../worker/checks/dns-check/mail/bimi/files.ts';
import { parseImage } from '../../worker/checks/pagespeed-check/facts/parse-image.ts';
import { parseCompressedCertificate } from '../../worker/checks/ssl-check/grammar/certificate-message.ts';
import { parseVersionNegotiation } from '../../worker/checks/ssl-check/grammar/quic.ts';
import { parseTlsSession } from '../../worker/checks/ssl-check/grammar/tls-session.ts';
import { readMessage } from '../../worker/probes/dns/message.ts';
import { readName } from '../../worker/probes/dns/name.ts';
import { readServiceParameters } from '../../worker/probes/dns/service-parameters.ts';
import type { ContainerName } from './containers.ts';

/** A reader of bytes that a target chose, and bytes that are hostile to it alone. */
export type ByteReader = {
  readonly name: string;
  readonly container: ContainerName;
  readonly read: (bytes: Buffer) => unknown;
  readonly own: { readonly [name: string]: (size: number) => Buffer };
};

const reader = (
  name: string,
  container: ContainerName,
  read: (bytes: Buffer) => unknown,
  own: ByteReader['own'] = {},
): ByteReader => ({ name, container, read, own });

/** Every reader of bytes, by the name of its export. */
export const byteReaders: readonly ByteReader[] = [
  reader('readMessage', 'DNS message', (bytes) => readMessage(bytes, true), {
    'records of one type': (size) =>
      message(size, Buffer.from([0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, 1, 2, 3, 4])),
    'records that point at a long name': (size) =>
      message(size, Buffer.from([0xc0, 12, 0, 2, 0, 1, 0, 0, 0, 1, 0, 2, 0xc0, 12])),
    'one record of many strings': (size) => oneRecord(16, Buffer.alloc(size - 300, Buffer.from([1, 97]))),
    'one record of many types': (size) =>
      oneRecord(47, Buffer.concat([Buffer.from([0]), Buffer.alloc(size - 301, Buffer.from([0, 1, 0xff]))])),
  }),
  reader('readName', 'DNS message', (bytes) => readName(bytes, 0), {
    'single letters': (size) => Buffer.alloc(size, Buffer.from([1, 97])),
  }),
  reader('readServiceParameters', 'DNS record', readServiceParameters, {
    'keys that ascend': (size) =>
      Buffer.concat(Array.from({ length: size / 4 }, (_, key) => Buffer.from([key >> 8, key & 255, 0, 0]))),
    'many addresses': (size) => parameter(4, 4 * Math.floor(size / 4 - 4)),
    'many protocols': (size) => parameter(1, 2 * Math.floor(size / 2 - 4), Buffer.from([1, 97])),
  }),
  reader('parseDer', 'certificate list', parseDer),
  reader('parseCertificateExtensions', 'certificate', parseCertificateExtensions),
  reader('readCertificate', 'certificate', (bytes) => readCertificate(bytes.toString('base64'))),
  reader('readForm', 'certificate', readForm),
  reader('parseNameConstraints', 'certificate', parseNameConstraints),
  reader('parseSignedTimestamps', 'certificate', parseSignedTimestamps, {
    'empty timestamps': (size) =>
      Buffer.concat([Buffer.from([(size - 2) >> 8, (size - 2) & 255]), Buffer.alloc(size - 2)]),
  }),
  reader('parseOcspResponse', 'exchange', parseOcspResponse),
  reader('readStaple', 'exchange', (bytes) =>
    readStaple(bytes.toString('base64'), { leaf: {}, issuer: null, at: 0 } as never),
  ),
  reader('parseCertificateList', 'certificate list', parseCertificateList),
  reader('readRevocationList', 'certificate list', (bytes) =>
    readRevocationList(bytes, { extensions: { serialNumber: '01' } } as never, null),
  ),
  reader('parseCompressedCertificate', 'exchange', parseCompressedCertificate),
  reader('parseTlsSession', 'exchange', parseTlsSession),
  reader('parseVersionNegotiation', 'datagram', (bytes) =>
    parseVersionNegotiation(bytes, { destination: new Uint8Array(8), source: new Uint8Array(8) } as never),
  ),
  reader('parseImage', 'picture', parseImage, {
    'short segments': (size) =>
      Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.alloc(size - 2, Buffer.from([0xff, 0xe0, 0, 2]))]),
  }),
  reader('decodeFile', 'BIMI file', (bytes) => decodeFile(bytes, true)),
];

/** Tried on every reader of bytes. */
export const hostileBytes: ByteReader['own'] = {
  zeros: (size) => Buffer.alloc(size),
  ones: (size) => Buffer.alloc(size, 0xff),
  'sequences in sequences': nestedDer,
  'a sequence of nulls': (size) => derOf(0x30, Buffer.alloc(size - 8, Buffer.from([5, 0]))),
  'a sequence of sequences': (size) => derOf(0x30, Buffer.alloc(size - 8, Buffer.from([0x30, 0]))),
  'sequences in a list in a list': (size) =>
    derOf(0x30, derOf(0x30, Buffer.alloc(size - 16, Buffer.from([0x30, 3, 2, 1, 1])))),
  'a long number': (size) => derOf(0x30, derOf(2, Buffer.alloc(size - 16, 0x7f))),
  'a long object identifier': (size) => derOf(0x30, derOf(6, Buffer.alloc(size - 16, 0xff))),
  'a long name': (size) => derOf(6, Buffer.alloc(size - 16, 1)),
};

function derOf(tag: number, content: Uint8Array): Buffer {
  const { length } = content;
  return Buffer.concat([
    Buffer.from([tag, 0x84, length >>> 24, (length >> 16) & 255, (length >> 8) & 255, length & 255]),
    content,
  ]);
}

/** Each sequence holds the next one and nothing else. */
function nestedDer(size: number): Buffer {
  const bytes = Buffer.alloc(size);
  for (let at = 0; at + 5 <= size; at += 5) {
    bytes.set([0x30, 0x83], at);
    bytes.writeUIntBE(size - at - 5, at + 2, 3);
  }
  return bytes;
}

const longName = Buffer.concat([
  ...Array.from({ length: 63 }, () => Buffer.from([3, 97, 98, 99])),
  Buffer.from([0]),
]);

/** An answer to a question with a long name, with as many records as fit and are read. */
function message(size: number, record: Buffer): Buffer {
  const count = Math.min(500, Math.floor((size - longName.length - 16) / record.length));
  const head = Buffer.from([0, 1, 0x80, 0, 0, 1, count >> 8, count & 255, 0, 0, 0, 0]);
  return Buffer.concat([
    head,
    longName,
    Buffer.from([0, 1, 0, 1]),
    ...Array.from({ length: count }, () => record),
  ]);
}

function oneRecord(type: number, content: Buffer): Buffer {
  const head = Buffer.from([0, 1, 0x80, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, type, 0, 1, 0, 0, 0, 1]);
  return Buffer.concat([head, Buffer.from([content.length >> 8, content.length & 255]), content]);
}

function parameter(key: number, length: number, piece = Buffer.from([1, 2, 3, 4])): Buffer {
  return Buffer.concat([Buffer.from([0, key, length >> 8, length & 255]), Buffer.alloc(length, piece)]);
}
