import type { TLSSocket } from 'node:tls';
import { DialFailure } from '../dial-failure.ts';
import type { Renegotiation } from './port.ts';

/**
 * Asks once for a new handshake inside a connection (RFC 5246 §7.4.1.1), as a client may up to TLS 1.2.
 * A server that does not want one answers with no_renegotiation or ends the connection.
 * @param ms how long to wait; a server may also say nothing, which is unknown
 */
export function renegotiate(tls: TLSSocket, ms: number, signal: AbortSignal): Promise<Renegotiation> {
  return new Promise((resolve, reject) => {
    const settle = (outcome: Renegotiation) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      resolve(outcome);
    };
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => settle('unknown'), ms);
    signal.addEventListener('abort', abort, { once: true });
    // Our own guard ends a second handshake that is too long: what it would have come to is not known.
    tls.once('error', (error) => settle(error instanceof DialFailure ? 'unknown' : 'refused'));
    tls.once('close', () => settle('refused'));
    // The answer arrives only while somebody reads.
    tls.resume();
    tls.renegotiate({ rejectUnauthorized: false }, (error) =>
      settle(error === null ? 'accepted' : 'refused'),
    );
  });
}
