import type { Socket } from 'node:net';
import { brotliCompressSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { joinBytes, numberBytes, vectorBytes } from '../../../worker/certificates/grammar/byte-cursor.ts';
import { readClientHello } from '../../unit/ssl-check/read-client-hello.ts';
import { answerSealed } from '../../unit/ssl-check/sealed-server.ts';
import { alertRecord } from '../../unit/ssl-check/write-server-flight.ts';
import { openSslLab, runLimitMs } from './lab.ts';
import { identity, openTcpServer, openTlsServer, type TlsServerOptions } from './servers.ts';

const lab = await openSslLab({ limits: { firstTimeoutMs: 2500 } });
afterAll(() => lab.close());

const good = identity(lab.leaf, lab.intermediate);
/** What a server of TLS 1.3 sends: no context, and both certificates, each without extensions (RFC 8446 §4.4.2). */
const message = joinBytes(
  0,
  vectorBytes(3, ...[lab.leaf, lab.intermediate].map(({ der }) => joinBytes(vectorBytes(3, der), 0, 0))),
);
const asItIs = { algorithm: null, bytes: message.length, wholeBytes: message.length };

const servers: readonly (readonly [name: string, options: TlsServerOptions, seen: object | null])[] = [
  ['its defaults', {}, asItIs],
  ['AES-128-GCM', { ciphers: 'TLS_AES_128_GCM_SHA256' }, asItIs],
  ['ChaCha20-Poly1305', { ciphers: 'TLS_CHACHA20_POLY1305_SHA256' }, asItIs],
  ['P-256', { ecdhCurve: 'P-256' }, asItIs],
  // The first answer asks for a share of the hybrid; the second has X25519.
  ['a hybrid before X25519', { ecdhCurve: 'X25519MLKEM768:X25519' }, asItIs],
  ['HTTP/1.1 alone', { ALPNProtocols: ['http/1.1'] }, asItIs],
  ['P-384, for which no key is sent', { ecdhCurve: 'P-384' }, null],
  ['TLS 1.2', { maxVersion: 'TLSv1.2' }, null],
];

test.for(servers)('the certificates of a server with %s', async ([, options, seen]) => {
  let opened = 0;
  const server = await openTlsServer({ ...good, ...options }, undefined, () => void (opened += 1));
  const { report } = await lab.check(server.port);
  await server.close();
  expect(report).toMatchObject({ certificateCompression: seen, connections: opened });
  expect(opened).toBeLessThanOrEqual(45);
});

const compressed = (bytes: Uint8Array) =>
  joinBytes(0, 2, numberBytes(message.length, 3), vectorBytes(3, bytes));
const brotli = compressed(brotliCompressSync(message));
const paper: readonly (readonly [name: string, body: Uint8Array, seen: object | null])[] = [
  ['with Brotli', brotli, { algorithm: 'brotli', bytes: brotli.length, wholeBytes: message.length }],
  ['as they should not be', compressed(message), null],
];

test.for(paper)('certificates that are compressed %s', async ([, body, seen]) => {
  const messages = [
    [8, Uint8Array.of(0, 0)],
    [25, body],
  ] as const;
  const server = await openTcpServer((socket: Socket) => {
    socket.once('data', (hello: Buffer) => {
      const isAsked = readClientHello(hello)?.extensions.includes(27) === true;
      const answer = { suite: 0x1301, group: 0x001d, messages } as const;
      socket.end(isAsked ? answerSealed(hello, answer) : alertRecord(2, 40));
    });
  });
  const { report, allBroken } = await lab.check(server.port);
  await server.close();
  expect(report).toMatchObject({ certificateCompression: seen });
  expect(allBroken.includes('certificate-compression-missing')).toBe(seen === null);
});

test('a server that trickles its sealed flight does not hold the check', async () => {
  const server = await openTcpServer((socket: Socket) => {
    socket.once('data', (hello: Buffer) => {
      if (readClientHello(hello)?.extensions.includes(27) !== true) return socket.end(alertRecord(2, 40));
      const answer = { suite: 0x1301, group: 0x001d, messages: [[8, Uint8Array.of(0, 0)]] } as const;
      return socket.write(answerSealed(hello, answer));
    });
  });
  const { report, tookMs } = await lab.check(server.port);
  await server.close();
  expect(report).toMatchObject({ certificateCompression: null, protocols: { 'TLSv1.3': true } });
  expect(tookMs).toBeLessThan(runLimitMs);
});
