/** A fixed number of places. Callers who find none free wait in line, first come, first served. */
export type Places = {
  /** Waits for a place. Gives the function that leaves it, which may be called more than once; undefined if the signal comes first. */
  enter(signal: AbortSignal): Promise<(() => void) | undefined>;
  /** True when a caller who enters now does not wait. */
  isFree(): boolean;
  taken(): number;
  waiting(): number;
  /** Changes the number of places. Those that are in use beyond the new number are not given to the next in line. */
  resize(limit: number): void;
};

/** Opens this many places. */
export function openPlaces(first: number): Places {
  let limit = first;
  let taken = 0;
  const waiting = new Set<() => void>();
  const giveOn = () => {
    for (const next of waiting) {
      if (taken >= limit) return;
      taken += 1;
      waiting.delete(next);
      next();
    }
  };
  const leave = () => {
    taken -= 1;
    giveOn();
  };
  return {
    async enter(signal) {
      if (signal.aborted) return undefined;
      if (taken < limit) {
        taken += 1;
        return once(leave);
      }
      return new Promise((resolve) => {
        const turn = () => {
          signal.removeEventListener('abort', giveUp);
          resolve(once(leave));
        };
        const giveUp = () => {
          waiting.delete(turn);
          resolve(undefined);
        };
        signal.addEventListener('abort', giveUp, { once: true });
        waiting.add(turn);
      });
    },
    isFree: () => taken < limit,
    taken: () => taken,
    waiting: () => waiting.size,
    resize(count) {
      limit = count;
      giveOn();
    },
  };
}

function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) act();
    isDone = true;
  };
}
