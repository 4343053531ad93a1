import type { Agent } from 'node:http';
import { portOf } from '#shared/target/parse-target';
import type { AddressSlots } from '../address-slots.ts';
import { openSharedConnections, type Turn } from './shared-connections.ts';

/** The connections of one run that no request uses at the moment. */
export type IdleSockets = {
  /** Waits for a moment, where a connection to the URL's origin will soon be free. */
  enter(url: URL, signal: AbortSignal): Promise<Turn>;
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
  for (const agent of Object.values(agents)) agent.on('free', () => setImmediate(dropIfWanted));

  const find = (url: URL) =>
    Object.values(agents[url.protocol]?.freeSockets ?? {})
      .flatMap((sockets) => sockets ?? [])
      .filter((socket) => origins.get(socket) === originOf(url));
  return {
    keep: (socket, host, port) => void origins.set(socket, `${host}:${port}`),
    enter: (url, signal) => shared.enter(originOf(url), signal),
    of: find,
    drop(url) {
      for (const socket of find(url)) socket.destroy();
    },
    close: stopListening,
  };
}

/** Host and port, as a connection is made to them. */
function originOf(url: URL): string {
  return `${url.hostname.replace(/^\[|\]$/g, '')}:${portOf(url)}`;
}
