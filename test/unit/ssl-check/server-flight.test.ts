import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { joinBytes, vectorBytes } from '../../../worker/certificates/grammar/byte-cursor.ts';
import { openFlightReader } from '../../../worker/checks/ssl-check/grammar/server-flight.ts';
import { alertName } from '../../../worker/checks/ssl-check/grammar/tls-names.ts';
import { alertRecord, extension, message, record, writeServerFlight } from './write-server-flight.ts';

const limitBytes = 65_536;
/** Reads an answer in pieces of so many bytes. */
const readIn = (pieceBytes: number, bytes: Uint8Array) => {
  const reader = openFlightReader(limitBytes);
  for (let end = pieceBytes; end < bytes.length; end += pieceBytes) reader.readTo(bytes.subarray(0, end));
  reader.readTo(bytes);
  return reader;
};
const read = (bytes: Uint8Array) => readIn(bytes.length || 1, bytes);

const hex = (text: string) => Uint8Array.from(Buffer.from(text.replaceAll(/\s/g, ''), 'hex'));

/** RFC 8448 §3: the ServerHello of a simple 1-RTT handshake. */
const serverHello =
  hex(`02 00 00 56 03 03 a6 af 06 a4 12 18 60 dc 5e 6e 60 24 9c d3 4c 95 93 0c 8a c5 cb 14 34 da c1 55
  77 2e d3 e2 69 28 00 13 01 00 00 2e 00 33 00 24 00 1d 00 20 c9 82 88 76 11 20 95 fe 66 76 2b db
  f7 c6 72 e1 56 d6 cc 25 3b 83 3d f1 dd 69 b1 b0 4e 75 1f 0f 00 2b 00 02 03 04`);

/** RFC 8448 §5: a HelloRetryRequest that asks for P-256 and hands out a cookie. */
const helloRetry =
  hex(`02 00 00 ac 03 03 cf 21 ad 74 e5 9a 61 11 be 1d 8c 02 1e 65 b8 91 c2 a2 11 16 7a bb 8c 5e 07 9e
  09 e2 c8 a8 33 9c 00 13 01 00 00 84 00 33 00 02 00 17 00 2c 00 74 00 72 71 dc d0 4b b8 8b c3 18
  91 19 39 8a 00 00 00 00 ee fa fc 76 c1 46 b8 23 b0 96 f8 aa ca d3 65 dd 00 30 95 3f 4e df 62 56
  36 e5 f2 1b b2 e2 3f cc 65 4b 1b 5b 40 31 8d 10 d1 37 ab cb b8 75 74 e3 6e 8a 1f 02 5f 7d fa 5d
  6e 50 78 1b 5e da 4a a1 5b 0c 8b e7 78 25 7d 16 aa 30 30 e9 e7 84 1d d9 e4 c0 34 22 67 e8 ca 0c
  af 57 1f b2 b7 cf f0 f9 34 b0 00 2b 00 02 03 04`);

const prime = (bytes: number, first = 0xff) => new Uint8Array(bytes).fill(1).fill(first, 0, 1);
const tls12 = { version: 0x0303, suite: 0xc02f, done: true };

const flights = [
  {
    name: 'RFC 8448 §3: a TLS 1.3 ServerHello',
    bytes: record(22, serverHello),
    reads: { version: 0x0304, suite: 0x1301, group: 0x001d, isHelloRetry: false, isComplete: true },
  },
  {
    name: 'RFC 8448 §5: a HelloRetryRequest',
    bytes: record(22, helloRetry),
    reads: { version: 0x0304, suite: 0x1301, group: 0x0017, isHelloRetry: true, isComplete: true },
  },
  {
    name: 'SSL 3.0 without extensions',
    bytes: writeServerFlight({ version: 0x0300, suite: 5, extensions: null, done: true }),
    reads: { version: 0x0300, suite: 5, secureRenegotiation: false, isComplete: true },
  },
  {
    name: 'a named curve',
    bytes: writeServerFlight({ ...tls12, group: 0x0017 }),
    reads: { group: 0x0017, dhBits: null },
  },
  {
    name: 'a prime of 1024 bits',
    bytes: writeServerFlight({ ...tls12, suite: 0x009e, prime: prime(128) }),
    reads: { dhBits: 1024, group: null },
  },
  {
    name: 'a prime with leading zeros',
    bytes: writeServerFlight({ ...tls12, suite: 0x0033, prime: joinBytes(0, 0, prime(64, 1)) }),
    reads: { dhBits: 505, dhPrimeSha256: createHash('sha256').update(prime(64, 1)).digest('hex') },
  },
  {
    name: 'the scheme of a signature on a curve',
    bytes: writeServerFlight({ ...tls12, group: 0x0017, scheme: 0x0804 }),
    reads: { group: 0x0017, signatureScheme: 0x0804, isComplete: true },
  },
  {
    name: 'the scheme of a signature on a prime',
    bytes: writeServerFlight({ ...tls12, suite: 0x009e, prime: prime(128), scheme: 0x0201 }),
    reads: { dhBits: 1024, signatureScheme: 0x0201 },
  },
  {
    name: 'TLS 1.0, which names no scheme',
    bytes: writeServerFlight({ version: 0x0301, suite: 0xc013, group: 0x0017, scheme: 0x0201, done: true }),
    reads: { group: 0x0017, signatureScheme: null },
  },
  {
    name: 'an anonymous exchange, which is not signed',
    bytes: writeServerFlight({ ...tls12, suite: 0xc018, group: 0x0017, scheme: 0x0201 }),
    reads: { group: 0x0017, signatureScheme: null },
  },
  {
    name: 'renegotiation, master secret and ALPN',
    bytes: writeServerFlight({
      ...tls12,
      extensions: [
        extension(0xff01, 0),
        extension(23),
        extension(16, vectorBytes(2, vectorBytes(1, [104, 50]))),
      ],
    }),
    reads: { secureRenegotiation: true, extendedMasterSecret: true, alpn: 'h2' },
  },
  {
    name: 'none of them',
    bytes: writeServerFlight({ ...tls12, extensions: [] }),
    reads: { secureRenegotiation: false, extendedMasterSecret: false, alpn: null },
  },
  { name: 'DEFLATE', bytes: writeServerFlight({ ...tls12, compression: 1 }), reads: { compression: 1 } },
  {
    name: 'a request for a certificate',
    bytes: writeServerFlight({ ...tls12, certificateRequested: true }),
    reads: { certificateRequested: true },
  },
  {
    name: 'two certificates',
    bytes: writeServerFlight({ ...tls12, certificates: [Uint8Array.of(1, 2), Uint8Array.of(3)] }),
    reads: { certificates: [Uint8Array.of(1, 2), Uint8Array.of(3)] },
  },
  {
    name: 'a stapled answer',
    bytes: writeServerFlight({ ...tls12, ocspResponse: Uint8Array.of(9, 9) }),
    reads: { ocspResponse: Uint8Array.of(9, 9) },
  },
  {
    name: 'signed timestamps',
    bytes: writeServerFlight({ ...tls12, extensions: [extension(18, 0, 0)] }),
    reads: { timestampList: Uint8Array.of(0, 0) },
  },
  {
    name: 'a flight that is not at its end yet',
    bytes: writeServerFlight({ ...tls12, done: false }),
    reads: { isComplete: false },
  },
  {
    name: 'a flight that an alert ends',
    bytes: joinBytes(writeServerFlight({ ...tls12, done: false }), alertRecord(2, 80)),
    reads: { isComplete: true },
  },
];
test.for(flights)('reads $name', ({ bytes, reads }) => {
  expect(read(bytes).answer()).toMatchObject({ kind: 'flight', ...reads });
  expect(read(bytes).isComplete()).toBe(reads.isComplete ?? true);
});

const others = [
  {
    name: 'a fatal alert',
    bytes: alertRecord(2, 40),
    reads: { kind: 'alert', level: 2, description: 40 },
    complete: true,
  },
  {
    name: 'a warning before the hello is passed over',
    bytes: joinBytes(alertRecord(1, 112), writeServerFlight(tls12)),
    reads: { kind: 'flight' },
    complete: true,
  },
  {
    name: 'a warning alone is not the end',
    bytes: alertRecord(1, 112),
    reads: { kind: 'incomplete' },
    complete: false,
  },
  { name: 'nothing', bytes: new Uint8Array(0), reads: { kind: 'incomplete' }, complete: false },
  {
    name: 'half a record',
    bytes: record(22, serverHello).subarray(0, 40),
    reads: { kind: 'incomplete' },
    complete: false,
  },
  {
    name: 'plain HTTP',
    bytes: new TextEncoder().encode('HTTP/1.1 400 Bad Request\r\n'),
    reads: { kind: 'malformed', at: 0 },
    complete: true,
  },
  {
    name: 'an SSH greeting',
    bytes: new TextEncoder().encode('SSH-2.0-x\r\n'),
    reads: { kind: 'malformed', at: 0 },
    complete: true,
  },
  {
    name: 'a record of version 9',
    bytes: Uint8Array.of(22, 9, 0, 0, 1, 0),
    reads: { kind: 'malformed', at: 1 },
    complete: true,
  },
  {
    name: 'a record too long',
    bytes: Uint8Array.of(22, 3, 3, 255, 255, 2),
    reads: { kind: 'malformed', at: 3 },
    complete: true,
  },
  {
    name: 'a message too long',
    bytes: record(22, Uint8Array.of(2, 255, 255, 255)),
    reads: { kind: 'malformed' },
    complete: true,
  },
  {
    name: 'a first message that is no ServerHello',
    bytes: record(22, message(14)),
    reads: { kind: 'malformed' },
    complete: true,
  },
  {
    name: 'a ServerHello of three bytes',
    bytes: record(22, message(2, 3, 3, 0)),
    reads: { kind: 'malformed' },
    complete: true,
  },
  {
    name: 'an extension longer than its block',
    bytes: record(22, joinBytes(serverHello.subarray(0, 46), 255, 255, serverHello.subarray(48))),
    reads: { kind: 'malformed' },
    complete: true,
  },
  {
    name: 'a certificate list that runs past its end',
    bytes: joinBytes(
      writeServerFlight({ ...tls12, done: false }),
      record(22, message(11, Uint8Array.of(0, 0, 9, 1))),
    ),
    reads: { kind: 'malformed' },
    complete: true,
  },
];
test.for(others)('reads $name', ({ bytes, reads, complete }) => {
  expect(read(bytes).answer()).toMatchObject(reads);
  expect(read(bytes).isComplete()).toBe(complete);
});

test('a message split over records reads like one', () => {
  const split = joinBytes(record(22, serverHello.subarray(0, 7)), record(22, serverHello.subarray(7)));
  expect(read(split).answer()).toEqual(read(record(22, serverHello)).answer());
});

test.for([...flights, ...others])('reads $name the same byte by byte', ({ bytes }) => {
  expect(readIn(1, bytes).answer()).toEqual(read(bytes).answer());
  expect(readIn(1, bytes).isComplete()).toBe(read(bytes).isComplete());
});

/** A flight of 64 kB that ends only with its last byte, in records of so many bytes. */
const largeFlight = (recordBytes: number) => {
  const whole = joinBytes(
    message(2, 3, 3, new Uint8Array(32), vectorBytes(1, []), 0xc0, 0x2b, 0),
    message(11, vectorBytes(3, vectorBytes(3, new Uint8Array(54_000)))),
    message(14),
  );
  const starts = Array.from(
    { length: Math.ceil(whole.length / recordBytes) },
    (_, index) => index * recordBytes,
  );
  return joinBytes(...starts.map((at) => record(22, whole.subarray(at, at + recordBytes))));
};

test.for([
  ['large records', 16_384],
  ['records of 40 bytes', 40],
] as const)('64 kB in %s are read once, however small the pieces are', ([, recordBytes]) => {
  const bytes = largeFlight(recordBytes);
  const whole = read(bytes);
  const small = readIn(1, bytes);
  expect(whole.answer()).toMatchObject({ kind: 'flight', isComplete: true });
  expect(small.answer()).toEqual(whole.answer());
  expect(small.bytesRead()).toBe(whole.bytesRead());
  expect(small.bytesRead()).toBeLessThan(2 * bytes.length);
});

test('a Certificate message that cannot fit is told by its size, before it has come', () => {
  const hello = writeServerFlight({ ...tls12, done: false });
  const head = Uint8Array.of(22, 3, 3, 0x40, 0, 11, 0x02, 0x60, 0x00);
  const reader = read(joinBytes(hello, head));
  expect(reader.answer()).toMatchObject({ kind: 'flight', suite: 0xc02f, oversizeBytes: 0x26000 });
  expect(reader.isComplete()).toBe(true);
});

test('empty records without end are no TLS', () => {
  const empty = joinBytes(...Array.from({ length: 17 }, () => record(22, new Uint8Array(0))));
  expect(read(empty).answer()).toMatchObject({ kind: 'malformed', malformed: 'empty records without end' });
  expect(read(empty.subarray(0, 80)).isComplete()).toBe(false);
});

test('any bytes are read without throwing', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      expect(read(bytes).answer()).toBeDefined();
    }),
  );
});

test('a true flight with a few bytes changed, cut or added is read without throwing', () => {
  const whole = writeServerFlight({
    ...tls12,
    certificates: [new Uint8Array(50)],
    group: 23,
    certificateRequested: true,
  });
  const change = fc.tuple(fc.nat(whole.length - 1), fc.nat(255));
  fc.assert(
    fc.property(fc.array(change, { maxLength: 6 }), fc.nat(whole.length), (changes, end) => {
      const bytes = Uint8Array.from(whole);
      for (const [at, value] of changes) bytes[at] = value;
      expect(['flight', 'alert', 'incomplete', 'malformed']).toContain(
        read(bytes.subarray(0, end)).answer().kind,
      );
    }),
  );
});

test.for([
  [40, 'handshake_failure'],
  [112, 'unrecognized_name'],
  [116, 'certificate_required'],
  [200, 'alert 200'],
] as const)('alert %i is %s', ([number, name]) => {
  expect(alertName(number)).toBe(name);
});
