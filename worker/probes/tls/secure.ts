import type { X509Certificate } from 'node:crypto';
import {
  createSecureContext,
  DEFAULT_CIPHERS,
  getCACertificates,
  type SecureContext,
  type SecureContextOptions,
  type TLSSocket,
} from 'node:tls';
import { LRUCache } from 'lru-cache';
import type { ConnectionWatch } from '../connection-watch.ts';
import { DialFailure, readSocketError } from '../dial-failure.ts';

export type TlsError = Error & { readonly code?: string; readonly reason?: string };

/**
 * An OpenSSL cipher list without finite-field Diffie-Hellman, which browsers dropped too. Up to TLS 1.2 the server chooses the prime, and
 * raising numbers modulo one of 10,000 bits blocks the event loop for 1.3 s; the groups of TLS 1.3 are fixed and cheap.
 */
function withoutServerChosenPrimes(ciphers: string = DEFAULT_CIPHERS): string {
  return `${ciphers}:!kDHE`;
}

/** What connections may have in common. The ciphers are an OpenSSL list. */
export type ContextOptions = Readonly<
  Pick<
    SecureContextOptions,
    'ciphers' | 'minVersion' | 'maxVersion' | 'sigalgs' | 'ecdhCurve' | 'secureOptions'
  >
>;

/** Checks offer a dozen different things. */
const contexts = new LRUCache<string, SecureContext>({ max: 24 });
let madeFor: readonly string[] | undefined;

/** The context of connections that offer the same, without primes of the server's choice: making one takes 0.2 ms of CPU. Sessions are not shared by it. */
export function sharedContext({ ciphers, ...more }: ContextOptions): SecureContext {
  // Another list from when the roots of the process are set anew.
  const roots = getCACertificates('default');
  if (madeFor !== roots) contexts.clear();
  madeFor = roots;
  const options = { ...more, ciphers: withoutServerChosenPrimes(ciphers) };
  const key = JSON.stringify(options);
  const context = contexts.get(key) ?? createSecureContext(options);
  contexts.set(key, context);
  return context;
}

/**
 * Gives what reads the server's certificate, and judges its names by that. Node would turn the whole chain into objects in each handshake,
 * 0.16 ms of CPU, for the two fields that `checkServerIdentity` reads; getPeerCertificate has only these then, and its dates.
 * @returns the certificate with its issuers as they were sent; Node gives them only to the first who asks
 */
export function keepLeaf(tls: TLSSocket): () => X509Certificate | undefined {
  let leaf: X509Certificate | undefined;
  const readLeaf = () => (leaf ??= tls.getPeerX509Certificate());
  const namesOf = () => ({
    subject: {
      // Read only where no name of the DNS is among the others.
      get CN() {
        return readLeaf()?.toLegacyObject().subject.CN;
      },
    },
    subjectaltname: readLeaf()?.subjectAltName,
    get valid_from() {
      return readLeaf()?.validFrom;
    },
    get valid_to() {
      return readLeaf()?.validTo;
    },
  });
  tls.getPeerCertificate = namesOf as TLSSocket['getPeerCertificate'];
  leaves.set(tls, readLeaf);
  return readLeaf;
}

const leaves = new WeakMap<TLSSocket, () => X509Certificate | undefined>();

/** The certificate of a connection whose leaf is kept, with its issuers as they were sent. */
export function leafOf(tls: TLSSocket): X509Certificate | undefined {
  return leaves.get(tls)?.();
}

/** The other end of a connection, and who hears of it. */
export type Watched = { readonly address: string; readonly watch?: ConnectionWatch | undefined };

/** Waits until the handshake is finished. Rejects with DialFailure, whose cause is the TLS error; the socket is then destroyed. */
export async function waitUntilSecure(
  tls: TLSSocket,
  { address, watch }: Watched,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<void> {
  try {
    const finished = finish(tls, address, timeoutMs, signal);
    await (watch ? watch.finished(finished) : finished);
    await watch?.secured(tls);
  } catch (error) {
    tls.destroy();
    throw (await watch?.explain(error)) ?? error;
  }
}

function finish(tls: TLSSocket, address: string, timeoutMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      tls.off('error', fail);
      // An error after the handshake goes to the reader; without a reader it must not end the process.
      tls.on('error', () => undefined);
      if (!error) return resolve();
      tls.destroy();
      reject(error);
    };
    const fail = (error: TlsError) => settle(readTlsError(error, address));
    const late = () =>
      settle(new DialFailure('tls-timeout', 'the TLS handshake was not finished in time', { address }));
    const abort = () => settle(signal.reason as Error);
    const timer = setTimeout(late, timeoutMs);
    signal.addEventListener('abort', abort, { once: true });
    tls.once('secureConnect', () => settle());
    tls.once('error', fail);
  });
}

const plainTextCodes = [
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
  'ERR_SSL_HTTP_REQUEST',
];

/** What an error during a handshake means; one that is no fault of the target is given back as it is. */
function readTlsError(error: TlsError, address: string): Error {
  if (error instanceof DialFailure) return error;
  const more = { address, cause: error };
  const code = error.code ?? '';
  if (plainTextCodes.includes(code))
    return new DialFailure('not-tls', 'the server does not speak TLS on this port', more);
  if (code.startsWith('ERR_SSL_') || code === 'EPROTO') {
    return new DialFailure('tls-failed', `the TLS handshake failed (${error.reason ?? code})`, more);
  }
  // Node's own words for an end of the stream in the middle of the handshake; a reset reads otherwise.
  if (/before secure TLS connection was established/.test(error.message)) {
    return new DialFailure(
      'connection-closed',
      'the server closed the connection during the TLS handshake',
      more,
    );
  }
  const known = readSocketError(error);
  return known ? new DialFailure(known[0], `${known[1]} during the TLS handshake`, more) : error;
}
