import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { judgeUrl, type TargetPolicy } from '../../../shared/target/parse-target.ts';
import { DialFailure } from '../dial-failure.ts';
import type { Dial } from '../guard.ts';
import type { RefusedHost, Traffic } from './port.ts';
import {
  type Parsed,
  parseConnect,
  parseGreeting,
  type SocksReply,
  type SocksTarget,
  socksReplies,
  writeGreeting,
  writeReply,
} from './socks-grammar.ts';

export type TrafficBudget = {
  readonly bytes: number;
  /** Over the whole run. */
  readonly connections: number;
  readonly connectionsAtOnce: number;
};

export const trafficBudget: TrafficBudget = { bytes: 100_000_000, connections: 1000, connectionsAtOnce: 256 };

export type SocksProxy = {
  readonly port: number;
  traffic(): Traffic;
  /** Throws what went wrong in the proxy itself, if anything did: the run's numbers are worth nothing then. */
  throwDefect(): void;
  /** Ends every connection; a browser that outlives it has no network. */
  close(): Promise<void>;
};

/** A host is named once for each reason, and so many in all. */
const refusedLimit = 50;
const requestLimitBytes = 1024;

/** What Chromium asks for by itself, whatever the page does; no page's own resources live there. */
const chromiumsOwnHosts = new Set([
  'android.clients.google.com',
  'clients2.google.com',
  'content-autofill.googleapis.com',
  'edgedl.me.gvt1.com',
  'optimizationguide-pa.googleapis.com',
  'redirector.gvt1.com',
  'safebrowsing.googleapis.com',
  'update.googleapis.com',
]);

type Run = {
  /** The host whose page is loaded. */
  readonly audited: string;
  readonly dial: Dial;
  readonly policy: TargetPolicy;
  readonly budget: TrafficBudget;
  readonly signal: AbortSignal;
  readonly sockets: Set<Socket>;
  readonly defects: unknown[];
  readonly refused: Map<string, RefusedHost>;
  readonly counts: { connections: number; receivedBytes: number; cut: Traffic['cut'] };
};

/**
 * Opens a SOCKS5 proxy (RFC 1928) on loopback for one run: every host that the browser names is judged, and dialled by the guard.
 * Not an HTTP proxy: its answers would look like the site's, and Lighthouse would count our dialling as the server's time.
 */
export async function openSocksProxy(
  settings: Pick<Run, 'audited' | 'dial' | 'policy' | 'budget'>,
): Promise<SocksProxy> {
  const ending = new AbortController();
  const run: Run = {
    ...settings,
    signal: ending.signal,
    sockets: new Set(),
    defects: [],
    refused: new Map(),
    counts: { connections: 0, receivedBytes: 0, cut: null },
  };
  const server = createServer((socket) => {
    keep(run, socket);
    void serve(run, socket); // never rejects: what fails ends the socket
  });
  await listen(server);
  return {
    port: (server.address() as AddressInfo).port,
    traffic: () => ({ ...run.counts, refused: [...run.refused.values()] }),
    throwDefect() {
      if (run.defects.length > 0) throw new Error('the proxy failed', { cause: run.defects[0] });
    },
    async close() {
      ending.abort(new Error('the browser run is over'));
      for (const socket of run.sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function serve(run: Run, client: Socket): Promise<void> {
  try {
    const accepted = await read(client, parseGreeting);
    client.write(writeGreeting(accepted));
    if (!accepted) return void client.end();
    const target = await read(client, parseConnect);
    const upstream = await connectTo(run, target, client);
    if (!upstream) return;
    client.write(writeReply(socksReplies.granted));
    join(run, client, upstream);
  } catch (error) {
    // The browser hung up, or does not speak SOCKS5: nobody is left to be told. All else is a defect of ours.
    const isExpected = error instanceof HungUp || run.signal.aborted || client.destroyed;
    if (!isExpected) run.defects.push(error);
    client.destroy();
  }
}

/** Dials what the policy lets through; else answers the client, notes why, and gives nothing. */
async function connectTo(run: Run, { host, port }: SocksTarget, client: Socket): Promise<Socket | undefined> {
  const refuse = (code: RefusedHost['code'], reason: string) => {
    note(run, { host, port, code, reason });
    client.end(writeReply(replyTo(code)));
    return undefined;
  };
  if (chromiumsOwnHosts.has(host) && host !== run.audited)
    return void client.end(writeReply(socksReplies.notAllowed));
  // Told once, as `cut`; the hosts that come after it have done nothing wrong.
  if (spend(run) !== null) return void client.end(writeReply(socksReplies.notAllowed));
  const url = `http://${host}:${port}/`;
  if (!URL.canParse(url)) return refuse('target-not-allowed', 'it is not a host');
  const judged = judgeUrl(new URL(url), run.policy);
  if (!judged.ok) return refuse('target-not-allowed', judged.fault.why);
  const gone = new AbortController();
  client.once('close', () => gone.abort(new HungUp('the browser hung up')));
  try {
    const signal = AbortSignal.any([run.signal, gone.signal]);
    const { socket } = await run.dial(judged.value.hostname, port, signal);
    keep(run, socket);
    return socket;
  } catch (error) {
    if (error instanceof DialFailure) return refuse(error.code, error.reason);
    throw error;
  }
}

/** Counts a connection; tells which budget is used up. */
function spend({ counts, budget, sockets }: Run): Traffic['cut'] {
  counts.connections += 1;
  if (counts.connections > budget.connections || sockets.size > 2 * budget.connectionsAtOnce)
    counts.cut ??= 'connections';
  return counts.cut;
}

function join(run: Run, client: Socket, upstream: Socket): void {
  upstream.on('data', (piece) => {
    run.counts.receivedBytes += piece.length;
    if (run.counts.receivedBytes <= run.budget.bytes) return;
    run.counts.cut ??= 'bytes';
    for (const socket of run.sockets) socket.destroy();
  });
  client.pipe(upstream);
  upstream.pipe(client);
  client.once('close', () => upstream.destroy());
  upstream.once('close', () => client.destroy());
}

function keep({ sockets }: Run, socket: Socket): void {
  sockets.add(socket);
  socket.once('close', () => sockets.delete(socket));
  socket.on('error', () => socket.destroy());
}

function note({ refused }: Run, seen: RefusedHost): void {
  const key = `${seen.host}:${seen.port} ${seen.code}`;
  if (refused.size < refusedLimit && !refused.has(key)) refused.set(key, seen);
}

function replyTo(code: RefusedHost['code']): SocksReply {
  if (code === 'target-not-allowed' || code === 'target-address-not-allowed') return socksReplies.notAllowed;
  if (code === 'connection-refused') return socksReplies.refused;
  return code === 'network-unreachable' ? socksReplies.networkUnreachable : socksReplies.hostUnreachable;
}

/** The browser has gone, or speaks something else. */
class HungUp extends Error {
  override readonly name = 'HungUp';
}

/** Waits for one message of the grammar; what came beyond it goes back into the socket. */
function read<T>(socket: Socket, parse: (bytes: Uint8Array) => Parsed<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let bytes = Buffer.alloc(0);
    const settle = (act: () => void) => {
      socket.off('data', take);
      socket.off('close', hungUp);
      socket.pause();
      act();
    };
    const hungUp = () => settle(() => reject(new HungUp('the browser hung up')));
    const take = (piece: Buffer) => {
      bytes = Buffer.concat([bytes, piece]);
      const parsed = parse(bytes);
      if (parsed === 'malformed' || (parsed === 'more' && bytes.length > requestLimitBytes))
        return settle(() => reject(new HungUp('not SOCKS5')));
      if (parsed === 'more') return;
      settle(() => {
        if (parsed.used < bytes.length) socket.unshift(bytes.subarray(parsed.used));
        resolve(parsed.value);
      });
    };
    socket.on('data', take);
    socket.once('close', hungUp);
    socket.resume();
  });
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve());
  });
}
