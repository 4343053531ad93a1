import { onAbort } from './wait.ts';

/** Equal work that is asked for while it goes on is done once. */
export type Flights = {
  /**
   * Starts the work, or joins the one of the same key. It is aborted when everyone who waits for it has given up.
   * @param signal of this caller alone
   */
  join<T>(
    key: string,
    signal: AbortSignal | undefined,
    start: (signal: AbortSignal) => Promise<T>,
  ): Promise<T>;
};

type Flight = { readonly work: Promise<unknown>; readonly stop: AbortController; waiting: number };

/** Opens a set of flights. */
export function openFlights(): Flights {
  const flights = new Map<string, Flight>();
  return {
    async join<T>(key: string, signal: AbortSignal | undefined, start: (signal: AbortSignal) => Promise<T>) {
      signal?.throwIfAborted();
      const flight = flights.get(key) ?? begin(flights, key, start);
      flight.waiting += 1;
      let endWait = () => undefined as void;
      const abandoned = new Promise<never>((_, reject) => {
        endWait = onAbort(signal, () => reject(signal?.reason as Error));
      });
      try {
        return (await Promise.race([flight.work, abandoned])) as T;
      } finally {
        endWait();
        flight.waiting -= 1;
        if (flight.waiting === 0) {
          if (flights.get(key) === flight) flights.delete(key);
          flight.stop.abort(signal?.reason);
        }
      }
    },
  };
}

function begin(
  flights: Map<string, Flight>,
  key: string,
  start: (signal: AbortSignal) => Promise<unknown>,
): Flight {
  const stop = new AbortController();
  const work = start(stop.signal);
  // Each caller sees the rejection through its own race. This only covers the case that all of them have left.
  work.catch(() => undefined);
  const flight = { work, stop, waiting: 0 };
  flights.set(key, flight);
  return flight;
}
