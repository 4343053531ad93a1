import type { Socket } from 'node:net';
import { inTurn } from '../turns.ts';

/** A whole answer of 64 KiB comes in some dozens of pieces; each costs the caller a look at what is there. */
const pieceLimit = 1000;

export type CollectOptions = {
  /** Called after each piece with all that came. */
  readonly isComplete: (received: Uint8Array) => boolean;
  readonly limitBytes: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
};

export type Collected = {
  readonly bytes: Uint8Array;
  readonly ended: 'complete' | 'closed' | 'reset' | 'timeout' | 'limit';
};

/** Collects what a socket sends until it is complete, closed, too much (also in too many pieces) or too late. Rejects only when the run is aborted. Leaves the socket open. */
export function collect(
  socket: Socket,
  { isComplete, limitBytes, timeoutMs, signal }: CollectOptions,
): Promise<Collected> {
  return new Promise((resolve, reject) => {
    let buffer: Buffer = Buffer.allocUnsafe(Math.min(limitBytes, 4096));
    let length = 0;
    let pieces = 0;
    const received = () => buffer.subarray(0, length);
    const stop = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      socket.off('data', take).off('end', closed).off('close', closed).off('error', reset);
      // Whatever comes after the end of our interest must not become an unhandled 'error' event.
      socket.on('error', () => undefined);
    };
    const settle = (ended: Collected['ended']) => {
      stop();
      inTurn(() => resolve({ bytes: received(), ended }));
    };
    const take = (piece: Buffer) => {
      const part = piece.subarray(0, limitBytes - length);
      buffer = withRoom(buffer, length + part.length, limitBytes);
      length += part.copy(buffer, length);
      pieces += 1;
      if (isComplete(received())) settle('complete');
      else if (length >= limitBytes || pieces >= pieceLimit) settle('limit');
    };
    const closed = () => settle('closed');
    const reset = () => settle('reset');
    const abort = () => {
      stop();
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => settle('timeout'), timeoutMs);
    signal.addEventListener('abort', abort, { once: true });
    socket.on('data', take).on('end', closed).on('close', closed).on('error', reset);
  });
}

/** The buffer, or one at least twice as large with the same beginning: so all growing together copies each byte about once. */
function withRoom(buffer: Buffer, bytes: number, limitBytes: number): Buffer {
  if (bytes <= buffer.length) return buffer;
  const larger = Buffer.allocUnsafe(Math.min(limitBytes, Math.max(bytes, 2 * buffer.length)));
  buffer.copy(larger);
  return larger;
}
