import { type AddressInfo, connect } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { connectTls } from '../../../worker/probes/tls/guarded-stream.ts';
import { renegotiate } from '../../../worker/probes/tls/renegotiate.ts';
import { sharedContext, waitUntilSecure } from '../../../worker/probes/tls/secure.ts';
import { issueCertificate, makeKey } from '../../unit/ssl-check/issue-certificate.ts';

// Node's wrapper of a stream ends the process (ERR_INTERNAL_ASSERTION) when TLS writes while another write is open. A new
// handshake begins with an empty write, and what a server sends at that moment makes TLS write as well.

const certificate = issueCertificate({
  subject: 'a.test',
  issuer: null,
  names: ['a.test'],
  key: makeKey('rsa2048'),
  notAfter: '2030-01-01T00:00:00',
});

/** How a server sends bytes that nobody asked for. */
const ways: Readonly<Record<string, (socket: TLSSocket, bytes: Buffer) => void>> = {
  'at once': (socket, bytes) => void socket.write(bytes),
  'in small records': (socket, bytes) => {
    for (let at = 0; at < bytes.length; at += 700) socket.write(bytes.subarray(at, at + 700));
  },
  'twice, the second time late': (socket, bytes) => {
    socket.write(bytes);
    setTimeout(() => socket.destroyed || socket.write(bytes), 5).unref();
  },
  'and ends': (socket, bytes) => void socket.end(bytes),
};

async function listen(send: (socket: TLSSocket) => void, maxVersion: 'TLSv1.2' | 'TLSv1.3'): Promise<number> {
  const server = createServer({ key: certificate.keyPem, cert: certificate.certPem, maxVersion });
  const open = new Set<TLSSocket>();
  server.on('tlsClientError', () => undefined);
  server.on('secureConnection', (socket) => {
    open.add(socket.on('error', () => undefined).once('close', () => open.delete(socket)));
    send(socket.resume());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

/** What a client does once the handshake is over. */
const acts: Readonly<Record<string, (tls: TLSSocket) => Promise<unknown>>> = {
  'asks for a new handshake': (tls) => renegotiate(tls, 200, new AbortController().signal),
  'asks, reads and ends': async (tls) => {
    tls.end('GET / HTTP/1.1\r\nhost: a.test\r\n\r\n');
    tls.resume();
    await new Promise((resolve) => setTimeout(resolve, 20));
  },
};

async function meet(port: number, act: (tls: TLSSocket) => Promise<unknown>): Promise<'secure' | 'failed'> {
  const socket = connect(port, '127.0.0.1');
  await new Promise((resolve) => socket.once('connect', resolve));
  const options = { servername: 'a.test', rejectUnauthorized: false, secureContext: sharedContext({}) };
  const tls = connectTls({ socket, address: '127.0.0.1' }, options);
  try {
    await waitUntilSecure(tls, { address: '127.0.0.1' }, 5000, new AbortController().signal);
    await act(tls);
    return 'secure';
  } finally {
    tls.destroy();
  }
}

const cases = Object.keys(acts).flatMap((act) =>
  Object.keys(ways).flatMap((way) => [20_000, 300_000, 1_000_000].map((size) => ({ act, way, size }))),
);

// A defect here is no failure of one run: it rises where nobody can catch it, and ends this file's process.
test.for(cases)('a client that $act lives through $size bytes, sent $way', async ({ act, way, size }) => {
  const bytes = Buffer.alloc(size, 'HTTP/1.1 200 OK\r\n');
  const perform = acts[act];
  const send = ways[way];
  if (!perform || !send) throw new Error('no such case');
  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    const port = await listen((socket) => send(socket, bytes), version);
    // In TLS 1.3 there is no new handshake to ask for.
    if (version === 'TLSv1.3' && act === 'asks for a new handshake') continue;
    const met = await Promise.all(Array.from({ length: 8 }, () => meet(port, perform)));
    expect(met).toEqual(met.map(() => 'secure'));
  }
});
