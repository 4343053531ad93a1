import type { Socket } from 'node:net';
import { collect } from '../tls/collect.ts';

export type TcpOutcome =
  | { readonly kind: 'received'; readonly bytes: Buffer }
  | { readonly kind: 'failed'; readonly reason: string };

/** Asks one question over an open connection (RFC 7766 framing) and destroys it. */
export async function askOverTcp(
  socket: Socket,
  query: Buffer,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<TcpOutcome> {
  try {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(query.length, 0);
    const collected = collect(socket, { isComplete: isWhole, limitBytes: 65_537, timeoutMs, signal });
    socket.write(Buffer.concat([length, query]));
    const { bytes, ended } = await collected;
    if (ended === 'complete')
      return { kind: 'received', bytes: Buffer.from(bytes).subarray(2, 2 + lengthOf(bytes)) };
    return {
      kind: 'failed',
      reason:
        ended === 'timeout' ? 'no answer over TCP in time' : 'the TCP connection ended before the answer',
    };
  } finally {
    socket.destroy();
  }
}

function isWhole(received: Uint8Array): boolean {
  return received.length >= 2 && received.length >= 2 + lengthOf(received);
}

function lengthOf(received: Uint8Array): number {
  return ((received[0] ?? 0) << 8) | (received[1] ?? 0);
}
