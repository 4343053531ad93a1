import { type ByteCursor, openCursor, toHex } from '../../certificates/grammar/byte-cursor.ts';

/** The fixed part of a ServerHello (RFC 5246 §7.4.1.3, RFC 8446 §4.1.3). */
export type ServerHello = {
  /** legacy_version: of TLS 1.3 the supported_versions extension tells. */
  readonly version: number;
  readonly isRetry: boolean;
  readonly sessionId: Uint8Array;
  readonly suite: number;
  readonly compression: number;
  /** Stands before the extensions, if there are any; `failedAt` tells of a hello that is cut off. */
  readonly cursor: ByteCursor;
};

/** The random of a ServerHello that is a HelloRetryRequest (RFC 8446 §4.1.3). */
const helloRetryRandom = 'cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c';

/** Reads the body of a ServerHello as far as its extensions. */
export function openServerHello(body: Uint8Array): ServerHello {
  const cursor = openCursor(body);
  return {
    version: cursor.number(2),
    isRetry: toHex(cursor.bytes(32)) === helloRetryRandom,
    sessionId: cursor.vector(1),
    suite: cursor.number(2),
    compression: cursor.number(1),
    cursor,
  };
}

/** Shows the extensions in order, and gives the offset in their block where they broke, or null. */
export function readExtensions(
  cursor: ByteCursor,
  take: (type: number, content: ByteCursor) => void,
): number | null {
  const list = openCursor(cursor.vector(2));
  let failedAt: number | null = cursor.failedAt();
  while (list.left() > 0 && failedAt === null) {
    const at = list.at();
    const type = list.number(2);
    const content = openCursor(list.vector(2));
    take(type, content);
    if (content.failedAt() !== null) failedAt = at;
    failedAt ??= list.failedAt();
  }
  return failedAt;
}
