import type { X509Certificate } from 'node:crypto';
import type { ConnectionOptions, TLSSocket } from 'node:tls';
import { DialFailure } from '../dial-failure.ts';
import type { Dial, Dialled } from '../guard.ts';
import type { FailureCode } from '../http/port.ts';
import { collect } from './collect.ts';
import { connectTls } from './guarded-stream.ts';
import type { Exchange, ExchangeRequest, Handshake, HandshakeRequest, TlsProbe } from './port.ts';
import { renegotiate } from './renegotiate.ts';
import { type ContextOptions, keepLeaf, sharedContext, type TlsError, waitUntilSecure } from './secure.ts';

export type TlsLimits = {
  readonly handshakeMs: number;
  readonly lingerMs: number;
  readonly exchangeBytes: number;
};
export const tlsLimits: TlsLimits = { handshakeMs: 5000, lingerMs: 1000, exchangeBytes: 65_536 };

/** Opens the probe for one run; every socket is destroyed when its promise settles. */
export function openTlsProbe(
  dial: Dial,
  findAddresses: (host: string) => Promise<readonly string[]>,
  limits: TlsLimits,
  signal: AbortSignal,
): TlsProbe {
  let connections = 0;
  const open = async ({ host, port, address }: Place): Promise<Dialled> => {
    connections += 1;
    return dial(host, port, signal, address === undefined ? {} : { address });
  };
  return {
    async addresses(host) {
      const found = await findAddresses(host).catch(asFailure);
      return 'kind' in found ? [] : found;
    },
    async handshake(request) {
      const dialled = await open(request).catch(asFailure);
      if ('kind' in dialled) return { ...dialled, opensslCode: null };
      try {
        return await shakeHands(dialled, request, limits, signal);
      } finally {
        dialled.socket.destroy();
      }
    },
    async exchange(request): Promise<Exchange> {
      const dialled = await open(request).catch(asFailure);
      if ('kind' in dialled) return dialled;
      return exchangeBytes(dialled, request, limits, signal);
    },
    connections: () => connections,
  };
}

type Place = Pick<HandshakeRequest, 'host' | 'port' | 'address'>;

type Failure = {
  readonly kind: 'failure';
  readonly code: FailureCode;
  readonly reason: string;
  readonly address: string | null;
};

function asFailure(error: unknown): Failure {
  if (!(error instanceof DialFailure)) throw error;
  return { kind: 'failure', code: error.code, reason: error.reason, address: error.address };
}

async function exchangeBytes(
  { socket, address, times }: Dialled,
  request: ExchangeRequest,
  limits: TlsLimits,
  signal: AbortSignal,
): Promise<Exchange> {
  const limitBytes = Math.min(request.limitBytes, limits.exchangeBytes);
  const collected = collect(socket, {
    isComplete: request.isComplete,
    limitBytes,
    timeoutMs: request.timeoutMs,
    signal,
  });
  socket.write(request.send);
  try {
    return { kind: 'received', ...(await collected), address, ms: performance.now() - times.start };
  } finally {
    socket.destroy();
  }
}

async function shakeHands(
  { socket, address, times }: Dialled,
  request: HandshakeRequest,
  limits: TlsLimits,
  signal: AbortSignal,
): Promise<Handshake> {
  const tls = connectTls({ socket, address }, optionsOf(request));
  const readLeaf = keepLeaf(tls);
  const seen = { ocspResponse: null as string | null, session: null as string | null };
  let bytesHalfway = 0;
  const halfway = setTimeout(() => {
    bytesHalfway = socket.bytesRead;
  }, limits.handshakeMs / 2);
  tls.on('OCSPResponse', (response: Buffer | null) => {
    seen.ocspResponse = response?.toString('base64') ?? null;
  });
  tls.on('session', (session: Buffer) => {
    seen.session = session.toString('base64');
  });
  try {
    await waitUntilSecure(tls, address, limits.handshakeMs, signal);
    const ms = performance.now() - times.start;
    const sight = see(tls, { address, certificates: chainAsSent(readLeaf()), ms });
    const lingerMs = seen.session === null ? Math.min(request.lingerMs, limits.lingerMs) : 0;
    const lateAlert = await linger(tls, lingerMs, signal);
    const renegotiation =
      request.renegotiateForMs === undefined
        ? null
        : await renegotiate(tls, request.renegotiateForMs, signal);
    return { ...sight, ...seen, lateAlert, renegotiation };
  } catch (error) {
    if (!(error instanceof DialFailure)) throw error;
    const { code, reason, cause } = error;
    const opensslCode = cause instanceof Error && 'code' in cause ? String(cause.code) : null;
    const isStalled = code === 'tls-timeout' && bytesHalfway > 0 && socket.bytesRead === bytesHalfway;
    return { kind: 'failure', code, opensslCode, reason, address, ...(isStalled ? { isStalled } : {}) };
  } finally {
    clearTimeout(halfway);
    tls.destroy();
  }
}

/** Reads on for a while: tickets and late alerts arrive only while somebody reads. Gives the alert, if one came. */
function linger(tls: TLSSocket, ms: number, signal: AbortSignal): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const settle = (alert: string | null) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      resolve(alert);
    };
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => settle(null), ms);
    signal.addEventListener('abort', abort, { once: true });
    tls.once('error', (error: TlsError) => settle(alertOf(error)));
    tls.once('close', () => settle(null));
    // In TLS 1.3 a ticket follows only what the server has accepted: no late alert can come after it.
    tls.once('session', () => settle(null));
    tls.resume();
  });
}

function optionsOf(request: HandshakeRequest): ConnectionOptions {
  return {
    rejectUnauthorized: false,
    servername: request.servername ?? '',
    // The name is judged by Node as a browser's first step would; without SNI there is no name to judge.
    ...(request.servername === null ? { checkServerIdentity: () => undefined } : {}),
    ...(request.alpn === undefined ? {} : { ALPNProtocols: [...request.alpn] }),
    secureContext: sharedContext(contextOptionsOf(request)),
    ...(request.session === undefined ? {} : { session: Buffer.from(request.session, 'base64') }),
    requestOCSP: request.requestOcsp ?? false,
  };
}

function contextOptionsOf(request: HandshakeRequest): ContextOptions {
  return {
    ...(request.ciphers === undefined ? {} : { ciphers: request.ciphers }),
    ...(request.minVersion === undefined ? {} : { minVersion: request.minVersion }),
    ...(request.maxVersion === undefined ? {} : { maxVersion: request.maxVersion }),
    ...(request.signatureAlgorithms === undefined ? {} : { sigalgs: request.signatureAlgorithms }),
    ...(request.ecdhCurve === undefined ? {} : { ecdhCurve: request.ecdhCurve }),
    ...(request.secureOptions === undefined ? {} : { secureOptions: request.secureOptions }),
  };
}

type Connected = Extract<Handshake, { kind: 'connected' }>;

function see(tls: TLSSocket, known: Pick<Connected, 'address' | 'certificates' | 'ms'>): Connected {
  const error = tls.authorizationError as TlsError | string | null | undefined;
  const cipher = tls.getCipher();
  return {
    kind: 'connected',
    ...known,
    protocol: tls.getProtocol() ?? '',
    cipher: { name: cipher.name, standardName: cipher.standardName, version: cipher.version },
    ephemeralKey: { ...tls.getEphemeralKeyInfo() },
    alpn: tls.alpnProtocol === false ? null : tls.alpnProtocol,
    trustError: tls.authorized
      ? null
      : error instanceof Error
        ? (error.code ?? error.message)
        : (error ?? 'UNSPECIFIED'),
    ocspResponse: null,
    session: null,
    isResumed: tls.isSessionReused(),
    renegotiation: null,
    lateAlert: null,
  };
}

/** More do not fit into a Certificate message that OpenSSL reads. */
const longestChain = 512;

// issuerCertificate of an X509Certificate walks the chain as it was sent, wrong ones too; getPeerCertificate(true) would give the rebuilt one.
function chainAsSent(leaf: X509Certificate | undefined): readonly string[] {
  const chain: string[] = [];
  for (let next = leaf; next && chain.length < longestChain; next = next.issuerCertificate)
    chain.push(next.raw.toString('base64'));
  return chain;
}

function alertOf(error: TlsError): string {
  return /alert[ _](.+)$/i.exec(error.reason ?? '')?.[1]?.replaceAll(' ', '_') ?? error.code ?? 'unknown';
}
