import type { Duplex } from 'node:stream';
import { rewriteHead } from './rewrite-head.ts';

/**
 * Has the head of the one answer that comes over a connection written as HTTP has it before Node's parser reads it, those of interim
 * answers too. Bytes that are no head, or one that is too long, come as they are.
 * @param limitBytes of one head
 */
export function rewriteAnswer(socket: Duplex, limitBytes: number): void {
  const push = socket.push.bind(socket);
  const heads = openHeads(limitBytes);
  socket.push = (piece: unknown, encoding?: BufferEncoding) => {
    const bytes = Buffer.isBuffer(piece) ? heads.add(piece) : heads.end();
    // Nothing is pushed while a head is not whole; the socket reads on.
    const wantsMore = bytes.length === 0 || push(bytes);
    return Buffer.isBuffer(piece) ? wantsMore : push(piece, encoding);
  };
}

/** The bytes of an answer as they are to be read on. */
export type Heads = {
  /** What can be read after this piece: nothing while a head is not whole. */
  add(piece: Buffer): Buffer;
  /** What is left of a head that was not ended. */
  end(): Buffer;
};

const nothing = Buffer.alloc(0);

/** Opens the reading of one answer. Each byte of a head is looked at once and copied a few times, in whatever pieces it comes. */
export function openHeads(limitBytes: number): Heads {
  let held = nothing;
  let size = 0;
  let isPassed = false;
  let search = beginSearch();

  const keep = (piece: Buffer) => {
    if (size + piece.length > held.length)
      held = Buffer.concat([held.subarray(0, size)], Math.max(2 * held.length, size + piece.length));
    piece.copy(held, size);
    size += piece.length;
  };
  const release = (): Buffer => {
    const bytes = held.subarray(0, size);
    [held, size, isPassed] = [nothing, 0, true];
    return bytes;
  };
  return {
    add(piece) {
      if (isPassed) return piece;
      keep(piece);
      const ready: Buffer[] = [];
      for (;;) {
        const found = search(held.subarray(0, size));
        if (found === undefined && size <= limitBytes) break;
        const isWhole = found !== undefined && found.end <= limitBytes;
        const head = isWhole ? rewriteHead(held.toString('latin1', found.start, found.end)) : undefined;
        if (!isWhole || head === undefined) return Buffer.concat([...ready, release()]);
        ready.push(Buffer.from(head, 'latin1'));
        held = held.subarray(found.end);
        size -= found.end;
        if (!isInterim(head)) return Buffer.concat([...ready, release()]);
        search = beginSearch();
      }
      return Buffer.concat(ready);
    },
    end: release,
  };
}

function isInterim(head: string): boolean {
  return head.startsWith('1', 9) && !head.startsWith('101', 9);
}

type ByteRange = { readonly start: number; readonly end: number };

/** Bytes that Chromium skips before "HTTP". */
const slop = 4;
const [cr, lf] = [13, 10];

/** Looks for one head in bytes that grow. One that does not begin as HTTP is no head. */
function beginSearch(): (bytes: Buffer) => ByteRange | undefined {
  let start: number | undefined;
  let at = 0;
  let lineFeeds = 0;
  return (bytes) => {
    if (start === undefined && bytes.length < slop + 4) return undefined;
    start ??= Math.max(
      0,
      bytes
        .toString('latin1', 0, slop + 4)
        .toLowerCase()
        .indexOf('http'),
    );
    for (at = Math.max(at, start); at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (byte === lf) lineFeeds += 1;
      else if (byte !== cr || bytes[at - 1] !== lf) lineFeeds = 0;
      if (lineFeeds === 2) return { start, end: at + 1 };
    }
    return undefined;
  };
}
