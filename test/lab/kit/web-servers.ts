import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { createSecureContext } from 'node:tls';
import type { Authority, CertificateOptions } from './certificates.ts';

/** Origin ("http://a.test") → what it answers. */
export type Sites = { readonly [origin: string]: RequestListener };

/** Hosts with a certificate of their own, by what is special about it. */
export type Certificates = { readonly [host: string]: CertificateOptions };

export type WebServers = {
  readonly httpPort: number;
  readonly httpsPort: number;
  /** Sockets open now, over both servers. */
  readonly openSockets: () => number;
  /** The most that were open at once. */
  readonly mostSockets: () => number;
  close(): Promise<void>;
};

/** One server for http and one for https, telling sites apart by Host and SNI. */
export async function openWebServers(
  sites: Sites,
  authority: Authority,
  certificates: Certificates = {},
): Promise<WebServers> {
  const sockets = new Set<Socket>();
  let most = 0;
  const count = (socket: Socket) => {
    sockets.add(socket);
    most = Math.max(most, sockets.size);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
  };
  const answer =
    (scheme: string): RequestListener =>
    (request, response) => {
      const origin = `${scheme}://${(request.headers.host ?? '').replace(/:\d+$/, '')}`;
      const site = Object.hasOwn(sites, origin) ? sites[origin] : undefined;
      if (site) return site(request, response);
      response.writeHead(421).end();
    };
  const own = await authority.issue(namesOf(sites));
  const special = new Map(
    await Promise.all(
      Object.entries(certificates).map(
        async ([host, options]) => [host, await authority.issue([host], options)] as const,
      ),
    ),
  );
  const contextOf = (name: string) => createSecureContext(special.get(name) ?? own);
  const http = createHttpServer(answer('http'));
  const https = createHttpsServer(
    { ...own, SNICallback: (name, give) => give(null, contextOf(name)) },
    answer('https'),
  );
  for (const server of [http, https]) server.on('connection', count);
  return {
    httpPort: await listen(http),
    httpsPort: await listen(https),
    openSockets: () => sockets.size,
    mostSockets: () => most,
    async close() {
      for (const socket of sockets) socket.destroy();
      await Promise.all([http, https].map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

function namesOf(sites: Sites): string[] {
  return ['lab.test', ...Object.keys(sites).map((origin) => new URL(origin).hostname)];
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}
