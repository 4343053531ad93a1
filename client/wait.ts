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

type Callbacks = Set<() => void>;

/** What waits for each signal. */
const waiting = new WeakMap<AbortSignal, Callbacks>();

/**
 * Calls back once when the signal aborts; never for one that has aborted already. However many wait for a signal, it has one listener: Node 20
 * warns of a leak from the eleventh on, and a list of targets under one signal has hundreds.
 * @returns ends the wait
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (!signal || signal.aborted) return () => undefined;
  const callbacks = waiting.get(signal) ?? listen(signal);
  // A callback of its own for each wait: two may wait with the same function.
  const own = () => callback();
  callbacks.add(own);
  return () => void callbacks.delete(own);
}

function listen(signal: AbortSignal): Callbacks {
  const callbacks: Callbacks = new Set();
  waiting.set(signal, callbacks);
  signal.addEventListener('abort', () => callbacks.forEach((callback) => callback()), { once: true });
  return callbacks;
}
