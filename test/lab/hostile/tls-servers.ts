import { constants, generateKeyPairSync } from 'node:crypto';
import { createServer as createTlsServer } from 'node:tls';
import { joinBytes, vectorBytes } from '../../../worker/certificates/grammar/byte-cursor.ts';
import { extensionIds } from '../../../worker/certificates/grammar/certificate-extensions.ts';
import { issueCertificate, makeKey, nameOf, writePem } from '../../unit/ssl-check/issue-certificate.ts';
import { der, sequence, text, writeOcspResponse } from '../../unit/ssl-check/write-der.ts';
import { message, record } from '../../unit/ssl-check/write-server-flight.ts';
import { hostileServers, type Serve } from '../ssl-check/hostile.ts';
import { inRecords, makeCostlyChain, oddNumber, writeChainFlight, writeCostlyGroup } from './costly-keys.ts';

const after =
  (serve: (socket: Parameters<Serve>[0], hello: Buffer) => void): Serve =>
  (socket) =>
    void socket.once('data', (hello) => serve(socket, hello));
const says = (bytes: Uint8Array): Serve => after((socket) => void socket.end(bytes));

/** Writes as fast as the other end reads, until it goes. */
const forEver = (first: Uint8Array, piece: Uint8Array): Serve =>
  after((socket) => {
    socket.write(first);
    const write = () => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.on('drain', write);
    write();
  });

const hello = message(2, 3, 3, new Uint8Array(32), 0, 0x00, 0x9c, 0, vectorBytes(2, [0xff, 1, 0, 1, 0]));
const years = { notBefore: '2026-01-01T00:00:00', notAfter: '2036-01-01T00:00:00' };
const hosts = (count: number, suffix: string) => Array.from({ length: count }, (_, at) => `n${at}.${suffix}`);

const manyNames = issueCertificate({
  subject: 'a.test',
  issuer: null,
  names: hosts(4500, 'a.test'),
  ...years,
});
const rsa = issueCertificate({
  subject: 'a.test',
  issuer: null,
  names: ['a.test'],
  key: makeKey('rsa2048'),
  ...years,
});

/** Sequences in sequences, as deep as 16 kB allow, where an extension's value is due. */
function nested(depth: number): Uint8Array {
  let value: Uint8Array = der(0x05);
  for (let level = 0; level < depth; level += 1) value = sequence(value);
  return value;
}
const deep = (id: string) =>
  issueCertificate({
    subject: 'a.test',
    issuer: null,
    names: ['a.test'],
    extensions: [{ id, value: nested(4000) }],
    ...years,
  });

/** A leaf and CAs above it that are each limited in as many names as the leaf has: all have to be compared with all. */
function constrained(kind: 'dns' | 'directory'): Uint8Array[] {
  const base = (at: number) => (kind === 'dns' ? text(0x82, `n${at}.b.test`) : der(0xa4, nameOf(`n${at}`)));
  const subtrees = (tag: number) => der(tag, ...Array.from({ length: 800 }, (_, at) => sequence(base(at))));
  const upper = issueCertificate({
    subject: 'Upper',
    issuer: null,
    isAuthority: true,
    extensions: [{ id: extensionIds.nameConstraints, value: sequence(subtrees(0xa0), subtrees(0xa1)) }],
    ...years,
  });
  const alternatives = Array.from({ length: 600 }, (_, at) =>
    kind === 'dns' ? text(0x82, `n${at}.c.test`) : der(0xa4, nameOf(`m${at}`)),
  );
  const leaf = issueCertificate({
    subject: 'a.test',
    issuer: upper,
    extensions: [{ id: extensionIds.subjectAltName, value: sequence(...alternatives) }],
    ...years,
  });
  return [leaf.der, upper.der];
}

/** Forty CAs of one name, each of which may have signed the leaf and each other. */
function manyPaths(): Uint8Array[] {
  const key = makeKey();
  const one = (subject: string, at: number) =>
    issueCertificate({
      subject,
      issuer: { ...rsa, key, subject: 'CA' },
      key,
      isAuthority: subject === 'CA',
      names: subject === 'CA' ? [] : ['a.test'],
      serial: [1, at],
      ...years,
    });
  return [one('a.test', 1), ...Array.from({ length: 100 }, (_, at) => one('CA', at + 2))].map(
    (issued) => issued.der,
  );
}

const staple = writeOcspResponse(
  Array.from({ length: 900 }, (_, at) => ({
    serial: [1, at >> 8, at & 255],
    status: der(0x80),
    thisUpdate: '2026-11-20T00:00:00',
  })),
);
const stapled = joinBytes(
  inRecords(joinBytes(message(2, 3, 3, new Uint8Array(32), 0, 0x00, 0x9c, 0, vectorBytes(2, [0, 5, 0, 0])))),
  inRecords(message(11, vectorBytes(3, vectorBytes(3, rsa.der)))),
  inRecords(message(22, 1, vectorBytes(3, staple))),
  inRecords(message(14)),
);

const crumbs = writeChainFlight([rsa.der]);
const inCrumbs = joinBytes(
  ...[...crumbs.subarray(5)].slice(0, 4000).map((byte) => record(22, Uint8Array.of(byte))),
);

/** Secures connections with these; what the page says is nothing. */
function secured(key: string, cert: string): Serve {
  const server = createTlsServer({
    key,
    cert,
    maxVersion: 'TLSv1.3',
    secureOptions: constants.SSL_OP_NO_TICKET,
  });
  server.on('tlsClientError', () => undefined);
  server.on('secureConnection', (socket) => void socket.on('error', () => undefined).resume());
  return (socket) => void server.emit('connection', socket);
}

const huge = generateKeyPairSync('rsa', { modulusLength: 4096 }).privateKey;
const hugeKey = issueCertificate({ subject: 'a.test', issuer: null, names: ['a.test'], key: huge, ...years });

const slowToCheck = makeCostlyChain(70, 3072, 3072).map(writePem).join('');

/** What servers do that mean ill to whoever shakes hands with them: those of ssl-check's own lab, then those that cost computing. */
export const hostileTls: readonly (readonly [name: string, serve: Serve])[] = [
  ...hostileServers.map(([name, serve]) => [name, serve] as const),
  [
    'a prime of 10,000 bits',
    after((socket, bytes) => void socket.write(writeCostlyGroup(bytes, rsa, oddNumber(10_000, 0x80)))),
  ],
  ['a key of 16,384 bits', says(writeChainFlight(makeCostlyChain(1, 16_384, 64)))],
  ['seventy signatures that are slow to check', says(writeChainFlight(makeCostlyChain(70, 3072, 3072)))],
  ['the same, encrypted', secured(rsa.keyPem, rsa.certPem + slowToCheck)],
  ['records of one byte', says(inCrumbs)],
  [
    'records of one byte, one at a time',
    after((socket) => {
      let at = 0;
      const timer = setInterval(() => socket.write(inCrumbs.subarray(at, (at += 6))), 1);
      socket.once('close', () => clearInterval(timer));
    }),
  ],
  [
    'a Certificate message of 16 MB',
    forEver(
      joinBytes(record(22, hello), record(22, joinBytes(11, [0xff, 0xff, 0xff]))),
      record(22, new Uint8Array(16_000)),
    ),
  ],
  ['a chain of a thousand', says(writeChainFlight(Array.from({ length: 180 }, () => rsa.der)))],
  ['4,500 names', says(writeChainFlight([manyNames.der]))],
  ['4,500 names behind a handshake', secured(manyNames.keyPem, manyNames.certPem)],
  ['a large key behind a handshake', secured(hugeKey.keyPem, hugeKey.certPem)],
  ...Object.values(extensionIds).map(
    (id) => [`nesting in ${id}`, says(writeChainFlight([deep(id).der]))] as const,
  ),
  ['names against constraints', says(writeChainFlight(constrained('dns')))],
  ['directory names against constraints', says(writeChainFlight(constrained('directory')))],
  ['a hundred CAs of one name', says(writeChainFlight(manyPaths()))],
  ['a staple for 900 certificates', says(stapled)],
];
