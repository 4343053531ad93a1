/** Sockets that one worker may hold open to one address, over all its runs; the others wait in line. */
export type AddressSlots = {
  /** Waits for a place at every address; the returned function gives them back, once, however often it is called. */
  take(addresses: readonly string[], signal: AbortSignal): Promise<() => void>;
  inUse(): number;
};

type Line = { taken: number; readonly waiting: (() => void)[] };

/** Opens the count; `limit` places an address. */
export function openAddressSlots(limit: number): AddressSlots {
  const lines = new Map<string, Line>();

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
    await new Promise<void>((resolve, reject) => {
      const turn = () => {
        signal.removeEventListener('abort', abort);
        resolve();
      };
      const abort = () => {
        line.waiting.splice(line.waiting.indexOf(turn), 1);
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', abort, { once: true });
      line.waiting.push(turn);
    });
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
    inUse: () => [...lines.values()].reduce((sum, { taken }) => sum + taken, 0),
  };
}
