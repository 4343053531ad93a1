import { openPlaces, type Places } from '#shared/time/places';

/** Sockets that one worker may hold open to one address, over all its runs; the others wait in line. */
export type AddressSlots = {
  /** Waits for a place at every address; the returned function gives them back, once, however often it is called. */
  take(addresses: readonly string[], signal: AbortSignal): Promise<() => void>;
  inUse(): number;
  /** Calls the listener when a caller begins to wait, so that idle sockets can give up their places. */
  onWait(listener: () => void): () => void;
  /** How many wait for a place. */
  waiting(): number;
};

/** Opens the count; `limit` places an address. */
export function openAddressSlots(limit: number): AddressSlots {
  const lines = new Map<string, Places>();
  const listeners = new Set<() => void>();

  const enter = async (address: string, signal: AbortSignal) => {
    signal.throwIfAborted();
    const line = lines.get(address) ?? openPlaces(limit);
    lines.set(address, line);
    const turn = line.enter(signal);
    if (line.waiting() > 0) for (const listener of listeners) listener();
    const leave = await turn;
    if (!leave) throw signal.reason as Error;
    return () => {
      leave();
      if (line.taken() === 0) lines.delete(address);
    };
  };

  const sumOf = (count: 'taken' | 'waiting') =>
    [...lines.values()].reduce((sum, line) => sum + line[count](), 0);
  return {
    async take(addresses, signal) {
      const held: (() => void)[] = [];
      const release = () => {
        for (const leave of held.splice(0)) leave();
      };
      // Always in the same order, so that two dialers never wait for each other.
      for (const address of [...addresses].sort()) {
        try {
          held.push(await enter(address, signal));
        } catch (error) {
          release();
          throw error;
        }
      }
      return release;
    },
    onWait(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    waiting: () => sumOf('waiting'),
    inUse: () => sumOf('taken'),
  };
}
