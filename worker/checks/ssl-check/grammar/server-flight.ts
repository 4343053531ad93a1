import { createHash } from 'node:crypto';
import { isMalformed } from '#shared/model/verdict';
import { type ByteCursor, openCursor } from '../../../certificates/grammar/byte-cursor.ts';
import { type Malformed, malformed } from '../../../certificates/grammar/malformed.ts';
import { type HandshakeMessage, openMessageReader } from '../../../probes/tls/message-reader.ts';
import { contentTypes, openRecordReader, type RecordContent } from '../../../probes/tls/record-reader.ts';
import { openServerHello, readExtensions } from '../../../probes/tls/server-hello.ts';
import { suites } from './suites.ts';
import { versionNumbers } from './tls-names.ts';

/** A ServerHello and what follows it in clear text. */
export type ServerFlight = {
  readonly kind: 'flight';
  /** On the wire, of the supported_versions extension if there is one. */
  readonly version: number;
  readonly suite: number;
  /** Chosen in ServerKeyExchange, HelloRetryRequest or key_share; null when none was named. */
  readonly group: number | null;
  /** Length of the prime of an ephemeral finite-field exchange. */
  readonly dhBits: number | null;
  /** SHA-256 of that prime without leading zeros, lower-case hex. */
  readonly dhPrimeSha256: string | null;
  /** SignatureScheme of a TLS 1.2 ServerKeyExchange; null where nothing was signed. */
  readonly signatureScheme: number | null;
  readonly isHelloRetry: boolean;
  readonly compression: number;
  readonly secureRenegotiation: boolean;
  readonly extendedMasterSecret: boolean;
  readonly alpn: string | null;
  /** DER as sent, up to TLS 1.2. */
  readonly certificates: readonly Uint8Array[];
  /** Length of a Certificate message that is larger than is read; null for any other. */
  readonly oversizeBytes: number | null;
  readonly ocspResponse: Uint8Array | null;
  /** Signed certificate timestamps sent as a TLS extension. */
  readonly timestampList: Uint8Array | null;
  readonly certificateRequested: boolean;
  /** Up to TLS 1.2: a session id to come back with (RFC 5246 §7.4.1.3). */
  readonly givesSessionId: boolean;
  readonly sessionId: Uint8Array;
  /** Types of the ServerHello's extensions. */
  readonly extensions: readonly number[];
  /** The ALPN extension names more than the one protocol that it should (RFC 7301 §3.1). */
  readonly isAlpnList: boolean;
  /** A session ticket will follow (RFC 5077 §3.2). */
  readonly givesTicket: boolean;
  /** The server has said all it says before it waits for us. */
  readonly isComplete: boolean;
};

/** What one ClientHello brought: a flight, a refusal by alert, not enough bytes yet, or no TLS. */
export type ServerAnswer =
  | ServerFlight
  | { readonly kind: 'alert'; readonly level: number; readonly description: number }
  | { readonly kind: 'incomplete' }
  | Malformed;

const messageTypes = {
  serverHello: 2,
  certificate: 11,
  serverKeyExchange: 12,
  certificateRequest: 13,
  serverHelloDone: 14,
  certificateStatus: 22,
} as const;

/** ECCurveType of a curve that is named by number. */
const namedCurve = 3;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type Draft = Mutable<Omit<ServerFlight, 'extensions'>> & { readonly extensions: number[] };

/** Reads what a server answers to a ClientHello, as it comes in; no byte is read twice. */
export type FlightReader = {
  /** Takes all bytes that have arrived so far, and skips those it has read before. */
  readonly readTo: (received: Uint8Array) => void;
  /** What the bytes say. */
  readonly answer: () => ServerAnswer;
  /** Nothing more is to come, or nothing that is wanted. */
  readonly isComplete: () => boolean;
  /** Bytes that were read: those of the stream, and once more those of whole messages. */
  readonly bytesRead: () => number;
};

/**
 * Opens a reader of one answer (RFC 5246 §7.4, RFC 8446 §4.1.3, RFC 8422 §5.4). Fields behind a malformed message are not read.
 * @param limitBytes how much of the answer is collected: a Certificate message that cannot fit is reported by its size alone
 */
export function openFlightReader(limitBytes: number): FlightReader {
  const records = openRecordReader();
  const messages = openMessageReader(limitBytes);
  let state: Draft | Extract<ServerAnswer, { kind: 'alert' }> | Malformed | null = null;
  let isOver = false;
  let alertBytes: number[] = [];
  let messageBytes = 0;

  const stop = (end: typeof state) => {
    state = end;
    isOver = true;
  };
  const takeMessage = (message: HandshakeMessage) => {
    messageBytes += message.body?.length ?? 0;
    const next = state?.kind === 'flight' ? readNext(state, message) : readFirst(message);
    if (isMalformed(next)) return stop(next);
    state = next;
    isOver = next.isComplete;
  };
  /** A fatal alert ends the answer. A warning is passed over: before the ServerHello it is "unrecognized_name" (RFC 6066 §3), and the handshake goes on. */
  const takeAlert = (bytes: Uint8Array) => {
    alertBytes = [...alertBytes, ...bytes.subarray(0, 2 - alertBytes.length)];
    const [level, description] = alertBytes;
    if (level === undefined || description === undefined) return;
    alertBytes = [];
    if (level === 1) return;
    if (state?.kind === 'flight') state.isComplete = true;
    stop(state ?? { kind: 'alert', level, description });
  };
  const take = ({ type, bytes }: RecordContent) => {
    if (type === contentTypes.alert) return takeAlert(bytes);
    // Behind these everything is encrypted; before a ServerHello they make no sense.
    if (type !== contentTypes.handshake)
      return stop(state ?? malformed('an encrypted record before the ServerHello', 0));
    for (const message of messages.add(bytes)) if (!isOver) takeMessage(message);
  };
  return {
    readTo(received) {
      if (isOver) return;
      for (const content of records.add(received.subarray(records.taken()))) if (!isOver) take(content);
      const failure = records.failure();
      if (failure !== null && !isOver) stop(failure);
    },
    answer: () => state ?? { kind: 'incomplete' },
    isComplete: () => isOver && state !== null,
    bytesRead: () => records.taken() + messageBytes,
  };
}

function readFirst({ type, body }: HandshakeMessage): Draft | Malformed {
  if (type !== messageTypes.serverHello) return malformed('a first message that is no ServerHello', 0);
  return body === null ? malformed('a ServerHello longer than is read', 0) : parseServerHello(body);
}

function readNext(flight: Draft, message: HandshakeMessage): Draft | Malformed {
  const { type, length, body } = message;
  if (body === null) {
    if (type !== messageTypes.certificate) return malformed('a handshake message longer than is read', 0);
    return { ...flight, oversizeBytes: length, isComplete: true };
  }
  const failedAt = readMessage(flight, type, body);
  return failedAt === null ? flight : malformed(`a broken handshake message of type ${type}`, failedAt);
}

function parseServerHello(body: Uint8Array): Draft | Malformed {
  const { version, isRetry, sessionId, suite, compression, cursor } = openServerHello(body);
  const flight: Draft = {
    kind: 'flight',
    version,
    suite,
    group: null,
    dhBits: null,
    dhPrimeSha256: null,
    signatureScheme: null,
    isHelloRetry: isRetry,
    compression,
    secureRenegotiation: false,
    extendedMasterSecret: false,
    alpn: null,
    certificates: [],
    oversizeBytes: null,
    ocspResponse: null,
    timestampList: null,
    certificateRequested: false,
    givesSessionId: sessionId.length > 0,
    sessionId,
    extensions: [],
    isAlpnList: false,
    givesTicket: false,
    isComplete: false,
  };
  const failedAt =
    cursor.left() > 0
      ? readExtensions(cursor, (type, content) => readExtension(flight, type, content))
      : cursor.failedAt();
  if (failedAt !== null) return malformed('a ServerHello that is cut off', failedAt);
  // After a TLS 1.3 ServerHello everything is encrypted, and a HelloRetryRequest waits for us.
  flight.isComplete = flight.version >= 0x0304;
  return flight;
}

function readExtension(flight: Draft, type: number, content: ByteCursor): void {
  flight.extensions.push(type);
  switch (type) {
    case 16: {
      const listBytes = content.number(2);
      const protocol = content.vector(1);
      flight.alpn = Buffer.from(protocol).toString('latin1');
      flight.isAlpnList = listBytes > protocol.length + 1;
      return;
    }
    case 18:
      flight.timestampList = content.bytes(content.left());
      return;
    case 23:
      flight.extendedMasterSecret = true;
      return;
    case 35:
      flight.givesTicket = true;
      return;
    case 43:
      flight.version = content.number(2);
      return;
    case 51:
      flight.group = content.number(2);
      return;
    case 0xff01:
      flight.secureRenegotiation = true;
      return;
    default:
  }
}

/** Reads one message after the ServerHello into the flight; gives the offset where it broke, or null. */
function readMessage(flight: Draft, type: number, body: Uint8Array): number | null {
  const cursor = openCursor(body);
  switch (type) {
    case messageTypes.certificate:
      flight.certificates = readCertificates(cursor);
      break;
    case messageTypes.certificateStatus:
      if (cursor.number(1) === 1) flight.ocspResponse = cursor.vector(3);
      break;
    case messageTypes.serverKeyExchange:
      readKeyExchange(flight, cursor);
      break;
    case messageTypes.certificateRequest:
      flight.certificateRequested = true;
      break;
    case messageTypes.serverHelloDone:
      flight.isComplete = true;
      break;
    default:
  }
  return cursor.failedAt();
}

function readCertificates(cursor: ByteCursor): Uint8Array[] {
  const list = openCursor(cursor.vector(3));
  const certificates: Uint8Array[] = [];
  while (list.left() > 0) {
    const certificate = list.vector(3);
    if (certificate.length > 0) certificates.push(certificate);
  }
  return certificates;
}

/** What follows depends on the suite (RFC 5246 §7.4.3, RFC 8422 §5.4); parameters of other exchanges are passed over. */
function readKeyExchange(flight: Draft, cursor: ByteCursor): void {
  const { keyExchange, isAnonymous } = suites.get(flight.suite) ?? {};
  const isNamed = keyExchange === 'ECDHE' && cursor.number(1) === namedCurve;
  if (isNamed) {
    flight.group = cursor.number(2);
    cursor.vector(1); // its point
  }
  if (keyExchange === 'DHE') {
    const prime = withoutZeros(cursor.vector(2));
    flight.dhBits = bitLength(prime);
    flight.dhPrimeSha256 = createHash('sha256').update(prime).digest('hex');
    cursor.vector(2); // the generator
    cursor.vector(2); // its public value
  }
  const isSigned = (isNamed || keyExchange === 'DHE') && isAnonymous === false;
  // Older versions do not name it, for they know one way only (RFC 5246 §7.4.3).
  if (isSigned && flight.version === versionNumbers['TLSv1.2'] && cursor.left() >= 2)
    flight.signatureScheme = cursor.number(2);
}

/** An unsigned big-endian number without leading zeros. */
function withoutZeros(number: Uint8Array): Uint8Array {
  const first = number.findIndex((byte) => byte !== 0);
  return first < 0 ? new Uint8Array(0) : number.subarray(first);
}

function bitLength(number: Uint8Array): number {
  const [first = 0] = number;
  return first === 0 ? 0 : number.length * 8 - (Math.clz32(first) - 24);
}
