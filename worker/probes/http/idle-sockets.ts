import type { Agent } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { portOf } from '#shared/targets/parse-target';
import type { AddressSlots } from '../address-slots.ts';
import { openSharedConnections, type Patience, type ConnectionTurn } from './shared-connections.ts';

/** The connections of one run that no request uses at the moment. */
export type IdleSockets = {
  /** With patience, waits for a moment until a connection to the URL's origin may be free. */
  enter(url: URL, patience: Patience | undefined, signal: AbortSignal): Promise<ConnectionTurn>;
  /** Notes where a new connection leads. */
  keep(socket: object, host: string, port: number): void;
  /** Those that the next request to the URL can use. */
  of(url: URL): readonly object[];
  /** Closes those to the URL's origin. */
  drop(url: URL): void;
  close(): void;
};

/** Watches agents. Where anybody waits for a place at an address, all are closed but those that a request is about to use. */
export function openIdleSockets(
  agents: { readonly [protocol: string]: Agent },
  slots: Pick<AddressSlots, 'onWait' | 'waiting'>,
): IdleSockets {
  const origins = new WeakMap<object, string>();
  const closeUnexpected = (socket: { destroy(): unknown }) => {
    if (!shared.isExpected(origins.get(socket) ?? '')) socket.destroy();
  };
  // Every run looks whenever anybody waits for an address, and nearly always there is nothing: so no list is made.
  const dropAll = () => {
    // One that is destroyed leaves the list in a later turn.
    for (const { freeSockets } of Object.values(agents))
      for (const name in freeSockets) freeSockets[name]?.forEach(closeUnexpected);
  };
  const dropIfWanted = () => void (slots.waiting() > 0 && dropAll());
  const shared = openSharedConnections(dropIfWanted);

  // Others, of this run and of all others, may come to wait while a socket is idle, or be waiting when it becomes so.
  const stopListening = slots.onWait(dropAll);
  for (const agent of Object.values(agents)) {
    agent.on('free', () => setImmediate(dropIfWanted));
    closeTalkers(agent);
  }

  const find = (url: URL) =>
    Object.values(agents[url.protocol]?.freeSockets ?? {})
      .flatMap((sockets) => sockets ?? [])
      .filter((socket) => origins.get(socket) === originOf(url));
  return {
    keep: (socket, host, port) => void origins.set(socket, `${host}:${port}`),
    enter: (url, patience, signal) => shared.enter(originOf(url), patience, signal),
    of: find,
    drop(url) {
      for (const socket of find(url)) socket.destroy();
    },
    close: stopListening,
  };
}

/** Closes idle connections on which the server sends something: it must not be taken for the answer to the next request. */
function closeTalkers(agent: Agent): void {
  function close(this: Duplex) {
    this.destroy();
  }
  agent.on('free', (socket: Socket) => {
    // Where a request was waiting, the agent has given the socket to it already.
    const isIdle = Object.values(agent.freeSockets).some((sockets) => sockets?.includes(socket));
    if (isIdle) socket.on('data', close);
  });
  const reuse = agent.reuseSocket.bind(agent);
  agent.reuseSocket = (socket, request) => {
    socket.off('data', close);
    reuse(socket, request);
  };
}

/** Host and port, as a connection is made to them. */
function originOf(url: URL): string {
  return `${url.hostname.replace(/^\[|\]$/g, '')}:${portOf(url)}`;
}
