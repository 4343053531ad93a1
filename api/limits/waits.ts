import type { Caller } from '#shared/limits/caller';
import { limitsByLevel } from '#shared/model/levels';

/** GETs that wait, by caller, account and network: who has many is answered at once with 202, and polls. */
export type Waits = {
  /** Gives the function that ends the wait; undefined when this caller, or those around it, have enough of them. */
  enter(caller: Pick<Caller, 'id' | 'kind' | 'levels'>): (() => void) | undefined;
};

/** Opens the count of this process. */
export function openWaits(most: number): Waits {
  const counts = new Map<string, number>();
  const add = (name: string, more: number) => {
    const next = (counts.get(name) ?? 0) + more;
    if (next > 0) counts.set(name, next);
    else counts.delete(name);
  };
  return {
    enter(caller) {
      const limits = limitsByLevel(caller, most);
      if (limits.some(({ name, limit }) => (counts.get(name) ?? 0) >= limit)) return undefined;
      for (const { name } of limits) add(name, 1);
      return () => {
        for (const { name } of limits) add(name, -1);
      };
    },
  };
}
