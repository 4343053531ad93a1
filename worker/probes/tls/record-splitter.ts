import { contentTypes } from './record-reader.ts';

/** Cuts a byte stream where its records end. */
export type RecordSplitter = {
  /** Takes the next bytes, and gives the records that end in them, whole. What is no TLS comes as it is, and everything after it. */
  readonly add: (piece: Buffer) => readonly Buffer[];
  /** Gives back the beginning of a record whose end has not come. */
  readonly rest: () => Buffer;
};

const headBytes = 5;
/** As much as OpenSSL reads: 2^14, the 2,048 of TLS 1.2, and its own allowance. A longer record ends the connection, so it is not collected. */
const recordLimitBytes = 16_384 + 2048 + 256;

/** Opens a splitter. A byte is copied at most once, however small the pieces are. */
export function openRecordSplitter(): RecordSplitter {
  let started: Buffer = Buffer.alloc(0);
  let filled = 0;
  let isTls = true;

  /** Adds to the record that has begun, and gives how many bytes it took. */
  const fill = (piece: Buffer, upTo: number): number => {
    if (started.length < upTo) {
      const larger = Buffer.allocUnsafe(upTo);
      started.copy(larger, 0, 0, filled);
      started = larger;
    }
    const taken = piece.copy(started, filled, 0, upTo - filled);
    filled += taken;
    return taken;
  };
  const takeStarted = (): Buffer => {
    const record = started.subarray(0, filled);
    started = Buffer.alloc(0);
    filled = 0;
    return record;
  };
  return {
    add(piece) {
      const records: Buffer[] = [];
      let rest = piece;
      while (rest.length > 0 && isTls) {
        if (filled < headBytes) rest = rest.subarray(fill(rest, headBytes));
        if (filled < headBytes) break;
        const size = sizeOf(started);
        if (size === null) isTls = false;
        else rest = rest.subarray(fill(rest, size));
        if (size === null || filled === size) records.push(takeStarted());
      }
      return rest.length > 0 ? [...records, rest] : records;
    },
    rest: takeStarted,
  };
}

/** How long a record is with its head; null for what begins no record. */
function sizeOf(head: Buffer): number | null {
  const [type = 0, major] = head;
  const length = head.readUInt16BE(3);
  const isKnown = type >= contentTypes.changeCipherSpec && type <= contentTypes.application;
  return isKnown && major === 3 && length <= recordLimitBytes ? headBytes + length : null;
}
