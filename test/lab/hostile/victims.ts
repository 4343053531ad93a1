import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Server, Socket } from 'node:net';
import type { KeyAndCertificate } from '../kit/certificates.ts';

/** What came to one address. */
export type Burden = { connections: number; bytes: number };

/** Web servers of people who have nothing to do with the target, each with an address of its own; they count what comes. */
export type Victims = {
  readonly addresses: readonly string[];
  readonly burdens: ReadonlyMap<string, Burden>;
  reset(): void;
  close(): Promise<void>;
};

/** Opens web servers at 127.0.4.1 and the addresses after it. @param ports of http and https, the same at every address */
export async function openVictims(
  count: number,
  ports: { readonly http: number; readonly https: number },
  identity: KeyAndCertificate,
  answer: RequestListener,
): Promise<Victims> {
  const addresses = Array.from({ length: count }, (_, at) => `127.0.4.${at + 1}`);
  const burdens = new Map<string, Burden>();
  const watch = (server: Server, address: string) => {
    server.on('connection', (socket: Socket) => {
      const burden = burdens.get(address) ?? { connections: 0, bytes: 0 };
      burdens.set(address, burden);
      burden.connections += 1;
      socket
        .on('error', () => undefined)
        .once('close', () => {
          burden.bytes += socket.bytesRead;
        });
    });
  };
  const servers = await Promise.all(
    addresses.flatMap((address) => {
      const http = createServer(answer);
      const https = createTlsServer(identity, answer).on('tlsClientError', () => undefined);
      return (
        [
          [http, ports.http],
          [https, ports.https],
        ] as const
      ).map(async ([server, port]) => {
        watch(server, address);
        await once(server.listen(port, address), 'listening');
        return server;
      });
    }),
  );
  return {
    addresses,
    burdens,
    reset: () => burdens.clear(),
    async close() {
      for (const server of servers) server.closeAllConnections();
      await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
    },
  };
}
