import { openPlaces, type Places } from '#shared/time/places';

/** Sockets that one worker may hold open to one address, over all its runs; the others wait. */
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
  const places = new Map<string, Places>();
  const listeners = new Set<() => void>();

  const enter = async (address: string, signal: AbortSignal) => {
    signal.throwIfAborted();
    const queue = places.get(address) ?? openPlaces(limit);
    places.set(address, queue);
    const turn = queue.enter(signal);
    if (queue.waiting() > 0) for (const listener of listeners) listener();
    const leave = await turn;
    if (!leave) throw signal.reason as Error;
    return () => {
      leave();
      if (queue.taken() === 0) places.delete(address);
    };
  };

  const sumOf = (count: 'taken' | 'waiting') =>
    [...places.values()].reduce((sum, queue) => sum + queue[count](), 0);
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
