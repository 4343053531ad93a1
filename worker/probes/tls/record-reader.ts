import { openCursor } from '../../certificates/grammar/byte-cursor.ts';
import { type Malformed, malformed } from '../../certificates/grammar/malformed.ts';

/** The content types of records that are sent in clear. */
export const contentTypes = { changeCipherSpec: 20, alert: 21, handshake: 22, application: 23 } as const;

/** Content of one record, or the part of it that a piece brought. */
export type RecordContent = { readonly type: number; readonly bytes: Uint8Array };

/** Takes a byte stream apart into records, piece by piece; a byte is looked at once, however small the pieces are. */
export type RecordReader = {
  /** Takes the next bytes, and gives the content in them. What is after the end of reading is ignored. */
  readonly add: (piece: Uint8Array) => readonly RecordContent[];
  /** Why reading stopped; null while all is well. */
  readonly failure: () => Malformed | null;
  /** Bytes taken so far. */
  readonly taken: () => number;
};

/** How long a record's content may be: 2^14 and the 2048 that TLS 1.2 leaves for expansion (RFC 5246 §6.2.3). */
const recordLimitBytes = 16_384 + 2048;
/** Empty handshake records are forbidden (RFC 8446 §5.1). Some old servers send one; a stream of them never ends. */
const emptyLimit = 16;
/** Type, version and length before each record. */
const headBytes = 5;

/** Opens a reader of the record layer of SSL 3.0 to TLS 1.3 (RFC 8446 §5.1). */
export function openRecordReader(): RecordReader {
  const head = new Uint8Array(headBytes);
  let headFilled = 0;
  let contentLeft = 0;
  let empty = 0;
  let taken = 0;
  let failure: Malformed | null = null;

  const takeHead = (piece: Uint8Array): number => {
    const part = piece.subarray(0, headBytes - headFilled);
    head.set(part, headFilled);
    headFilled += part.length;
    if (headFilled < headBytes) return part.length;
    const length = readLength(head, taken + part.length - headBytes);
    if (typeof length !== 'number') failure = length;
    else if (length === 0) {
      empty += 1;
      headFilled = 0;
      if (empty > emptyLimit) failure = malformed('empty records without end', taken);
    } else contentLeft = length;
    return part.length;
  };
  const takeContent = (piece: Uint8Array): Uint8Array => {
    const part = piece.subarray(0, contentLeft);
    contentLeft -= part.length;
    if (contentLeft === 0) headFilled = 0;
    return part;
  };
  return {
    add(piece) {
      const contents: RecordContent[] = [];
      for (let at = 0; at < piece.length && failure === null;) {
        const rest = piece.subarray(at);
        let size: number;
        if (contentLeft > 0) {
          const bytes = takeContent(rest);
          contents.push({ type: head[0] ?? 0, bytes });
          size = bytes.length;
        } else size = takeHead(rest);
        at += size;
        taken += size;
      }
      return contents;
    },
    failure: () => failure,
    taken: () => taken,
  };
}

/** The length that a record's head names; `at` is where the head begins. */
function readLength(head: Uint8Array, at: number): number | Malformed {
  const cursor = openCursor(head);
  const type = cursor.number(1);
  const version = cursor.number(2);
  const length = cursor.number(2);
  if (type < contentTypes.changeCipherSpec || type > contentTypes.application)
    return malformed('a record of no known type', at);
  if (version >> 8 !== 3) return malformed('a record of no known version', at + 1);
  if (length > recordLimitBytes) return malformed('a record longer than allowed', at + 3);
  return length;
}
