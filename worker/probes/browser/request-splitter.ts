/** A part of what a browser sends, and whether a request begins with it. */
export type SentPart = { readonly bytes: Uint8Array; readonly isRequest: boolean };

const handshakeRecord = 22;
const dataRecord = 23;
const headerBytes = 5;

/**
 * A record of TLS 1.3 is 17 bytes longer than what it carries. Frames by which HTTP/2 is steered (SETTINGS, PING, WINDOW_UPDATE, PRIORITY,
 * PRIORITY_UPDATE) carry 18 at most; HEADERS of a browser, with every field taken from its table, carry 27 or more, and each is a record.
 */
const smallestRequest = 40;

/**
 * Cuts what a browser sends on one connection where requests begin: records of application data over TLS (RFC 8446 §5.1) that are large
 * enough for one, pieces where it does not begin with a handshake. The first is left out: it is the end of the handshake, or it came with the
 * connection, which counts by itself. Bodies count too, and the preface of HTTP/2: rather too many than too few.
 */
export function openRequestSplitter(): (piece: Uint8Array) => readonly SentPart[] {
  let isTls: boolean | undefined;
  let isFirst = true;
  let bodyLeft = 0;
  /** Of a header that has not come whole. */
  let held = new Uint8Array();
  const isRequest = (isLarge: boolean): boolean => {
    if (!isLarge) return false;
    const wasFirst = isFirst;
    isFirst = false;
    return !wasFirst;
  };
  return (piece) => {
    isTls ??= piece[0] === handshakeRecord;
    if (!isTls) return [{ bytes: piece, isRequest: isRequest(true) }];
    const bytes = held.length > 0 ? Buffer.concat([held, piece]) : piece;
    const parts: SentPart[] = [];
    let from = 0;
    let at = Math.min(bodyLeft, bytes.length);
    bodyLeft -= at;
    let begins = false;
    while (bytes.length - at >= headerBytes) {
      const length = ((bytes[at + 3] ?? 0) << 8) | (bytes[at + 4] ?? 0);
      if (isRequest(bytes[at] === dataRecord && length >= smallestRequest)) {
        if (at > from) parts.push({ bytes: bytes.subarray(from, at), isRequest: begins });
        [from, begins] = [at, true];
      }
      const end = at + headerBytes + length;
      at = Math.min(end, bytes.length);
      bodyLeft = end - at;
    }
    held = bytes.slice(at);
    if (at > from) parts.push({ bytes: bytes.subarray(from, at), isRequest: begins });
    return parts;
  };
}
