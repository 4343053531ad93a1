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

/** A TLS server of Node, careful unless told otherwise, that answers any request with HSTS. */
export function openTlsServer({ staple, ...options }: TlsServerOptions): Promise<LabServer> {
  const careful = { ALPNProtocols: ['h2', 'http/1.1'], ciphers: soundCiphers };
  const server = createTlsServer({ ...careful, ...options }, (socket) => {
    socket.on('error', () => undefined).once('data', () => socket.end(options.response ?? response));
  });
  if (staple) server.on('OCSPRequest', (_certificate, _issuer, answer) => answer(null, staple));
  return listen(server.on('tlsClientError', () => undefined));
}

/** A TCP server that does what it likes with each connection. */
export function openTcpServer(serve: (socket: Socket) => void): Promise<LabServer> {
  return listen(createTcpServer(serve));
}

/** A port that nobody listens on. */
export async function openNothing(): Promise<LabServer> {
  const server = await openTcpServer(() => undefined);
  await server.close();
  return { port: server.port, close: async () => undefined };
}

async function listen(server: Server): Promise<LabServer> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
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
