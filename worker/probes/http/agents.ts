import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { portOf } from '#shared/targets/parse-target';
import type { AddressSlots } from '../address-slots.ts';
import type { Dial, Dialled } from '../guard.ts';
import { connectTls, type PlainConnection } from '../tls/guarded-stream.ts';
import { keepLeaf, sharedContext, waitUntilSecure } from '../tls/secure.ts';
import { type IdleSockets, openIdleSockets } from './idle-sockets.ts';
import { rewriteAnswer } from './rewrite-answer.ts';

/** When the phases of a socket's making ended, by performance.now(). */
export type SocketTimes = Dialled['times'] & { readonly secured: number };

export type GuardedAgents = {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
  /** The times of a socket that is used for the first time; undefined for a reused one. */
  takeTimes(socket: object): SocketTimes | undefined;
  /** The judged address at the other end. */
  addressOf(socket: object): string | null;
  readonly idle: Omit<IdleSockets, 'keep' | 'close'>;
  destroy(): void;
};

export type AgentSettings = {
  readonly dial: Dial;
  readonly slots: Pick<AddressSlots, 'onWait' | 'waiting'>;
  readonly signal: AbortSignal;
  readonly tlsMs: number;
  /** False where each connection serves one request; its answer is then written as HTTP has it before it is read. */
  readonly keepAlive: boolean;
  /** Of a head that is written so. */
  readonly headerBytes: number;
};

type Create = (error: Error | null, socket: Duplex) => void;
type ConnectOptions = {
  readonly protocol?: string | null;
  readonly host?: string | null;
  readonly port?: string | number | null;
  readonly servername?: string;
};

/**
 * Agents whose every connection goes through the guard. One pair for each chain of requests: a shared pool
 * would hand sockets, and what they tell, from one run to the next.
 */
export function openGuardedAgents(settings: AgentSettings): GuardedAgents {
  const { dial, slots, signal, tlsMs, keepAlive, headerBytes } = settings;
  const times = new WeakMap<object, SocketTimes>();
  const addresses = new WeakMap<object, string>();
  const http = new HttpAgent({ keepAlive, maxSockets: 8 });
  const https = new HttpsAgent({ keepAlive, maxSockets: 8 });

  const idle = openIdleSockets({ 'http:': http, 'https:': https }, slots);

  const open = async (options: ConnectOptions, secure: boolean): Promise<Duplex> => {
    const host = options.host ?? '';
    const port = Number(options.port ?? portOf(new URL(`${options.protocol}//${host}`)));
    const { socket, address, times: dialled, watch } = await dial(host, port, signal);
    const ready = secure ? openTls({ socket, address }, options.servername ?? host) : socket;
    if (ready instanceof TLSSocket) await waitUntilSecure(ready, { address, watch }, tlsMs, signal);
    if (!keepAlive) rewriteAnswer(ready, headerBytes);
    times.set(ready, { ...dialled, secured: performance.now() });
    addresses.set(ready, address);
    idle.keep(ready, host, port);
    return ready;
  };
  const creator = (secure: boolean) => (options: object, created?: Create) => {
    open(options as ConnectOptions, secure).then(
      (socket) => created?.(null, socket),
      // Node calls back with the error alone; its types ask for a socket all the same.
      (error: unknown) => (created as ((error: Error) => void) | undefined)?.(error as Error),
    );
    return undefined;
  };
  http.createConnection = creator(false);
  https.createConnection = creator(true);

  return {
    http,
    https,
    takeTimes(socket) {
      const found = times.get(socket);
      times.delete(socket);
      return found;
    },
    addressOf: (socket) => addresses.get(socket) ?? null,
    idle,
    destroy() {
      idle.close();
      http.destroy();
      https.destroy();
    },
  };
}

// Any certificate is accepted here, as the answer behind it is what is asked for; what is wrong with it is reported beside the answer.
function openTls(plain: PlainConnection, servername: string): TLSSocket {
  const tls = connectTls(plain, {
    servername,
    rejectUnauthorized: false,
    ALPNProtocols: ['http/1.1'],
    secureContext: sharedContext({}),
  });
  keepLeaf(tls);
  return tls;
}
