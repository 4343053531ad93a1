/** GETs that wait, by caller: who has many is answered at once with 202, and polls. */
export type Waits = {
  /** Gives the function that ends the wait; undefined when this caller has enough of them. */
  enter(callerId: string): (() => void) | undefined;
};

/** Opens the count of this process. */
export function openWaits(limit: number): Waits {
  const counts = new Map<string, number>();
  const add = (callerId: string, more: number) => {
    const next = (counts.get(callerId) ?? 0) + more;
    if (next > 0) counts.set(callerId, next);
    else counts.delete(callerId);
  };
  return {
    enter(callerId) {
      if ((counts.get(callerId) ?? 0) >= limit) return undefined;
      add(callerId, 1);
      return () => add(callerId, -1);
    },
  };
}
