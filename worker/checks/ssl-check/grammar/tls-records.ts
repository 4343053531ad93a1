import { type ByteCursor, joinBytes, openCursor } from '../../../certificates/grammar/byte-cursor.ts';
import { isMalformed, type Malformed, malformed } from '../../../certificates/grammar/malformed.ts';

export type HandshakeMessage = { readonly type: number; readonly body: Uint8Array };

/** What a server has sent so far, up to the first record that is not clear text. */
export type Records = {
  readonly kind: 'records';
  /** Whole handshake messages, joined over records. */
  readonly messages: readonly HandshakeMessage[];
  /** The first alert: level 1 warning, 2 fatal. */
  readonly alert: { readonly level: number; readonly description: number } | null;
};

/** How long a record's content may be: 2^14 and the 2048 that TLS 1.2 leaves for expansion (RFC 5246 §6.2.3). */
const recordLimitBytes = 16_384 + 2048;
/** A certificate list of 100 kB is seen in the wild, one of more is not read. */
const messageLimitBytes = 131_072;

/** Type, version and length before each record. */
const headBytes = 5;

const contentTypes = { changeCipherSpec: 20, alert: 21, handshake: 22, application: 23 } as const;

/** Reads the record layer of SSL 3.0 to TLS 1.3 (RFC 8446 §5.1). What is cut off at the end is left out; bytes that cannot be TLS are malformed. */
export function parseRecords(received: Uint8Array): Records | Malformed {
  const cursor = openCursor(received);
  const fragments: Uint8Array[] = [];
  let alert: Records['alert'] = null;
  while (cursor.left() >= headBytes && alert === null) {
    const record = readRecord(cursor);
    if (isMalformed(record)) return record;
    if (record.type === contentTypes.changeCipherSpec || record.type === contentTypes.application) break;
    if (record.type === contentTypes.handshake) fragments.push(record.content);
    else alert = readAlert(record.content);
  }
  const messages = splitMessages(joinBytes(...fragments));
  return isMalformed(messages) ? messages : { kind: 'records', messages, alert };
}

/** The next record; its content may be cut off. */
function readRecord(cursor: ByteCursor): { type: number; content: Uint8Array } | Malformed {
  const at = cursor.at();
  const type = cursor.number(1);
  const version = cursor.number(2);
  const length = cursor.number(2);
  if (type < contentTypes.changeCipherSpec || type > contentTypes.application)
    return malformed(at, 'a record of no known type');
  if (version >> 8 !== 3) return malformed(at + 1, 'a record of no known version');
  if (length > recordLimitBytes) return malformed(at + 3, 'a record longer than allowed');
  return { type, content: cursor.bytes(Math.min(length, cursor.left())) };
}

/** A fatal alert. A warning is passed over: before the ServerHello it is "unrecognized_name" (RFC 6066 §3), and the handshake goes on. */
function readAlert(content: Uint8Array): Records['alert'] {
  const [level, description] = content;
  return level === undefined || description === undefined || level === 1 ? null : { level, description };
}

function splitMessages(stream: Uint8Array): HandshakeMessage[] | Malformed {
  const cursor = openCursor(stream);
  const messages: HandshakeMessage[] = [];
  while (cursor.left() >= 4) {
    const at = cursor.at();
    const type = cursor.number(1);
    const length = cursor.number(3);
    if (length > messageLimitBytes) return malformed(at + 1, 'a handshake message longer than is read');
    if (length > cursor.left()) break;
    messages.push({ type, body: cursor.bytes(length) });
  }
  return messages;
}
