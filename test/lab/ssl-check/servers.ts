import { constants } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import type { Issued } from '../../unit/ssl-check/issue-certificate.ts';

/** A server on loopback and its port. */
export type LabServer = { readonly port: number; close(): Promise<void> };

/** Key and chain as Node's and other servers take them. */
export const identity = (leaf: Issued, ...more: readonly Issued[]) => ({
  key: leaf.keyPem,
  cert: [leaf, ...more].map(({ certPem }) => certPem).join(''),
});

/** The suites of a careful server. */
export const soundCiphers =
  'TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256:ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256';

const response = [
  'HTTP/1.1 200 OK',
  'Strict-Transport-Security: max-age=31536000',
  'Content-Length: 0',
  'Connection: close',
  '',
  '',
].join('\r\n');

export type TlsServerOptions = TlsOptions & {
  /** The OCSP answer that is stapled. */
  readonly staple?: Buffer;
  /** What any request is answered with. */
  readonly response?: string;
};

/** Where a server listens; port 0 is any. */
export type Place = { readonly address: string; readonly port: number };
const anyPort: Place = { address: '127.0.0.1', port: 0 };

/** A TLS server of Node, careful unless told otherwise, that answers any request with HSTS. @param note called for each connection */
export function openTlsServer(
  { staple, ...options }: TlsServerOptions,
  place: Place = anyPort,
  note: () => void = () => undefined,
): Promise<LabServer> {
  const careful = {
    ALPNProtocols: ['h2', 'http/1.1'],
    ciphers: soundCiphers,
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  };
  const server = createTlsServer({ ...careful, ...options }, (socket) => {
    socket.on('error', () => undefined).once('data', () => socket.end(options.response ?? response));
  });
  if (staple) server.on('OCSPRequest', (_certificate, _issuer, answer) => answer(null, staple));
  server.on('connection', note);
  return listen(
    server.on('tlsClientError', () => undefined),
    place,
  );
}

/** A TCP server that does what it likes with each connection. */
export function openTcpServer(serve: (socket: Socket) => void, place: Place = anyPort): Promise<LabServer> {
  return listen(createTcpServer(serve), place);
}

/** A port that nobody listens on. */
export async function openNothing(): Promise<LabServer> {
  const server = await openTcpServer(() => undefined);
  await server.close();
  return { port: server.port, close: async () => undefined };
}

/** Waits until a server listens; closing it ends its connections. */
export async function listen(server: Server, place: Place): Promise<LabServer> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
  });
  server.listen(place.port, place.address);
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
