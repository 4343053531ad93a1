import { createServer as createTlsServer } from 'node:tls';
import { isMainThread, parentPort } from 'node:worker_threads';
import { brotliCompressSync, constants, deflateSync, zstdCompressSync } from 'node:zlib';
import { inRecords, writeChainFlight } from '../test/lab/hostile/costly-keys.ts';
import { hostileTls } from '../test/lab/hostile/tls-servers.ts';
import type { Serve } from '../test/lab/ssl-check/hostile.ts';
import { openTcpServer } from '../test/lab/ssl-check/servers.ts';
import { issueCertificate, makeKey, type Issued } from '../test/unit/ssl-check/issue-certificate.ts';
import { answerSealed } from '../test/unit/ssl-check/sealed-server.ts';
import { der, sequence, text } from '../test/unit/ssl-check/write-der.ts';
import { message, record } from '../test/unit/ssl-check/write-server-flight.ts';
import { joinBytes, numberBytes, vectorBytes } from '../worker/certificates/grammar/byte-cursor.ts';
import { extensionIds } from '../worker/certificates/grammar/certificate-extensions.ts';

const years = { notBefore: '2026-01-01T00:00:00', notAfter: '2036-01-01T00:00:00' };
const own = (wishes: Partial<Parameters<typeof issueCertificate>[0]> = {}): Issued =>
  issueCertificate({ subject: 'lab.test', issuer: null, names: ['lab.test'], ...years, ...wishes });
const rsa = own({ key: makeKey('rsa2048') });
const small = own();
/** A list of timestamps as long as an extension may be, each as long as those of logs. */
const timestampList = (bytes: number) => {
  const one = vectorBytes(
    2,
    joinBytes(0, new Uint8Array(32), new Uint8Array(8), 0, 0, 4, 3, vectorBytes(2, new Uint8Array(71))),
  );
  return vectorBytes(2, joinBytes(...Array.from({ length: Math.floor(bytes / one.length) }, () => one)));
};
const withTimestamps = own({
  extensions: [{ id: extensionIds.timestamps, value: der(0x04, timestampList(60_000)) }],
});
const shortTimestamps = own({
  extensions: [
    {
      id: extensionIds.timestamps,
      value: der(
        0x04,
        vectorBytes(2, joinBytes(...Array.from({ length: 14_000 }, () => vectorBytes(2, [0, 0])))),
      ),
    },
  ],
});
const names = (count: number, write: (at: number) => Uint8Array) =>
  own({
    names: [],
    extensions: [
      {
        id: extensionIds.subjectAltName,
        value: sequence(...Array.from({ length: count }, (_, at) => write(at))),
      },
    ],
  });
const shortNames = names(19_000, () => text(0x82, 'a'));
const addresses = names(9000, (at) => der(0x87, [10, 0, at >> 8, at & 255]));
const manyExtensions = own({
  extensions: Array.from({ length: 4500 }, (_, at) => ({ id: `1.3.6.1.${at}`, value: der(0x05) })),
});
const manyPolicies = own({
  extensions: [
    {
      id: extensionIds.policies,
      value: sequence(
        ...Array.from({ length: 5500 }, (_, at) => sequence(der(0x06, [42, 3, 4, 0x81, at & 127]))),
      ),
    },
  ],
});
const manyPoints = own({
  extensions: [
    {
      id: extensionIds.revocationLists,
      value: sequence(
        ...Array.from({ length: 4000 }, () => sequence(der(0xa0, der(0xa0, text(0x86, 'http://a/'))))),
      ),
    },
  ],
});

const answers =
  (make: (hello: Buffer) => Uint8Array): Serve =>
  (socket) => {
    socket.once('data', (hello) => {
      try {
        socket.end(make(hello));
      } catch {
        socket.end(Uint8Array.of(21, 3, 3, 0, 2, 2, 40)); // this hello brings no key
      }
    });
  };
const says = (bytes: Uint8Array) => answers(() => bytes);
const secured = (cert: string, key: string): Serve => {
  const server = createTlsServer({ key, cert });
  server.on('tlsClientError', () => undefined);
  server.on('secureConnection', (socket) => void socket.on('error', () => undefined).resume());
  return (socket) => void server.emit('connection', socket);
};

/** A Certificate of TLS 1.3 with these entries. */
const certificate13 = (...entries: readonly Uint8Array[]) =>
  joinBytes(0, vectorBytes(3, joinBytes(...entries.map((one) => joinBytes(vectorBytes(3, one), 0, 0)))));
const sealed = (type: number, body: Uint8Array, recordBytes = 16_000): Serve =>
  answers((hello) =>
    answerSealed(hello, {
      suite: 0x1301,
      group: 0x001d,
      messages: [
        [8, vectorBytes(2, [])],
        [type, body],
      ],
      recordBytes,
    }),
  );
const compressed = (algorithm: number, bytes: Uint8Array, length: number) =>
  sealed(25, joinBytes(numberBytes(algorithm, 2), numberBytes(length, 3), vectorBytes(3, bytes)));
const bomb = new Uint8Array(60_000_000);

const extension = (type: number, ...parts: readonly number[]) =>
  joinBytes(numberBytes(type, 2), vectorBytes(2, [...parts]));
const hello12 = (extensions: Uint8Array) =>
  inRecords(message(2, 3, 3, new Uint8Array(32), 0, 0xc0, 0x2f, 0, vectorBytes(2, extensions)));
const flood = (count: number) => Array.from({ length: count }, () => small.certPem).join('');

/** Flights that are made to hold the event loop of whoever reads them, beside those that tests have. */
const flights: readonly (readonly [name: string, serve: Serve])[] = [
  ...hostileTls.filter(([name]) =>
    /names|nesting in 2.5.29.17|constraints|CAs|staple|thousand|records of one byte$|signatures|Certificate message/.test(
      name,
    ),
  ),
  ['19,000 short names', says(writeChainFlight([shortNames.der]))],
  ['19,000 short names behind a handshake', secured(shortNames.certPem, shortNames.keyPem)],
  ['9,000 addresses', says(writeChainFlight([addresses.der]))],
  ['9,000 addresses behind a handshake', secured(addresses.certPem, addresses.keyPem)],
  ['60 kB of timestamps', says(writeChainFlight([withTimestamps.der]))],
  ['60 kB of timestamps behind a handshake', secured(withTimestamps.certPem, withTimestamps.keyPem)],
  ['14,000 broken timestamps', says(writeChainFlight([shortTimestamps.der]))],
  [
    'timestamps beside the certificate',
    says(
      joinBytes(
        hello12(extension(18, ...timestampList(60_000))),
        inRecords(message(11, vectorBytes(3, vectorBytes(3, rsa.der)))),
        inRecords(message(14)),
      ),
    ),
  ],
  ['4,500 extensions', says(writeChainFlight([manyExtensions.der]))],
  ['4,500 extensions behind a handshake', secured(manyExtensions.certPem, manyExtensions.keyPem)],
  ['5,500 policies', says(writeChainFlight([manyPolicies.der]))],
  ['5,500 policies behind a handshake', secured(manyPolicies.certPem, manyPolicies.keyPem)],
  ['4,000 distribution points', says(writeChainFlight([manyPoints.der]))],
  ['4,000 distribution points behind a handshake', secured(manyPoints.certPem, manyPoints.keyPem)],
  ['190 small certificates', says(writeChainFlight(Array.from({ length: 190 }, () => small.der)))],
  ['300 small certificates behind a handshake', secured(flood(300), small.keyPem)],
  [
    '16,000 certificates of one byte',
    says(writeChainFlight(Array.from({ length: 16_000 }, () => Uint8Array.of(0x30)))),
  ],
  [
    'a ServerHello with 15,000 extensions',
    says(hello12(joinBytes(...Array.from({ length: 15_000 }, (_, at) => extension(0x3000 + (at & 0xfff)))))),
  ],
  [
    '20,000 certificates of one byte, sealed',
    sealed(11, certificate13(...Array.from({ length: 12_000 }, () => Uint8Array.of(0x30)))),
  ],
  ['sealed records of one byte', sealed(11, certificate13(rsa.der), 1)],
  [
    '190 small certificates, sealed',
    sealed(11, certificate13(...Array.from({ length: 190 }, () => small.der))),
  ],
  ['a bomb of zlib', compressed(1, deflateSync(bomb, { level: 9 }), 102_400)],
  [
    'a bomb of brotli',
    compressed(2, brotliCompressSync(bomb, { params: { [constants.BROTLI_PARAM_LGWIN]: 24 } }), 102_400),
  ],
  ['a bomb of zstd', compressed(3, zstdCompressSync(bomb), 102_400)],
  ['100 kB of zlib', compressed(1, deflateSync(new Uint8Array(102_400)), 102_400)],
  ['60 kB of brotli that is noise', compressed(2, brotliCompressSync(noise(60_000)), 60_000)],
  [
    'a Certificate in 4,000 records',
    says(
      joinBytes(
        hello12(extension(0xff01, 0)),
        inRecords(message(11, vectorBytes(3, vectorBytes(3, rsa.der))), 1),
        record(22, message(14)),
      ),
    ),
  ],
];

function noise(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, at) => (at * 2_654_435_761) >>> 13);
}

/** Opens all of them in this thread, and tells their ports to the one that measures. */
async function openAll(): Promise<void> {
  const opened: [string, number][] = [];
  for (const [name, serve] of flights) {
    const server = await openTcpServer(serve);
    opened.push([name, server.port]);
  }
  parentPort?.postMessage(opened);
}

if (!isMainThread) await openAll();
