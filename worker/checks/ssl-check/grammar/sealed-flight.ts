import { joinBytes, vectorBytes } from '../../../certificates/grammar/byte-cursor.ts';
import { type Malformed, malformed } from '../../../certificates/grammar/malformed.ts';
import { openRecords, type RecordOpener, sealings } from '../../../probes/tls/handshake-keys.ts';
import { type HandshakeMessage, openMessageReader } from '../../../probes/tls/message-reader.ts';
import { contentTypes } from '../../../probes/tls/record-reader.ts';
import { openRecordSplitter } from '../../../probes/tls/record-splitter.ts';
import { openServerHello, readExtensions } from '../../../probes/tls/server-hello.ts';
import { type CertificateForm, certificateTypes, parseCompressedCertificate } from './certificate-message.ts';
import { deriveServerSecret, type KeyShare, type KeyShares } from './key-shares.ts';

/** Reads the sealed part of a server's first flight in TLS 1.3, as far as the message with its certificates. */
export type SealedFlightReader = {
  /** Takes all bytes that have arrived so far, and skips those it has read before. */
  readonly readTo: (received: Uint8Array) => void;
  /** null while none was seen: the server did not choose a key that was offered, or sent no certificate. */
  readonly form: () => CertificateForm | Malformed | null;
  /** Nothing more is wanted, or nothing can be opened. */
  readonly isOver: () => boolean;
};

const recordHeadBytes = 5;
const keyShareExtension = 51;

/** Opens a reader of one answer. @param hello the record with our ClientHello @param limitBytes of a message */
export function openSealedFlightReader(
  hello: Uint8Array,
  shares: KeyShares,
  limitBytes: number,
): SealedFlightReader {
  const splitter = openRecordSplitter();
  const clear = openMessageReader(limitBytes);
  const sealed = openMessageReader(limitBytes);
  let opener: RecordOpener | null = null;
  let form: CertificateForm | Malformed | null = null;
  let isOver = false;
  let taken = 0;

  const takeSealed = (message: HandshakeMessage) => {
    if (message.type !== certificateTypes.plain && message.type !== certificateTypes.compressed) return;
    form = readForm(message);
    isOver = true;
  };
  const take = (record: Uint8Array) => {
    const [type] = record;
    // Middleboxes want one that means nothing (RFC 8446 §D.4).
    if (type === contentTypes.changeCipherSpec) return;
    if (opener === null) {
      const [message] = type === contentTypes.handshake ? clear.add(record.subarray(recordHeadBytes)) : [];
      opener = message === undefined ? null : openerOf(hello, message, shares);
      isOver = opener === null && (message !== undefined || type !== contentTypes.handshake);
      return;
    }
    const opened = opener(record);
    if (opened?.type !== contentTypes.handshake) isOver = true;
    else for (const message of sealed.add(opened.content)) if (!isOver) takeSealed(message);
  };
  return {
    readTo(received) {
      const piece = Buffer.from(received.subarray(taken));
      taken = received.length;
      for (const record of isOver ? [] : splitter.add(piece)) if (!isOver) take(record);
    },
    form: () => form,
    isOver: () => isOver,
  };
}

function readForm({ type, length, body }: HandshakeMessage): CertificateForm | Malformed {
  if (type === certificateTypes.plain)
    return { kind: 'form', compression: null, bytes: length, wholeBytes: length };
  return body === null
    ? malformed('a compressed certificate longer than is read', 0)
    : parseCompressedCertificate(body);
}

/** The key behind a ServerHello; null where it chose none that we have. */
function openerOf(hello: Uint8Array, message: HandshakeMessage, shares: KeyShares): RecordOpener | null {
  const { type, body } = message;
  const chosen = type === 2 && body !== null ? readChoice(body) : null;
  const sealing = chosen === null ? undefined : sealings[chosen.suite];
  const shared = chosen?.share ? shares.agree(chosen.share) : null;
  if (body === null || sealing === undefined || shared === null) return null;
  const answer = joinBytes(type, vectorBytes(3, body));
  const messages = joinBytes(hello.subarray(recordHeadBytes), answer);
  return openRecords(sealing, deriveServerSecret(sealing.hash, shared, messages));
}

/** Suite and key of a ServerHello (RFC 8446 §4.2.8); null for a HelloRetryRequest and for what is cut off. */
function readChoice(body: Uint8Array): { suite: number; share: KeyShare | null } | null {
  const { suite, isRetry, cursor } = openServerHello(body);
  let share: KeyShare | null = null;
  const failedAt = readExtensions(cursor, (type, content) => {
    if (type === keyShareExtension) share = { group: content.number(2), publicKey: content.vector(2) };
  });
  return isRetry || failedAt !== null ? null : { suite, share };
}
