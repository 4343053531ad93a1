import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { judgeUrl, siteOf, type TargetPolicy } from '#shared/targets/parse-target';
import { DialFailure } from '../dial-failure.ts';
import type { Dial } from '../guard.ts';
import type { RefusedHost, Traffic } from './port.ts';
import { openRequestSplitter, type SentPart } from './request-splitter.ts';
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
import { openTrafficAccount, type TrafficAccount, type TrafficBudget } from './traffic-account.ts';

/** A proxy whose page is not known yet. It lets nothing through. */
export type WaitingProxy = {
  readonly port: number;
  /** Begins the run of a page, once. */
  serve(settings: ProxySettings): SocksProxy;
  close(): Promise<void>;
};

type ProxySettings = Pick<ProxyRun, 'audited' | 'dial' | 'policy' | 'chargeRequest'> & {
  readonly budget: TrafficBudget;
};

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

/** Waits until an address may be sent one more request; throws DialFailure `budget-spent` where that takes too long. */
export type ChargeRequest = (address: string, signal: AbortSignal) => Promise<void>;

type ProxyRun = {
  /** The host whose page is loaded. */
  readonly audited: string;
  readonly dial: Dial;
  readonly policy: TargetPolicy;
  readonly chargeRequest?: ChargeRequest;
  readonly account: TrafficAccount;
  readonly signal: AbortSignal;
  /** Every open socket, with the host that it serves once that is known. */
  readonly sockets: Map<Socket, string>;
  readonly defects: unknown[];
  readonly refused: Map<string, RefusedHost>;
};

/**
 * Opens a SOCKS5 proxy (RFC 1928) on loopback for one browser: every host that the browser names is judged, and dialled by the guard.
 * Not an HTTP proxy: its answers would look like the site's, and Lighthouse would count our dialling as the server's time.
 */
export async function openSocksProxy(): Promise<WaitingProxy> {
  let run: ProxyRun | undefined;
  const ending = new AbortController();
  const sockets = new Map<Socket, string>();
  const server = createServer((socket) => {
    // A browser that has no page yet has nothing to ask for.
    if (!run) return void socket.on('error', () => undefined).destroy();
    keep(run, socket);
    void serve(run, socket); // never rejects: what fails ends the socket
  });
  await listen(server);
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    ending.abort(new Error('the browser run is over'));
    for (const socket of sockets.keys()) socket.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return {
    port,
    close,
    serve({ budget, ...settings }) {
      const begun = beginRun(settings, budget, { signal: ending.signal, sockets });
      run = begun;
      return {
        port,
        traffic: () => ({ ...begun.account.read(), refused: [...begun.refused.values()] }),
        throwDefect() {
          if (begun.defects.length > 0) throw new Error('the proxy failed', { cause: begun.defects[0] });
        },
        close,
      };
    },
  };
}

function beginRun(
  settings: Omit<ProxySettings, 'budget'>,
  budget: TrafficBudget,
  shared: Pick<ProxyRun, 'signal' | 'sockets'>,
): ProxyRun {
  return {
    ...settings,
    ...shared,
    defects: [],
    refused: new Map(),
    account: openTrafficAccount(budget, settings.audited),
  };
}

async function serve(run: ProxyRun, client: Socket): Promise<void> {
  try {
    const accepted = await read(client, parseGreeting);
    client.write(writeGreeting(accepted));
    if (!accepted) return void client.end();
    const target = await read(client, parseConnect);
    const upstream = await connectTo(run, target, client);
    if (!upstream) return;
    client.write(writeReply(socksReplies.granted));
    await join(run, { client, ...upstream });
  } catch (error) {
    // The browser hung up, or does not speak SOCKS5: there is no one left to answer. All else is a defect of ours.
    const isExpected = error instanceof HungUp || run.signal.aborted || client.destroyed;
    if (!isExpected) run.defects.push(error);
    client.destroy();
  }
}

/** Dials what the policy lets through; else answers the client, notes why, and gives nothing. */
async function connectTo(
  run: ProxyRun,
  { host, port }: SocksTarget,
  client: Socket,
): Promise<Omit<Joined, 'client'> | undefined> {
  const refuse = (code: RefusedHost['code'], reason: string) => {
    note(run, { host, port, code, reason });
    client.end(writeReply(replyTo(code)));
    return undefined;
  };
  if (chromiumsOwnHosts.has(host) && host !== run.audited)
    return void client.end(writeReply(socksReplies.notAllowed));
  // Told once, as `cut` or `overspent`; the hosts that come after it have done nothing wrong.
  if (!run.account.connect(host, run.sockets.size / 2))
    return void client.end(writeReply(socksReplies.notAllowed));
  const url = `http://${host}:${port}/`;
  if (!URL.canParse(url)) return refuse('target-not-allowed', 'it is not a host');
  const judged = judgeUrl(new URL(url), run.policy);
  if (!judged.ok) return refuse('target-not-allowed', judged.fault.why);
  const gone = new AbortController();
  client.once('close', () => gone.abort(new HungUp('the browser hung up')));
  try {
    const signal = AbortSignal.any([run.signal, gone.signal]);
    const { socket, address } = await run.dial(judged.value.hostname, port, signal);
    keep(run, socket);
    return { target: { host, port }, upstream: socket, address };
  } catch (error) {
    if (error instanceof DialFailure) return refuse(error.code, error.reason);
    throw error;
  }
}

/** Both ends of a connection that was granted. */
type Joined = {
  readonly client: Socket;
  readonly upstream: Socket;
  readonly target: SocksTarget;
  readonly address: string;
};

async function join(run: ProxyRun, joined: Joined): Promise<void> {
  const { client, upstream, target } = joined;
  run.sockets.set(client, target.host).set(upstream, target.host);
  upstream.on('data', (piece: Buffer) => {
    if (!run.account.receive(target.host, piece.length)) end(run, target.host);
  });
  upstream.pipe(client);
  client.once('close', () => upstream.destroy());
  upstream.once('close', () => client.destroy());
  const split = openRequestSplitter();
  for await (const piece of client)
    for (const part of split(piece as Buffer)) if (!(await send(run, joined, part))) return;
  upstream.end();
}

/** Sends what the browser sent on, once it is paid for. Gives false when the connection has ended. */
async function send(run: ProxyRun, { upstream, target, address }: Joined, part: SentPart): Promise<boolean> {
  const isWithin = run.account.send(target.host, part.bytes.length, part.isRequest ? 1 : 0);
  if (!isWithin) {
    end(run, target.host);
    return false;
  }
  if (part.isRequest && run.chargeRequest && !(await isCharged(run, target, address))) return false;
  if (upstream.destroyed) return false;
  if (!upstream.write(part.bytes)) await untilDrained(upstream);
  return !upstream.destroyed;
}

async function isCharged(run: ProxyRun, target: SocksTarget, address: string): Promise<boolean> {
  try {
    await run.chargeRequest?.(address, run.signal);
    return true;
  } catch (error) {
    if (!(error instanceof DialFailure)) throw error;
    note(run, { ...target, code: error.code, reason: error.reason });
    end(run, target.host);
    return false;
  }
}

function untilDrained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      socket.off('drain', settle);
      socket.off('close', settle);
      resolve();
    };
    socket.once('drain', settle);
    socket.once('close', settle);
  });
}

/** Ends every connection of the host's site, or of all when the run's own budget is used up. */
function end({ account, sockets }: ProxyRun, host: string): void {
  const site = siteOf(host);
  for (const [socket, other] of sockets) if (account.isCut() || siteOf(other) === site) socket.destroy();
}

function keep({ sockets }: ProxyRun, socket: Socket): void {
  sockets.set(socket, '');
  socket.once('close', () => sockets.delete(socket));
  socket.on('error', () => socket.destroy());
}

function note({ refused }: ProxyRun, seen: RefusedHost): void {
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
