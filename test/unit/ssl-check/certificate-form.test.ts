import { brotliCompressSync, deflateSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { joinBytes, numberBytes, vectorBytes } from '../../../worker/certificates/grammar/byte-cursor.ts';
import { parseCompressedCertificate } from '../../../worker/checks/ssl-check/grammar/certificate-message.ts';
import { writeClientHello } from '../../../worker/checks/ssl-check/grammar/client-hello.ts';
import {
  groupsWithKeys,
  deriveServerSecret,
  makeKeyShares,
} from '../../../worker/checks/ssl-check/grammar/key-shares.ts';
import { openSealedFlightReader } from '../../../worker/checks/ssl-check/grammar/sealed-flight.ts';
import { runsOf } from '../../kit/property-runs.ts';
import { leaf } from './evidence-of.ts';
import { answerSealed, type SealedAnswer } from './sealed-server.ts';
import { extension, writeServerFlight } from './write-server-flight.ts';

const message = joinBytes(0, vectorBytes(3, vectorBytes(3, leaf.der), 0, 0));
const compressed = (id: number, content: Uint8Array, length = message.length) =>
  joinBytes(numberBytes(id, 2), numberBytes(length, 3), vectorBytes(3, content));

const ways = [
  ['zlib', 1, deflateSync],
  ['brotli', 2, brotliCompressSync],
  ['zstd', 3, zstdCompressSync],
] as const;

test.for(ways)('a certificate that is compressed with %s is read', ([compression, id, compress]) => {
  const body = compressed(id, compress(message));
  const expected = { kind: 'form', compression, bytes: body.length, wholeBytes: message.length };
  expect(parseCompressedCertificate(body)).toEqual(expected);
});

const bomb = deflateSync(new Uint8Array(50_000_000));
test.for([
  ['nothing', new Uint8Array(0), /cut off/],
  ['bytes behind it', joinBytes(compressed(1, deflateSync(message)), 0), /cut off/],
  ['an algorithm that was not offered', compressed(4, deflateSync(message)), /not offered/],
  ['no compressed bytes', compressed(1, message), /do not become/],
  ['one byte more than it says', compressed(1, deflateSync(message), message.length - 1), /do not become/],
  ['one byte less than it says', compressed(1, deflateSync(message), message.length + 1), /do not become/],
  ['50 MB that it tells', compressed(1, bomb, 0xffffff), /more than clients read/],
  ['50 MB that it does not tell', compressed(1, bomb, 1000), /do not become/],
] as const)('a compressed certificate: %s', ([, body, why]) => {
  const used = process.threadCpuUsage();
  expect(parseCompressedCertificate(body)).toMatchObject({
    kind: 'malformed',
    malformed: expect.stringMatching(why),
  });
  // Decompressing all of it takes 100 ms and more.
  expect(process.threadCpuUsage(used).user / 1000).toBeLessThan(50);
});

test('the secrets are those of RFC 8448 §3', () => {
  const hex = (text: string) => Buffer.from(text, 'hex');
  const secret = deriveServerSecret('sha256', hex(vectors.shared), hex(vectors.messages.join('')));
  expect(Buffer.from(secret).toString('hex')).toBe(vectors.secret);
});

/** RFC 8448 §3, "Simple 1-RTT Handshake". */
const vectors = {
  shared: '8bd4054fb55b9d63fdfbacf9f04b9f0d35e6d63f537563efd46272900f89492d',
  messages: [
    '010000c00303cb34ecb1e78163ba1c38c6dacb196a6dffa21a8d9912ec18a2ef6283024dece7000006130113031302010000910000000b0009000006736572766572ff01000100000a00140012001d0017001800190100010101020103010400230000003300260024001d002099381de560e4bd43d23d8e435a7dbafeb3c06e51c13cae4d5413691e529aaf2c002b0003020304000d0020001e040305030603020308040805080604010501060102010402050206020202002d00020101001c00024001',
    '020000560303a6af06a4121860dc5e6e60249cd34c95930c8ac5cb1434dac155772ed3e2692800130100002e00330024001d0020c9828876112095fe66762bdbf7c672e156d6cc253b833df1dd69b1b04e751f0f002b00020304',
  ],
  secret: 'b67b7d690cc16c4e75e54213cb2d37b4e9c912bcded9105d42befd59d391ad38',
} as const;

const shares = makeKeyShares();
const hello = writeClientHello({
  version: 'TLSv1.3',
  servername: 'a.test',
  suites: [0x1301, 0x1302, 0x1303, 0x1304, 0x1305],
  groups: [0x001d, 0x0017],
  alpn: [],
  compression: false,
  random: new Uint8Array(32).fill(7),
  keyShares: shares.of(groupsWithKeys),
  certificateCompressions: [2, 1, 3],
});
const extensions = [8, Uint8Array.of(0, 0)] as const;
const usual: SealedAnswer = { suite: 0x1301, group: 0x001d, messages: [extensions, [11, message]] };
const read = (bytes: Uint8Array, pieceBytes = bytes.length) => {
  const reader = openSealedFlightReader(hello, shares, 65_536);
  for (let end = pieceBytes; end < bytes.length + pieceBytes; end += pieceBytes)
    reader.readTo(bytes.subarray(0, end));
  return { form: reader.form(), isOver: reader.isOver() };
};
const plain = { kind: 'form', compression: null, bytes: message.length, wholeBytes: message.length };

test.for([0x1301, 0x1302, 0x1303, 0x1304, 0x1305])('a flight in suite %i is opened', (suite) => {
  for (const group of [0x001d, 0x0017] as const)
    expect(read(answerSealed(hello, { ...usual, suite, group }))).toEqual({ form: plain, isOver: true });
});

test.for([1, 7, 1000])('a flight in pieces of %i bytes is opened', (pieceBytes) => {
  expect(read(answerSealed(hello, { ...usual, recordBytes: 100 }), pieceBytes).form).toEqual(plain);
});

test('a compressed certificate behind a request for one of ours is found', () => {
  const body = compressed(2, brotliCompressSync(message));
  const flight = answerSealed(hello, {
    ...usual,
    messages: [extensions, [13, Uint8Array.of(0, 0, 0)], [25, body]],
  });
  expect(read(flight).form).toMatchObject({ compression: 'brotli', bytes: body.length });
});

const other = makeKeyShares();
const retry = writeServerFlight({
  version: 0x0303,
  suite: 0x1301,
  random: Buffer.from('cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c', 'hex'),
  extensions: [extension(43, 3, 4), extension(51, 0, 0x1d)],
});
const point = (...bytes: number[]) =>
  writeServerFlight({
    version: 0x0303,
    suite: 0x1301,
    extensions: [extension(43, 3, 4), extension(51, ...bytes)],
  });
test.for([
  ['nothing', new Uint8Array(0), false],
  ['an alert', Uint8Array.of(21, 3, 3, 0, 2, 2, 40), true],
  ['a HelloRetryRequest', retry, true],
  ['a ServerHello of TLS 1.2', writeServerFlight({ version: 0x0303, suite: 0xc02b }), true],
  ['a group that has no key', point(0, 0x1e, 0, 1, 1), true],
  ['a point that is not on the curve', point(0, 0x17, 0, 65, 4, ...new Uint8Array(64)), true],
  ['a key share that is cut off', point(0, 0x1d), true],
  ['a ServerHello alone', answerSealed(hello, { ...usual, messages: [] }), false],
] as const)('%s shows no certificate', ([, bytes, isOver]) => {
  expect(read(bytes)).toEqual({ form: null, isOver });
});

test('what another key sealed ends the reading', () => {
  const reader = openSealedFlightReader(hello, other, 65_536);
  reader.readTo(answerSealed(hello, usual));
  expect([reader.form(), reader.isOver()]).toEqual([null, true]);
});

test.for([0, 1, 5, 15, 16])('a sealed record of %i bytes ends the reading', (size) => {
  const short = joinBytes(23, 3, 3, numberBytes(size, 2), new Uint8Array(size));
  const flight = joinBytes(answerSealed(hello, { ...usual, messages: [] }), short);
  expect(read(flight)).toEqual({ form: null, isOver: true });
});

test('reading never throws', () => {
  const flight = answerSealed(hello, usual);
  fc.assert(
    fc.property(fc.nat(flight.length - 1), fc.nat(255), (at, byte) => {
      const changed = Uint8Array.from(flight);
      changed[at] = byte;
      const { form } = read(changed);
      expect(form === null || form.kind === 'form' || form.kind === 'malformed').toBe(true);
    }),
    { numRuns: runsOf(1000) },
  );
});
