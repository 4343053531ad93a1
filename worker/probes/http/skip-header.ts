import { Transform, type TransformCallback } from 'node:stream';

/** Names and comments in the header of a gzip body are short. */
const headerLimit = 4096;

/** Passes a body on without its header. @param lengthOf undefined while bytes of the header are still to come; null where there is none */
function skipHeader(lengthOf: (bytes: Buffer) => number | null | undefined): Transform {
  let begun: Buffer | undefined = Buffer.alloc(0);
  return new Transform({
    transform(piece: Buffer, _encoding, done: TransformCallback) {
      if (begun === undefined) return done(null, piece);
      begun = Buffer.concat([begun, piece]);
      const length = lengthOf(begun);
      if (length === null || (length === undefined && begun.length > headerLimit))
        return done(new Error('the body has not the header of its coding'));
      if (length === undefined) return done();
      const rest = begun.subarray(length);
      begun = undefined;
      return done(null, rest);
    },
  });
}

/** Skips the header of a gzip member (RFC 1952 §2.3). What is behind it is raw DEFLATE. */
export function skipGzipHeader(): Transform {
  return skipHeader(gzipHeaderLength);
}

/** Skips the two bytes of zlib (RFC 1950 §2.2), which many servers leave out of what they call deflate (RFC 9110 §8.4.1.2). */
export function skipZlibHeader(): Transform {
  return skipHeader((bytes) => {
    if (bytes.length < 2) return undefined;
    const word = bytes.readUInt16BE(0);
    return (word & 0x0f_00) === 0x08_00 && word % 31 === 0 ? 2 : 0;
  });
}

const flag = { headerChecksum: 2, extra: 4, name: 8, comment: 16 } as const;

function gzipHeaderLength(bytes: Buffer): number | null | undefined {
  const isMagic = [0x1f, 0x8b, 0x08].every((byte, at) => at >= bytes.length || bytes[at] === byte);
  if (!isMagic) return null;
  const flags = bytes[3];
  if (flags === undefined || bytes.length < 10) return undefined;
  let at = 10;
  if (flags & flag.extra) {
    if (bytes.length < at + 2) return undefined;
    at += 2 + bytes.readUInt16LE(at);
  }
  for (const text of [flag.name, flag.comment]) {
    if ((flags & text) === 0) continue;
    const end = bytes.indexOf(0, at);
    if (end < 0) return undefined;
    at = end + 1;
  }
  if (flags & flag.headerChecksum) at += 2;
  return at <= bytes.length ? at : undefined;
}
