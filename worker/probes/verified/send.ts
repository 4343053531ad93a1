import type { ClientRequest, IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { TLSSocket } from 'node:tls';
import type { FailureCode } from '#shared/model/failure';
import { judgeUrl, portOf, type TargetPolicy } from '#shared/targets/parse-target';
import { DialFailure } from '../dial-failure.ts';
import type { Dial, Dialled } from '../guard.ts';
import { boundFraming, boundInterim } from '../http/bounds.ts';
import { readBody } from '../http/decode-body.ts';
import type { HttpBody } from '../http/port.ts';
import { readFailure } from '../http/read-failure.ts';
import { connectTls, type PlainConnection } from '../tls/guarded-stream.ts';
import { keepLeaf, sharedContext, waitUntilSecure } from '../tls/secure.ts';

/** One request to a host that is believed, or that gets something of ours: nothing is sent before its certificate was found good. */
export type VerifiedRequest = {
  /** https; judged again here. */
  readonly url: string;
  readonly method: 'GET' | 'POST';
  /** Beside Host, User-Agent and Content-Length. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** How much of the answer's body is read, as it is sent: no content coding is decoded. 0 reads none and closes the connection. */
  readonly bodyLimitBytes: number;
};

/** Called before anything is sent, with the addresses of the host, every one judged. What it throws ends the request, and is thrown on. */
export type Admit = (addresses: readonly string[]) => Promise<void>;

export type VerifiedAnswer =
  | {
      readonly kind: 'response';
      readonly status: number;
      /** By lower-case name; of a repeated field the first value. */
      readonly headers: ReadonlyMap<string, string>;
      /** `cut` where there is more than was read. */
      readonly body: Pick<HttpBody, 'bytes' | 'cut'>;
    }
  | {
      readonly kind: 'failure';
      /** certificate-not-trusted: the request was not sent. */
      readonly code: FailureCode | 'certificate-not-trusted';
      /** A sentence's end. Never an address of a refused host. */
      readonly reason: string;
    };

export type VerifiedSettings = {
  readonly dial: Dial;
  /** Where a request depends on the addresses: only those that were admitted are connected to. */
  readonly admission?: {
    readonly findAddresses: (host: string) => Promise<readonly string[]>;
    readonly admit: Admit;
  };
  readonly policy: TargetPolicy;
  readonly userAgent: string;
  readonly limits: {
    readonly tlsMs: number;
    /** The whole request with its body. */
    readonly requestMs: number;
    readonly headerBytes: number;
  };
};

/**
 * Sends one https request through the guard and follows nothing. The certificate must lead to Node's bundled roots (and
 * NODE_EXTRA_CA_CERTS) and be for the host. Each request has a connection of its own, so that it is never one that was not verified.
 * What goes wrong at the other end is an answer; it rejects only with the signal's reason, or for a defect.
 */
export async function sendVerified(
  request: VerifiedRequest,
  settings: VerifiedSettings,
  signal: AbortSignal,
): Promise<VerifiedAnswer> {
  signal.throwIfAborted();
  const judged = judgeUrl(new URL(request.url), settings.policy);
  if (!judged.ok) return { kind: 'failure', code: 'target-not-allowed', reason: judged.fault.why };
  const url = judged.value;
  if (url.protocol !== 'https:')
    return { kind: 'failure', code: 'target-not-allowed', reason: 'it is not an https address' };
  const ending = new AbortController();
  const late = new DialFailure('response-timeout', 'the server did not answer in time');
  const timer = setTimeout(() => ending.abort(late), settings.limits.requestMs);
  const whole = AbortSignal.any([signal, ending.signal]);
  try {
    const addresses = await admittedOf(url, settings);
    const tls = await connectVerified({ url, addresses }, settings, whole);
    if (!('socket' in tls)) return tls;
    return await exchange({ request, url, tls: tls.socket }, settings, whole);
  } catch (error) {
    signal.throwIfAborted();
    const failure = readFailure(error, url.href, null);
    if (failure.kind !== 'failure') throw error;
    return { kind: 'failure', code: failure.code, reason: failure.reason };
  } finally {
    clearTimeout(timer);
  }
}

type Connected = { readonly socket: TLSSocket };
type Refused = Extract<VerifiedAnswer, { kind: 'failure' }>;
/** Without addresses any of the host's will do. */
type VerifiedTarget = { readonly url: URL; readonly addresses: readonly string[] | undefined };

async function admittedOf(url: URL, { admission }: VerifiedSettings) {
  const addresses = await admission?.findAddresses(url.hostname);
  if (addresses) await admission?.admit(addresses);
  return addresses;
}

async function dialPlace(
  { url, addresses }: VerifiedTarget,
  { dial }: VerifiedSettings,
  signal: AbortSignal,
): Promise<Dialled> {
  if (!addresses) return dial(url.hostname, portOf(url), signal);
  // One of each family, as happy eyeballs would, one after the other.
  const [v4, v6] = [addresses.find((one) => !one.includes(':')), addresses.find((one) => one.includes(':'))];
  const [first, second] = v4 === undefined ? [v6] : [v4, v6];
  const dialOne = (address: string) => dial(url.hostname, portOf(url), signal, { address });
  if (first === undefined) throw new DialFailure('name-not-found', 'the name has no address');
  if (second === undefined) return dialOne(first);
  return dialOne(first).catch((error: unknown) => {
    signal.throwIfAborted();
    if (!(error instanceof DialFailure)) throw error;
    return dialOne(second);
  });
}

async function connectVerified(
  place: VerifiedTarget,
  settings: VerifiedSettings,
  signal: AbortSignal,
): Promise<Connected | Refused> {
  const { limits } = settings;
  const { url } = place;
  const dialled = await dialPlace(place, settings, signal);
  const tls = openTls(dialled, url.hostname);
  try {
    await waitUntilSecure(tls, dialled, limits.tlsMs, signal);
  } catch (error) {
    if (!isDistrusted(tls)) throw error;
    return { kind: 'failure', code: 'certificate-not-trusted', reason: tellDistrust(tls) };
  }
  if (tls.authorized) return { socket: tls };
  tls.destroy();
  return { kind: 'failure', code: 'certificate-not-trusted', reason: tellDistrust(tls) };
}

function openTls(plain: PlainConnection, servername: string): TLSSocket {
  const tls = connectTls(plain, {
    servername,
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
    secureContext: sharedContext({}),
  });
  keepLeaf(tls);
  return tls;
}

// Node sets it before it destroys the socket, and in no other failure of a handshake. Its types say Error, but it is a code.
function isDistrusted({ authorizationError }: TLSSocket): boolean {
  return authorizationError !== null && authorizationError !== undefined;
}

function tellDistrust({ authorizationError }: TLSSocket): string {
  return `its certificate is not trusted (${String(authorizationError)})`;
}

type Exchange = { readonly request: VerifiedRequest; readonly url: URL; readonly tls: TLSSocket };

async function exchange(
  { request, url, tls }: Exchange,
  { userAgent, limits }: VerifiedSettings,
  signal: AbortSignal,
): Promise<VerifiedAnswer> {
  const readBefore = tls.bytesRead;
  const framing = { isFramed: false };
  const outgoing = requestHttps(url, {
    method: request.method,
    headers: { ...request.headers, 'user-agent': userAgent },
    maxHeaderSize: limits.headerBytes,
    createConnection: () => tls,
  });
  boundInterim(outgoing);
  boundFraming(outgoing, framing);
  const abort = () => outgoing.destroy(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  try {
    const responded = responseOf(outgoing);
    outgoing.end(request.body);
    const response = await responded;
    const body = await readBody(response, [], '', {
      keepBytes: request.bodyLimitBytes,
      wireBytes: request.bodyLimitBytes + 65_536,
      ratio: 1,
      encodings: 0,
      asBytes: true,
      socketBytes: () => tls.bytesRead - readBefore - limits.headerBytes,
      isFramed: () => framing.isFramed,
    });
    signal.throwIfAborted();
    return { kind: 'response', status: response.statusCode ?? 0, headers: firstValues(response), body };
  } finally {
    signal.removeEventListener('abort', abort);
    outgoing.destroy();
    tls.destroy();
  }
}

function responseOf(outgoing: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing.once('response', resolve);
    // Stays on: the connection may also break after the answer began.
    outgoing.on('error', reject);
  });
}

function firstValues({ rawHeaders }: IncomingMessage): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase();
    if (!values.has(name)) values.set(name, rawHeaders[index + 1] ?? '');
  }
  return values;
}
