import type { Socket } from 'node:net';

export type CollectOptions = {
  readonly isComplete: (received: Uint8Array) => boolean;
  readonly limitBytes: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
};

export type Collected = {
  readonly bytes: Uint8Array;
  readonly ended: 'complete' | 'closed' | 'reset' | 'timeout' | 'limit';
};

/** Collects what a socket sends until it is complete, closed, too much or too late. Rejects only when the run is aborted. Leaves the socket open. */
export function collect(
  socket: Socket,
  { isComplete, limitBytes, timeoutMs, signal }: CollectOptions,
): Promise<Collected> {
  return new Promise((resolve, reject) => {
    let bytes = Buffer.alloc(0);
    const stop = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      socket.off('data', take).off('end', closed).off('close', closed).off('error', reset);
      // Whatever comes after the end of our interest must not become an unhandled 'error' event.
      socket.on('error', () => undefined);
    };
    const settle = (ended: Collected['ended']) => {
      stop();
      resolve({ bytes, ended });
    };
    const take = (piece: Buffer) => {
      bytes = Buffer.concat([bytes, piece.subarray(0, limitBytes - bytes.length)]);
      if (isComplete(bytes)) settle('complete');
      else if (bytes.length >= limitBytes) settle('limit');
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
