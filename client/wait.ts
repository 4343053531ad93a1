import { onAbort } from './on-abort.ts';

const longestMs = 2 ** 31 - 1;

/** Resolves after so many milliseconds, 24 days at most; rejects with the signal's reason as soon as it aborts. */
export function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(reasonOf(signal));
    // A longer one would end at once (2^31 ms). Who waits longer looks again.
    const timer = setTimeout(
      () => {
        endWait();
        resolve();
      },
      Math.min(ms, longestMs),
    );
    const endWait = onAbort(signal, () => {
      clearTimeout(timer);
      reject(reasonOf(signal));
    });
  });
}

function reasonOf(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new Error('The caller has given up.', { cause: reason });
}
