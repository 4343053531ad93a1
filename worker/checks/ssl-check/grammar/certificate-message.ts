import { brotliDecompressSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import { openCursor } from '../../../certificates/grammar/byte-cursor.ts';
import { type Malformed, malformed } from '../../../certificates/grammar/malformed.ts';

/** In what form a server sends its certificates in TLS 1.3. */
export type CertificateForm = {
  readonly kind: 'form';
  /** null: as they are. */
  readonly compression: CompressionName | null;
  /** What is sent, and what comes out of it. */
  readonly bytes: number;
  readonly wholeBytes: number;
};

export type CompressionName = 'zlib' | 'brotli' | 'zstd';

type Decompress = (bytes: Uint8Array, options: { readonly maxOutputLength: number }) => Uint8Array;

/** By their numbers (RFC 8879 §7.3). */
const compressions: ReadonlyMap<number, readonly [CompressionName, Decompress]> = new Map([
  [1, ['zlib', inflateSync]],
  [2, ['brotli', brotliDecompressSync]],
  [3, ['zstd', zstdDecompressSync]],
]);

/** Numbers of the algorithms that are offered, those of browsers first. */
export const compressionIds: readonly number[] = [2, 1, 3];

/** Types of the messages that carry certificates. */
export const certificateTypes = { plain: 11, compressed: 25 } as const;

/** More than this clients do not read, whatever it is said to become. */
const wholeLimitBytes = 102_400;

/** Reads the body of a CompressedCertificate (RFC 8879 §4): it must become exactly as long as it says. */
export function parseCompressedCertificate(body: Uint8Array): CertificateForm | Malformed {
  const cursor = openCursor(body);
  const [compression, decompress] = compressions.get(cursor.number(2)) ?? [];
  const wholeBytes = cursor.number(3);
  const content = cursor.vector(3);
  if (cursor.failedAt() !== null || cursor.left() > 0)
    return malformed('a compressed certificate that is cut off', 0);
  if (compression === undefined || decompress === undefined)
    return malformed('an algorithm that was not offered', 0);
  if (wholeBytes > wholeLimitBytes) return malformed('more than clients read', 2);
  const length = lengthOf(decompress, content, wholeBytes);
  if (length !== wholeBytes) return malformed('bytes that do not become what they should', 8);
  return { kind: 'form', compression, bytes: body.length, wholeBytes };
}

/** What comes out, or null for what cannot be decompressed, or becomes more. */
function lengthOf(decompress: Decompress, content: Uint8Array, limit: number): number | null {
  try {
    return decompress(content, { maxOutputLength: Math.max(1, limit) }).length;
  } catch {
    return null;
  }
}
