import type { X509Certificate } from 'node:crypto';
import type { ConnectionOptions, TLSSocket } from 'node:tls';
import { DialFailure } from '../dial-failure.ts';
import type { Dialled } from '../guard.ts';
import { connectTls } from './guarded-stream.ts';
import type { Handshake, HandshakeRequest, Renegotiation } from './port.ts';
import { renegotiate } from './renegotiate.ts';
import { type ContextOptions, keepLeaf, sharedContext, type TlsError, waitUntilSecure } from './secure.ts';

/** What is wanted of a handshake. */
export type Shaking = {
  readonly request: Omit<HandshakeRequest, 'host' | 'port' | 'address'>;
  readonly limits: { readonly handshakeMs: number; readonly lingerMs: number };
  readonly signal: AbortSignal;
  /** What is said over the connection once it is secure; its time is not the handshake's. */
  readonly talk?: (tls: TLSSocket) => Promise<void>;
};

/** Shakes hands over a connection that was dialled, and tells what was seen. The connection is destroyed then. */
export async function shakeHands(
  { socket, address, times, watch }: Dialled,
  { request, limits, signal, talk }: Shaking,
): Promise<Handshake> {
  const bytesBefore = socket.bytesRead;
  const tls = connectTls({ socket, address }, optionsOf(request));
  const readLeaf = keepLeaf(tls);
  const seen = { ocspResponse: null as string | null, session: null as string | null };
  let bytesHalfway = bytesBefore;
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
    await waitUntilSecure(tls, { address, ...(watch ? { watch } : {}) }, limits.handshakeMs, signal);
    const ms = performance.now() - times.start;
    const opened = see(tls, { address, certificates: chainAsSent(readLeaf()), ms });
    const lingerMs = seen.session === null ? Math.min(lingerOf(request, ms), limits.lingerMs) : 0;
    request.onSecure?.({ ...opened, ocspResponse: seen.ocspResponse });
    await talk?.(tls);
    const lateAlert = await linger(tls, lingerMs, signal);
    const renegotiation = await renegotiateAsWished(tls, request, signal);
    return { ...opened, ...seen, lateAlert, renegotiation };
  } catch (error) {
    if (!(error instanceof DialFailure)) throw error;
    const { code, reason, cause } = error;
    const opensslCode = cause instanceof Error && 'code' in cause ? String(cause.code) : null;
    const isStalled =
      code === 'tls-timeout' && bytesHalfway > bytesBefore && socket.bytesRead === bytesHalfway;
    return { kind: 'failure', code, opensslCode, reason, address, ...(isStalled ? { isStalled } : {}) };
  } finally {
    clearTimeout(halfway);
    tls.destroy();
  }
}

async function renegotiateAsWished(
  tls: TLSSocket,
  { renegotiateForMs }: Shaking['request'],
  signal: AbortSignal,
): Promise<Renegotiation | null> {
  return renegotiateForMs === undefined ? null : renegotiate(tls, renegotiateForMs, signal);
}

function lingerOf({ lingerMs }: Shaking['request'], handshakeMs: number): number {
  return typeof lingerMs === 'number' ? lingerMs : lingerMs(handshakeMs);
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

function optionsOf(request: Shaking['request']): ConnectionOptions {
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

function contextOptionsOf(request: Shaking['request']): ContextOptions {
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
/** A leaf and its issuers, DER in base64. */
export function chainAsSent(leaf: X509Certificate | undefined): readonly string[] {
  const chain: string[] = [];
  for (let next = leaf; next && chain.length < longestChain; next = next.issuerCertificate)
    chain.push(next.raw.toString('base64'));
  return chain;
}

function alertOf(error: TlsError): string {
  return /alert[ _](.+)$/i.exec(error.reason ?? '')?.[1]?.replaceAll(' ', '_') ?? error.code ?? 'unknown';
}
