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
