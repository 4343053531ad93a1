import { RequestError } from 'got';
import type { FailureCode } from '#shared/model/failure';
import { DialFailure, readSocketError } from '../dial-failure.ts';
import type { HttpAnswer } from './port.ts';

type KnownFailure = {
  readonly code: FailureCode;
  readonly reason: string;
  readonly address?: string | null;
  readonly parserCode?: string;
};

// Node's parser and TLS codes of an answer that breaks the protocol.
const protocolFailures: readonly (readonly [pattern: RegExp, code: FailureCode, reason: string])[] = [
  [/^HPE_HEADER_OVERFLOW$/, 'headers-too-large', 'the header section is larger than 64 KiB'],
  [/^HPE_INVALID_CONSTANT$/, 'not-http', 'the server does not answer in HTTP/1.1'],
  [/^HPE_/, 'malformed-response', 'the answer breaks the grammar of HTTP'],
  [
    /^ERR_HTTP_CONTENT_LENGTH_MISMATCH$/,
    'malformed-response',
    'the answer is shorter than its Content-Length',
  ],
  // TLS 1.3 refuses a missing client certificate only after the handshake: the alert meets the request.
  [/^ERR_SSL_/, 'tls-failed', 'the server ended the TLS connection'],
  // OpenSSL gave the connection up while the request was being written: what the server sent was no TLS.
  [/^(?:EPROTO|ECANCELED)$/, 'tls-failed', 'the TLS connection broke while the request was sent'],
];

/**
 * What an error of a request says of its target; rethrows what is no fault of the target.
 * @param address at which it was connected, where it came to that
 */
export function readFailure(error: unknown, url: string, address: string | null): HttpAnswer {
  const known = see(error);
  if (!known) throw error;
  return { kind: 'failure', url, ...known, address: known.address ?? address };
}

function see(error: unknown): KnownFailure | undefined {
  const cause = error instanceof RequestError && error.cause instanceof Error ? error.cause : error;
  if (cause instanceof DialFailure) return { code: cause.code, reason: cause.reason, address: cause.address };
  if (error instanceof RequestError && error.code === 'ETIMEDOUT')
    return { code: 'response-timeout', reason: 'the server did not answer in time' };
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const protocol = protocolFailures.find(([pattern]) => pattern.test(code));
  if (protocol)
    return {
      code: protocol[1],
      reason: `${protocol[2]} (${code})`,
      ...(isReadable(cause, code) ? { parserCode: code } : {}),
    };
  if (isHangUp(cause))
    return { code: 'connection-closed', reason: 'the server closed the connection without an answer' };
  const known = readSocketError(cause);
  return known && { code: known[0], reason: known[1] };
}

// What does not begin like HTTP is another protocol, which no second look makes readable.
function isReadable(cause: unknown, code: string): boolean {
  if (code !== 'HPE_INVALID_CONSTANT') return code.startsWith('HPE_');
  const { rawPacket } = cause as { readonly rawPacket?: unknown };
  return Buffer.isBuffer(rawPacket) && /^.{0,4}http/is.test(rawPacket.toString('latin1', 0, 8));
}

// Node gives an end of the stream the code of a reset; only its words tell them apart.
function isHangUp(cause: unknown): boolean {
  return cause instanceof Error && cause.message.includes('socket hang up');
}
