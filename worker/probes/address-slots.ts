/** Sockets that one worker may hold open to one address, over all its runs; the others wait in line. */
export type AddressSlots = {
  /** Waits for a place at every address; the returned function gives them back, once, however often it is called. */
  take(addresses: readonly string[], signal: AbortSignal): Promise<() => void>;
  inUse(): number;
  /** Calls the listener when somebody begins to wait: whoever holds an idle socket gives up its place. */
  onWait(listener: () => void): () => void;
  /** How many wait for a place. */
  waiting(): number;
};

type Line = { taken: number; readonly waiting: (() => void)[] };

/** Opens the count; `limit` places an address. */
export function openAddressSlots(limit: number): AddressSlots {
  const lines = new Map<string, Line>();
  const listeners = new Set<() => void>();

  const leave = (address: string) => {
    const line = lines.get(address);
    if (!line) return;
    const next = line.waiting.shift();
    if (next) return next();
    line.taken -= 1;
    if (line.taken === 0) lines.delete(address);
  };

  const enter = async (address: string, signal: AbortSignal) => {
    signal.throwIfAborted();
    const line = lines.get(address) ?? { taken: 0, waiting: [] };
    lines.set(address, line);
    if (line.taken < limit) {
      line.taken += 1;
      return;
    }
    const turn = waitIn(line, signal);
    for (const listener of listeners) listener();
    await turn;
  };

  return {
    async take(addresses, signal) {
      const held: string[] = [];
      const release = () => held.splice(0).forEach(leave);
      // Always in the same order, so that two dialers never wait for each other.
      for (const address of [...addresses].sort()) {
        try {
          await enter(address, signal);
        } catch (error) {
          release();
          throw error;
        }
        held.push(address);
      }
      return release;
    },
    onWait(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    waiting: () => [...lines.values()].reduce((sum, { waiting }) => sum + waiting.length, 0),
    inUse: () => [...lines.values()].reduce((sum, { taken }) => sum + taken, 0),
  };
}

function waitIn({ waiting }: Line, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const turn = () => {
      signal.removeEventListener('abort', abort);
      resolve();
    };
    const abort = () => {
      waiting.splice(waiting.indexOf(turn), 1);
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', abort, { once: true });
    waiting.push(turn);
  });
}
