import type { Contact } from '#shared/ports/access-record';
import type { Budget } from './budget.ts';
import type { Charge } from './pace-turns.ts';

/** Places that a run reports one by one; the rest are counted together. */
const placesMost = 200;
const others = 'others';

/** Counts what a run was let send, and where to. */
export type ContactCount = {
  /** The same budget, which counts what it grants. */
  readonly budget: Budget;
  readonly contacts: () => readonly Contact[];
};

/** Opens the count of one run. Everything that is sent to a target or to those it names is charged first, so nothing goes uncounted. */
export function countContacts(budget: Budget): ContactCount {
  const places = new Map<string, Map<Charge, number>>();
  const note = (what: Charge, host: string) => {
    // These go to our own resolvers.
    if (what === 'foreign questions') return;
    // Charged before the hour, which may still refuse it.
    if (what === 'mail connections') return;
    const place = places.has(host) || places.size < placesMost ? host : others;
    const counts = places.get(place) ?? new Map<Charge, number>();
    places.set(place, counts.set(what, (counts.get(what) ?? 0) + 1));
  };
  const counted =
    (charge: Budget['charge']): Budget['charge'] =>
    async (what, host, signal) => {
      const spent = await charge(what, host, signal);
      if (!spent) note(what, host);
      return spent;
    };
  return {
    budget: {
      ...budget,
      charge: counted((...asked) => budget.charge(...asked)),
      chargeInSlot: counted(budget.chargeInSlot),
    },
    contacts: () =>
      [...places].map(([place, counts]) => ({
        place,
        counts: Object.fromEntries([...counts].map(([what, count]) => [wordOf(what), count])),
      })),
  };
}

// What is foreign to a run matters to its budget, and to nobody who was connected to.
function wordOf(what: Charge): string {
  if (what === 'mail connections an hour') return 'mail connections';
  return what === 'foreign connections' ? 'connections' : what;
}
