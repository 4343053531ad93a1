import type { IncomingHttpHeaders, Server, ServerOptions } from 'node:http';
import type { Socket } from 'node:net';
import { callerNetwork } from '../targets/classify-address.ts';

/** How long a request may take to arrive, and how many connections may be open. */
export type ConnectionLimits = {
  /** From the start of a connection, or of its next request, to the end of the header section; a silent connection ends then too. */
  readonly headersMs: number;
  /** To the end of the whole request. */
  readonly requestMs: number;
  /** How often late requests are looked for. */
  readonly checkEveryMs: number;
  /** Open connections in all. */
  readonly inAll: number;
  /** Open connections of one IPv4 address or IPv6 /64. Not counted behind a trusted proxy, whose address they all have. */
  readonly perNetwork: number;
};

export const usualConnectionLimits: ConnectionLimits = {
  headersMs: 10_000,
  requestMs: 15_000,
  checkEveryMs: 1000,
  inAll: 20_000,
  perNetwork: 1000,
};

/** Of the admin port: what monitors a process needs a handful, also where all of it comes through one address. */
export const adminConnectionLimits: ConnectionLimits = {
  ...usualConnectionLimits,
  inAll: 1000,
  perNetwork: 100,
};

/** The options of a server that cuts off slow senders. Node looks for them every 30 s by itself, which kept half a request that long. */
export function slowSenderOptions({ headersMs, requestMs, checkEveryMs }: ConnectionLimits): ServerOptions {
  return {
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: checkEveryMs,
    keepAliveTimeout: 65_000,
    optimizeEmptyRequests: true,
    maxHeaderSize: 16_384,
    // `answerInTurns` judges it.
    requireHostHeader: false,
  };
}

/**
 * Closes connections beyond the limits as soon as they are accepted, before any HTTP parser is made for them.
 * @param isProxied the addresses are those of a trusted proxy
 */
export function limitConnections(
  server: Server,
  { inAll, perNetwork }: ConnectionLimits,
  isProxied: boolean,
): void {
  server.maxConnections = inAll;
  if (isProxied) return;
  const open = new Map<string, number>();
  const serve = server.listeners('connection');
  server.removeAllListeners('connection').on('connection', (socket: Socket) => {
    const network = callerNetwork(socket.remoteAddress ?? '');
    const count = open.get(network) ?? 0;
    if (count >= perNetwork) return void socket.destroy();
    open.set(network, count + 1);
    socket.once('close', () => {
      const left = (open.get(network) ?? 1) - 1;
      if (left > 0) open.set(network, left);
      else open.delete(network);
    });
    for (const listener of serve) listener.call(server, socket);
  });
}

/** True where a body comes behind the header section; nothing here reads one. */
export function hasBody({
  'transfer-encoding': coding,
  'content-length': length,
}: IncomingHttpHeaders): boolean {
  return coding !== undefined || Number(length ?? 0) > 0;
}
