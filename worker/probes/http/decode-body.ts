import type { Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import type { HttpBody } from './port.ts';

export type BodyLimits = {
  /** Decoded bytes to keep. */
  readonly keepBytes: number;
  readonly wireBytes: number;
  /** Decoded ÷ wire bytes, once more than 64 KiB are decoded. */
  readonly ratio: number;
  readonly encodings: number;
  /** The bytes are wanted, not their text. */
  readonly asBytes?: boolean;
};

const decoders: { readonly [coding: string]: () => Transform } = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
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
  const layers = codings.filter((coding) => coding !== 'identity' && coding !== '');
  const tooMany = layers.length > limits.encodings;
  const unknown = layers.some((coding) => !Object.hasOwn(decoders, coding));
  const chain = tooMany || unknown ? [] : layers.toReversed().flatMap((coding) => decoders[coding]?.() ?? []);
  const kept: Buffer[] = [];
  let wireBytes = 0;
  let decodedBytes = 0;

  return new Promise((resolve) => {
    let settled = false;
    const settle = (cut?: HttpBody['cut']) => {
      if (settled) return;
      settled = true;
      const bytes = Buffer.concat(kept);
      const content = limits.asBytes ? { text: '', bytes } : { text: decodeText(bytes, contentType) };
      if (cut) for (const stream of [source, ...chain]) stream.destroy();
      resolve({ ...content, wireBytes, decodedBytes, ...(cut ? { cut } : {}) });
    };
    // A source that broke off since its header section has said so already, and says nothing more.
    if (source.destroyed) return settle('closed-early');
    const keep = (piece: Buffer) => {
      decodedBytes += piece.length;
      const room = limits.keepBytes - kept.reduce((sum, { length }) => sum + length, 0);
      if (room > 0) kept.push(piece.subarray(0, room));
      if (chain.length > 0 && decodedBytes > 65_536 && decodedBytes > wireBytes * limits.ratio)
        settle('decompression-bomb');
      else if (decodedBytes > limits.keepBytes) settle('limit');
    };

    source.on('data', (piece: Buffer) => {
      wireBytes += piece.length;
      if (wireBytes > limits.wireBytes) settle('limit');
    });
    source.once('error', (error: Error & { code?: string }) =>
      settle(error.code === 'ETIMEDOUT' ? 'timeout' : 'closed-early'),
    );
    source.once('aborted', () => settle('closed-early'));
    const last = chain.reduce<Readable>((from, to) => {
      to.once('error', () => settle('bad-encoding'));
      return from.pipe(to);
    }, source);
    last.on('data', keep);
    last.once('end', () => settle(tooMany ? 'too-many-encodings' : unknown ? 'bad-encoding' : undefined));
    last.once('close', () => settle('closed-early'));
  });
}

/** The codings of raw Content-Encoding fields, in the order applied. */
export function readCodings(values: readonly string[]): readonly string[] {
  return values.flatMap((value) => value.split(',')).map((coding) => coding.trim().toLowerCase());
}

function decodeText(bytes: Buffer, contentType: string): string {
  const charset = /;\s*charset\s*=\s*"?([\w.:-]{1,40})/i.exec(contentType)?.[1] ?? 'utf-8';
  return decoderOf(charset).decode(bytes);
}

function decoderOf(charset: string): { decode(bytes: Uint8Array): string } {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder(); // a label that the Encoding Standard does not know counts as UTF-8
  }
}
