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

const answer = [
  'HTTP/1.1 200 OK',
  'Strict-Transport-Security: max-age=31536000',
  'Content-Length: 0',
  'Connection: close',
  '',
  '',
].join('\r\n');

/** A TLS server of Node that answers any request with HSTS. */
export function openTlsServer(options: TlsOptions): Promise<LabServer> {
  const sockets = new Set<Socket>();
  const server = createTlsServer({ ALPNProtocols: ['http/1.1'], ...options }, (socket) => {
    socket.on('error', () => undefined).once('data', () => socket.end(answer));
  });
  server.on('tlsClientError', () => undefined);
  return listen(server, sockets);
}

/** A TCP server that does what it likes with each connection. */
export function openTcpServer(serve: (socket: Socket) => void): Promise<LabServer> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    serve(socket);
  });
  return listen(server, sockets);
}

function listen(server: Server, sockets: Set<Socket>): Promise<LabServer> {
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve({
        port: typeof address === 'object' && address !== null ? address.port : 0,
        close: () =>
          new Promise((done) => {
            for (const socket of sockets) socket.destroy();
            server.close(() => done());
          }),
      });
    });
  });
}
