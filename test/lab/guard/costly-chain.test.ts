import { constants, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { createSecureContext, createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { parseCidr } from '#shared/targets/classify-address';
import { openAddressSlots } from '../../../worker/probes/address-slots.ts';
import { openGuard } from '../../../worker/probes/guard.ts';
import { connectTls } from '../../../worker/probes/tls/guarded-stream.ts';
import { openTlsProbe, tlsLimits } from '../../../worker/probes/tls/open.ts';
import type { HandshakeRequest } from '../../../worker/probes/tls/port.ts';
import { issueCertificate, makeKey, writePem } from '../../unit/ssl-check/issue-certificate.ts';
import { makeCostlyChain, writeChainFlight } from '../hostile/costly-keys.ts';

const rsa = issueCertificate({
  subject: 'c1',
  issuer: null,
  names: ['a.test'],
  key: makeKey('rsa2048'),
  notAfter: '2030-01-01T00:00:00',
});
const chains = {
  usual: [],
  // As long as OpenSSL takes: many servers send every certificate they have.
  long: Array.from({ length: 60 }, () => rsa.certPem),
  costly: makeCostlyChain(70, 3072, 3072).slice(1).map(writePem),
};

async function listen(serve: (socket: Socket) => void): Promise<number> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket.on('error', () => undefined).once('close', () => open.delete(socket)));
    serve(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    await expect.poll(() => open.size, { timeout: 30_000 }).toBe(0);
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

function secured(chain: keyof typeof chains, options: TlsOptions = {}) {
  const server = createTlsServer({ key: rsa.keyPem, cert: rsa.certPem + chains[chain].join(''), ...options });
  server.on('tlsClientError', () => undefined);
  server.on('secureConnection', (socket) => void socket.on('error', () => undefined).resume());
  return (socket: Socket) => void server.emit('connection', socket);
}

function shake(port: number, request: Partial<HandshakeRequest> = {}) {
  const policy = {
    addresses: { allow: [parseCidr('127.0.0.0/8')], deny: [] },
    allowedSuffixes: ['test'],
    ports: [[1, 65_535] as const],
  };
  const dial = openGuard({
    policy,
    resolve: async () => ['127.0.0.1'],
    portMap: new Map(),
    slots: openAddressSlots(8),
    charge: async () => undefined,
    connectTimeoutMs: 1000,
  });
  const probe = openTlsProbe(dial, async () => ['127.0.0.1'], tlsLimits, new AbortController().signal);
  return probe.handshake({ host: 'a.test', port, servername: 'a.test', lingerMs: 0, ...request });
}

const tls13 = { minVersion: 'TLSv1.3' } as const;
const tls12 = { maxVersion: 'TLSv1.2' } as const;

test.for([
  ['TLS 1.3', tls13, {}],
  ['TLS 1.3 with AES-256-GCM', { ...tls13, ciphers: 'TLS_AES_256_GCM_SHA384' }, {}],
  ['TLS 1.3 with ChaCha20-Poly1305', { ...tls13, ciphers: 'TLS_CHACHA20_POLY1305_SHA256' }, {}],
  [
    'TLS 1.3 with CCM',
    { ...tls13, ciphers: 'TLS_AES_128_CCM_SHA256:ECDHE-RSA-AES128-GCM-SHA256' },
    { ciphers: 'TLS_AES_128_CCM_SHA256:ECDHE-RSA-AES128-GCM-SHA256' },
  ],
  [
    'TLS 1.3 with CCM-8',
    { ...tls13, ciphers: 'TLS_AES_128_CCM_8_SHA256:ECDHE-RSA-AES128-GCM-SHA256:@SECLEVEL=0' },
    { ciphers: 'TLS_AES_128_CCM_8_SHA256:ECDHE-RSA-AES128-GCM-SHA256:@SECLEVEL=0' },
  ],
  ['TLS 1.3 after a HelloRetryRequest', { ...tls13, ecdhCurve: 'P-521' }, { ecdhCurve: 'X25519:P-521' }],
  ['TLS 1.2', tls12, {}],
  ['TLS 1.1', { ...tls12, minVersion: 'TLSv1', ciphers: 'ALL:@SECLEVEL=0' }, { maxVersion: 'TLSv1.1' }],
] as const)('%s: a usual chain and a long one pass, a costly one does not', async ([, server, client]) => {
  const request: Partial<HandshakeRequest> =
    'maxVersion' in client ? { ...client, minVersion: 'TLSv1', ciphers: 'ALL:@SECLEVEL=0' } : client;
  for (const chain of ['usual', 'long'] as const)
    expect(await shake(await listen(secured(chain, server)), request)).toMatchObject({ kind: 'connected' });
  expect(await shake(await listen(secured('costly', server)), request)).toMatchObject({
    kind: 'failure',
    code: 'budget-spent',
  });
});

test('a costly chain without a server behind it takes no time', async () => {
  const flight = writeChainFlight(makeCostlyChain(70, 3072, 3072));
  const port = await listen((socket) => void socket.once('data', () => socket.write(flight)));
  expect(await shake(port)).toMatchObject({ kind: 'failure', code: 'budget-spent' });
  const used = process.cpuUsage();
  for (let time = 0; time < 10; time += 1) await shake(port);
  const { user, system } = process.cpuUsage(used);
  expect((user + system) / 10_000).toBeLessThan(100);
});

test('a costly chain in a second handshake that the server asks for takes no time either', async () => {
  const context = createSecureContext({ key: rsa.keyPem, cert: rsa.certPem + chains.costly.join('') });
  const secureOptions = constants.SSL_OP_NO_SESSION_RESUMPTION_ON_RENEGOTIATION;
  const server = createTlsServer({ key: rsa.keyPem, cert: rsa.certPem, secureOptions, ...tls12 });
  server.on('secureConnection', (socket) => {
    socket.on('error', () => undefined).resume();
    socket.setKeyCert(context);
    socket.renegotiate({}, () => undefined);
  });
  const port = await listen((socket) => void server.emit('connection', socket));
  const socket = connect(port, '127.0.0.1');
  const tls = connectTls({ socket, address: '127.0.0.1' }, { rejectUnauthorized: false });
  await once(tls, 'secureConnect');
  const used = process.cpuUsage();
  const [error] = await once(tls.resume(), 'error').catch((failure: unknown) => [failure]);
  const { user, system } = process.cpuUsage(used);
  expect(error).toMatchObject({ code: 'budget-spent' });
  expect((user + system) / 1000).toBeLessThan(200);
});

test('what comes in pieces of one byte is read as well', async () => {
  const inner = await listen(secured('usual', tls13));
  const port = await listen((socket) => {
    const onward = connect(inner, '127.0.0.1');
    socket.setNoDelay().pipe(onward);
    onward.on('data', (bytes: Buffer) => {
      for (const byte of bytes) socket.write(Uint8Array.of(byte));
    });
    onward.on('error', () => undefined).once('close', () => socket.destroy());
    socket.once('close', () => onward.destroy());
  });
  expect(await shake(port)).toMatchObject({ kind: 'connected', protocol: 'TLSv1.3' });
});

test('a session is resumed without a chain', async () => {
  for (const version of [tls13, tls12]) {
    const port = await listen(secured('usual', version));
    const first = await shake(port, { lingerMs: 1000 });
    if (first.kind !== 'connected' || first.session === null) throw new Error('no session was given');
    expect(await shake(port, { session: first.session })).toMatchObject({ isResumed: true });
  }
});

test.for([
  ['plain text', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'), 'not-tls'],
  ['noise', Buffer.concat([Buffer.of(0x90), randomBytes(300)]), 'not-tls'],
  ['a record of 64 kB', Buffer.concat([Buffer.of(22, 3, 3, 0xff, 0xff), randomBytes(300)]), 'tls-failed'],
  ['an alert', Buffer.of(21, 3, 3, 0, 2, 2, 40), 'tls-failed'],
] as const)('%s fails as OpenSSL says it', async ([, bytes, code]) => {
  const port = await listen((socket) => void socket.once('data', () => socket.write(bytes)));
  expect(await shake(port)).toMatchObject({ kind: 'failure', code });
});

test.for([
  ['an end', (socket: Socket) => socket.end(), 'connection-closed'],
  ['a reset', (socket: Socket) => socket.resetAndDestroy(), 'connection-reset'],
] as const)('%s in the middle of a handshake is told as one', async ([, end, code]) => {
  const port = await listen((socket) => void socket.once('data', () => void end(socket)));
  expect(await shake(port)).toMatchObject({ kind: 'failure', code });
});

test.for([0, 3, 15])('a sealed record of %i bytes, which holds no tag, ends the handshake', async (size) => {
  const inner = await listen(secured('usual', tls13));
  const short = Buffer.concat([Buffer.from([23, 3, 3, 0, size]), Buffer.alloc(size)]);
  const port = await listen((socket) => {
    const onward = connect(inner, '127.0.0.1');
    socket.pipe(onward);
    onward.once('data', (bytes: Buffer) => {
      const hello = bytes.subarray(0, 5 + bytes.readUInt16BE(3));
      socket.write(Buffer.concat([hello, short]));
    });
    onward.on('error', () => undefined).once('close', () => socket.destroy());
    socket.once('close', () => onward.destroy());
  });
  expect(await shake(port)).toMatchObject({ kind: 'failure' });
});
