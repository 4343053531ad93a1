import type { Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createInflateRaw, createZstdDecompress } from 'node:zlib';
import type { HttpBody } from './port.ts';
import { skipGzipHeader, skipZlibHeader } from './skip-header.ts';

export type BodyLimits = {
  /** Decoded bytes to keep. */
  readonly keepBytes: number;
  /** Of the body as it was sent, and of what the socket read for it: chunks of one byte take six on the wire. */
  readonly wireBytes: number;
  /** Decoded ÷ wire bytes, once more than 64 KiB are decoded. */
  readonly ratio: number;
  readonly encodings: number;
  /** The bytes are wanted, not their text. */
  readonly asBytes?: boolean;
  /** What the socket has read for this body so far, framing included. */
  readonly socketBytes: () => number;
  /** True once the body came in so many tiny chunks that no more of it is read. */
  readonly isFramed: () => boolean;
};

/** Pieces that a body may come in: 1 MB takes 700 packets, and a server that flushes each line of a large page sends a few thousand. */
const pieceLimit = 10_000;

// As browsers read a gzip body, nothing behind its first member counts, not even its checksum (measured in Chromium 153).
const gunzip = () => [skipGzipHeader(), createInflateRaw()];

const decoders: { readonly [coding: string]: () => readonly Transform[] } = {
  gzip: gunzip,
  'x-gzip': gunzip,
  deflate: () => [skipZlibHeader(), createInflateRaw()],
  br: () => [createBrotliDecompress()],
  zstd: () => [createZstdDecompress()],
};

/**
 * Reads a body within its limits and decodes it. Never rejects: what went wrong is `cut`. The source is destroyed when it is not read to its end.
 * @param codings the Content-Encoding, outermost last, lower case
 */
export function readBody(
  source: Readable,
  codings: readonly string[],
  contentType: string,
  limits: BodyLimits,
): Promise<HttpBody> {
  const { chain, undecoded } = openDecoders(codings, limits.encodings);
  const kept = openKept(limits.keepBytes);
  const wire = { bytes: 0, pieces: 0 };

  return new Promise((resolve) => {
    let settled = false;
    const settle = (cut?: HttpBody['cut']) => {
      if (settled) return;
      settled = true;
      const bytes = kept.bytes();
      const content = limits.asBytes ? { text: '', bytes } : { text: decodeText(bytes, contentType) };
      if (cut) for (const stream of [source, ...chain]) stream.destroy();
      const sizes = { wireBytes: wire.bytes, decodedBytes: kept.seenBytes() };
      resolve({ ...content, ...sizes, ...(cut ? { cut } : {}) });
    };
    let isWhole = false;
    // A source that broke off since its header section has said so already, and says nothing more. One that has ended gave all it had:
    // what comes of its connection while the last bytes are decoded is no fault of the body.
    const breakOff = (cut: HttpBody['cut'] = limits.isFramed() ? 'limit' : 'closed-early') =>
      void (isWhole || settle(cut));
    if (source.destroyed) return breakOff();
    const keep = (piece: Buffer) => {
      kept.add(piece);
      const decoded = kept.seenBytes();
      if (chain.length > 0 && decoded > 65_536 && decoded > wire.bytes * limits.ratio)
        settle('decompression-bomb');
      else if (decoded > limits.keepBytes) settle('limit');
    };

    source.on('data', (piece: Buffer) => {
      wire.pieces += 1;
      wire.bytes += piece.length;
      if (isTooMuch(wire, limits)) settle('limit');
      // Taken at once, however slow the decoding: a server that resets the connection behind its answer takes what still waits in it.
      else chain[0]?.write(piece);
    });
    source.once('end', () => {
      isWhole = true;
      chain[0]?.end();
    });
    source.once('error', (error: Error & { code?: string }) =>
      breakOff(error.code === 'ETIMEDOUT' || error.code === 'response-timeout' ? 'timeout' : undefined),
    );
    for (const event of ['aborted', 'close']) source.once(event, () => breakOff());
    // Of no bytes there is nothing to decode, whatever their coding.
    const last = joinAll(chain, () => settle(wire.bytes > 0 ? 'bad-encoding' : undecoded)) ?? source;
    last.on('data', keep);
    last.once('end', () => settle(undecoded));
  });
}

/** Each reads from the one before. @returns the last */
function joinAll(chain: readonly Transform[], onError: () => void): Transform | undefined {
  for (const [index, decoder] of chain.entries()) {
    decoder.once('error', onError);
    chain[index - 1]?.pipe(decoder);
  }
  return chain.at(-1);
}

function isTooMuch(wire: { bytes: number; pieces: number }, limits: BodyLimits): boolean {
  return Math.max(wire.bytes, limits.socketBytes()) > limits.wireBytes || wire.pieces > pieceLimit;
}

/** The decoders in the order in which the bytes go through them, or why there are none. */
function openDecoders(
  codings: readonly string[],
  limit: number,
): { readonly chain: readonly Transform[]; readonly undecoded?: 'too-many-encodings' | 'bad-encoding' } {
  const layers = codings.filter((coding) => coding !== 'identity' && coding !== '');
  if (layers.length > limit) return { chain: [], undecoded: 'too-many-encodings' };
  if (layers.some((coding) => !Object.hasOwn(decoders, coding)))
    return { chain: [], undecoded: 'bad-encoding' };
  return { chain: layers.toReversed().flatMap((coding) => decoders[coding]?.() ?? []) };
}

/** Keeps the first bytes of what it is given, and counts all. */
function openKept(limitBytes: number) {
  const pieces: Buffer[] = [];
  let keptBytes = 0;
  let seenBytes = 0;
  return {
    add(piece: Buffer): void {
      seenBytes += piece.length;
      if (keptBytes >= limitBytes) return;
      const part = piece.subarray(0, limitBytes - keptBytes);
      pieces.push(part);
      keptBytes += part.length;
    },
    bytes: () => Buffer.concat(pieces),
    seenBytes: () => seenBytes,
  };
}

/** The codings of raw Content-Encoding fields, in the order applied. */
export function readCodings(values: readonly string[]): readonly string[] {
  return values.flatMap((value) => value.split(',')).map((coding) => coding.trim().toLowerCase());
}

// A byte order mark says more than the server (Encoding Standard, "BOM sniff"), and a label that is unknown nothing.
function decodeText(bytes: Buffer, contentType: string): string {
  const label = readBom(bytes) ?? /;\s*charset\s*=\s*"?([\w.:-]{1,40})/i.exec(contentType)?.[1];
  return decoderOf(label ?? 'utf-8').decode(bytes);
}

function readBom(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 'utf-8' : undefined;
}

function decoderOf(label: string): { decode(bytes: Uint8Array): string } {
  try {
    return new TextDecoder(label);
  } catch {
    return new TextDecoder(); // of all encodings that browsers guess then, this one reads most pages
  }
}
