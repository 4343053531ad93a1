import type { IncomingMessage } from 'node:http';

/**
 * Reads the body of a request as text; undefined for one that is longer than the limit. Call it last, when everything else about the
 * request has been judged. The server's own limit of 15 s for a whole request holds for the body too.
 */
export async function readText(request: IncomingMessage, limitBytes: number): Promise<string | undefined> {
  const pieces: Buffer[] = [];
  let length = 0;
  // What comes beyond the limit is read and dropped: an answer before the end of a body may be lost by a reset.
  for await (const piece of request as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length <= limitBytes) pieces.push(piece);
    if (length > 16 * limitBytes) break;
  }
  return length > limitBytes ? undefined : Buffer.concat(pieces).toString('utf8');
}
