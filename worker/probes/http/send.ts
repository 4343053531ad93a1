import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import { setImmediate as afterArrivals } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import got, { type Request } from 'got';
import type { FailureCode } from '#shared/model/failure';
import { openChainReader } from '../../certificates/read-chain.ts';
import { isTimeError } from '../tls/issuer.ts';
import { leafOf } from '../tls/secure.ts';
import { chainAsSent } from '../tls/shake-hands.ts';
import { yieldToOthers } from '../turns.ts';
import type { ClockFault } from '../vantage/memory.ts';
import type { GuardedAgents } from './agents.ts';
import { boundFraming, boundInterim, boundTime } from './bounds.ts';
import { type BodyLimits, readBody, readCodings } from './decode-body.ts';
import type { HttpAnswer, HttpBody, HttpRequest, TlsObservation } from './port.ts';
import { readFailure } from './read-failure.ts';
import type { HttpLimits, HttpSettings } from './settings.ts';
import type { ConnectionTurn } from './shared-connections.ts';
import { readTimings } from './timings.ts';

/** What the requests of a chain have in common. */
export type Chain = {
  readonly settings: HttpSettings;
  readonly agents: GuardedAgents;
  readonly signal: AbortSignal;
  /** Reads answers that break the grammar of HTTP, as far as Node can; over connections that serve nothing else. */
  readonly isLenient: boolean;
};

/** Sends one request to a URL that was judged, and reads the answer. */
export async function send(request: HttpRequest, url: URL, chain: Chain): Promise<HttpAnswer> {
  const { idle } = chain.agents;
  const lack = request.family && (await findLack(url, request.family, chain));
  if (lack) return lack;
  const patience = request.isPatient ? chain.settings.limits.patience : undefined;
  const turn = await idle.enter(url, patience, chain.signal);
  try {
    const { answer, isStale } = await sendOnce(request, url, chain, turn);
    if (!isStale) return answer;
    idle.drop(url);
    return (await sendOnce(request, url, chain, turn)).answer;
  } finally {
    turn.leave();
  }
}

/** What comes of a request to a host without the family, as most are without IPv6: the failure of its dialling, without the request. */
async function findLack(url: URL, family: 4 | 6, { settings }: Chain): Promise<HttpAnswer | undefined> {
  try {
    await settings.chooseAddresses(url.hostname, { family });
    return undefined;
  } catch (error) {
    return readFailure(error, url.href, null);
  }
}

type Sent = {
  readonly answer: HttpAnswer;
  /** A connection that was open before broke without an answer: that says nothing of the target, and browsers ask again too. */
  readonly isStale: boolean;
};

/** What comes of a request to a server that has just closed the connection, or that had sent more than its answer. */
const staleCodes: readonly FailureCode[] = [
  'connection-reset',
  'connection-closed',
  'tls-failed',
  'malformed-response',
  'not-http',
];

async function sendOnce(request: HttpRequest, url: URL, chain: Chain, turn: ConnectionTurn): Promise<Sent> {
  const { settings, agents, signal } = chain;
  const events: SocketEvents = {
    socket: undefined,
    isReused: false,
    readBefore: 0,
    answered: undefined,
    isFramed: false,
  };
  let stream: Request | undefined;
  try {
    await chargeReuse(url, chain);
    const asked = performance.now();
    stream = startRequest(request, url, chain, { events, turn });
    const response = await headersOf(stream);
    const { answered = asked, socket = response.socket } = events;
    const seen = {
      address: agents.addressOf(socket),
      socketTimes: agents.takeTimes(socket),
      tls: seeTls(socket as TLSSocket, request.wantsValidity === true, settings.clock()),
    };
    const body = await takeBody(request, response, stream, {
      ...settings.limits,
      // The header section may take its own limit beside the body's.
      socketBytes: () => socket.bytesRead - events.readBefore - settings.limits.headerBytes,
      isFramed: () => events.isFramed,
    });
    signal.throwIfAborted();
    const timings = readTimings({ asked, socket: seen.socketTimes, answered, ended: performance.now() });
    const { address, tls } = seen;
    return {
      answer: { ...readHead(response, url), body, address: address ?? '', tls, timings },
      isStale: false,
    };
  } catch (error) {
    stream?.destroy();
    signal.throwIfAborted();
    const address = events.socket ? agents.addressOf(events.socket) : null;
    const answer = readFailure(error, url.href, address);
    const isSilent = events.isReused && events.answered === undefined;
    return { answer, isStale: isSilent && answer.kind === 'failure' && staleCodes.includes(answer.code) };
  }
}

/** A request over a connection that is open is paid for too. */
async function chargeReuse(url: URL, { settings, agents, signal }: Chain): Promise<void> {
  const [socket] = agents.idle.of(url);
  const address = socket && agents.addressOf(socket);
  if (!address) return;
  await settings.chargeReuse(address, signal);
  // What the server sent behind its last answer is read first, and closes the connection.
  await afterArrivals();
  await yieldToOthers();
}

function readHead(response: IncomingMessage, url: URL) {
  return {
    kind: 'response',
    url: url.href,
    status: response.statusCode ?? 0,
    statusText: response.statusMessage ?? '',
    httpVersion: response.httpVersion,
    headers: pairs(response.rawHeaders),
  } as const;
}

/** Kept from Node's own events: by the time got tells of an answer, a kept-alive socket has already left it. */
type SocketEvents = {
  socket: Socket | undefined;
  /** Another request used the socket before. */
  isReused: boolean;
  /** Bytes that a kept-alive socket had read for earlier requests. */
  readBefore: number;
  /** When the answer began, interim ones too. */
  answered: number | undefined;
  /** The body came in so many tiny chunks that the connection was closed. */
  isFramed: boolean;
};

function startRequest(
  request: HttpRequest,
  url: URL,
  { settings, agents, signal, isLenient }: Chain,
  { events, turn }: { readonly events: SocketEvents; readonly turn: ConnectionTurn },
): Request {
  const { responseMs, requestMs, headerBytes } = settings.limits;
  const stream = got.stream(url, {
    method: request.method ?? 'GET',
    headers: {
      'user-agent': settings.userAgent,
      accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
      'accept-encoding': 'gzip, deflate, br, zstd',
      ...request.headers,
    },
    agent: { http: agents.http, https: agents.https },
    followRedirect: false,
    throwHttpErrors: false,
    // Decoding is ours: layers, ratio and wire bytes must be counted.
    decompress: false,
    retry: { limit: 0 },
    // The whole is bounded by a clock of ours, which lets a request wait for its place.
    timeout: { response: responseMs },
    maxHeaderSize: headerBytes,
    signal,
    request(target, options, callback) {
      // got hands on no such option of its own.
      const all = isLenient ? { ...options, insecureHTTPParser: true } : options;
      const outgoing = (target.protocol === 'https:' ? requestHttps : requestHttp)(target, all, callback);
      // Node drops every header after the 1,000th in silence; the size limit above bounds them already.
      outgoing.maxHeadersCount = 0;
      boundInterim(outgoing);
      boundFraming(outgoing, events);
      boundTime(outgoing, requestMs);
      watch(outgoing, events, turn);
      return outgoing;
    },
  });
  // got takes OPTIONS for a method with a body, and waits for its end.
  if (request.method === 'OPTIONS') stream.end();
  return stream;
}

function watch(outgoing: ClientRequest, events: SocketEvents, turn: ConnectionTurn): void {
  outgoing.once('socket', (socket) => {
    events.socket = socket;
    events.isReused = outgoing.reusedSocket;
    events.readBefore = socket.bytesRead;
    turn.taken();
  });
  const answer = () => {
    events.answered = performance.now();
  };
  outgoing.once('information', answer).once('response', answer);
}

function headersOf(stream: Request): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    stream.once('response', (response: IncomingMessage) => resolve(response));
    // Stays on: got destroys the stream with an error also after the answer, when its body breaks off.
    stream.on('error', reject);
  });
}

async function takeBody(
  request: HttpRequest,
  response: IncomingMessage,
  stream: Request,
  limits: HttpLimits & Pick<BodyLimits, 'socketBytes' | 'isFramed'>,
): Promise<HttpBody> {
  const keepBytes = Math.min(request.bodyLimitBytes, limits.bodyBytes);
  const skip = keepBytes === 0 || (request.skipRedirectBody === true && leadsOn(response));
  const codings = skip ? [] : readCodings(valuesOf(response.rawHeaders, 'content-encoding'));
  // A skipped body of up to 4 KiB is drained, to keep the connection for the next hop; a longer one costs the connection.
  const { wireBytes, socketBytes, isFramed } = limits;
  const bounds = skip
    ? { keepBytes: 4096, wireBytes: 4096, ratio: 1, encodings: 0, socketBytes, isFramed }
    : {
        keepBytes,
        wireBytes,
        ratio: 100,
        encodings: 2,
        asBytes: request.asBytes === true,
        socketBytes,
        isFramed,
      };
  const body = await readBody(
    stream,
    codings,
    valuesOf(response.rawHeaders, 'content-type')[0] ?? '',
    bounds,
  );
  if (!skip) return body;
  return { text: '', wireBytes: body.wireBytes, decodedBytes: body.decodedBytes, cut: 'not-read' };
}

/** Whether browsers follow the answer, and so read nothing of its body. */
function leadsOn({ statusCode = 0, rawHeaders }: IncomingMessage): boolean {
  return (
    redirectStatuses.includes(statusCode) && valuesOf(rawHeaders, 'location').some((value) => value !== '')
  );
}

export const redirectStatuses: readonly number[] = [301, 302, 303, 307, 308];

function seeTls(socket: TLSSocket, wantsValidity: boolean, clock: ClockFault | null): TlsObservation | null {
  if (!('encrypted' in socket)) return null;
  const error = socket.authorizationError as Error | string | null | undefined;
  const code =
    error instanceof Error ? ((error as { code?: string }).code ?? error.message) : (error ?? null);
  const validity = wantsValidity ? readValidity(socket) : undefined;
  return {
    protocol: socket.getProtocol(),
    trusted: socket.authorized,
    error: code === null ? null : String(code),
    ...(clock ? { atRightTime: seeAtRightTime(socket, clock, code) } : {}),
    ...(validity ? { validity } : {}),
  };
}

/** Where either end of what the right time may be says otherwise than our clock, that counts. Only what failed by its times, or did not fail, can. */
function seeAtRightTime(
  socket: TLSSocket,
  { offsetMs, mostMs }: ClockFault,
  code: string | null,
): NonNullable<TlsObservation['atRightTime']> {
  if (code !== null && !isTimeError(code)) return { trusted: false, error: code };
  const chain = chainAsSent(leafOf(socket));
  const isTrusted = [offsetMs, mostMs].map(
    (byMs) => openChainReader(Date.now() + byMs)(chain).trust?.kind === 'trusted',
  );
  if (code !== null && isTrusted.includes(true)) return { trusted: true, error: null };
  if (code === null && isTrusted.includes(false)) return { trusted: false, error: 'CERT_HAS_EXPIRED' };
  return { trusted: code === null, error: code };
}

function readValidity(socket: TLSSocket): TlsObservation['validity'] {
  const { valid_from: from, valid_to: to } = socket.getPeerCertificate();
  const [begins, ends] = [Date.parse(from), Date.parse(to)];
  if (Number.isNaN(begins) || Number.isNaN(ends)) return undefined;
  return { notBefore: new Date(begins).toISOString(), notAfter: new Date(ends).toISOString() };
}

function pairs(raw: readonly string[]): (readonly [string, string])[] {
  return raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? ''] as const] : []));
}

function valuesOf(raw: readonly string[], name: string): readonly string[] {
  return pairs(raw).flatMap(([found, value]) => (found.toLowerCase() === name ? [value] : []));
}
