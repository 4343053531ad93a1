import { expect } from 'vitest';
import { type Fleet, type FleetOptions, openFleet } from './fleet.ts';

type Leftovers = Partial<Awaited<ReturnType<Fleet['leftovers']>>>;
const fleets: Fleet[] = [];
const ends: { readonly name: string; readonly fleet: Fleet; readonly left: Leftovers }[] = [];

/** Opens a fleet that lives until closeFleets. */
export async function openFleetToTheEnd(options: FleetOptions): Promise<Fleet> {
  const fleet = await openFleet(options);
  fleets.push(fleet);
  return fleet;
}

/**
 * Has a fleet looked into by untilNothingIsLeft, in the last test of the file. The slot of a process that was killed comes free when its lease ends, half a
 * minute later: those of all fleets run out while the other tests run.
 * @param left what is to be left then, of what Fleet.leftovers counts
 */
export function expectInTheEnd(name: string, fleet: Fleet, left: Leftovers): void {
  ends.push({ name, fleet, left });
}

/** Looks into them until all is as expected; rejects after 50 s with what is left. */
export async function untilNothingIsLeft(): Promise<void> {
  const looks = ends.map(({ name, fleet, left }) =>
    expect
      .poll(() => fleet.leftovers(), { timeout: 50_000, interval: 1000, message: name })
      .toMatchObject(left),
  );
  await Promise.all(looks);
}

/** Ends all that openFleetToTheEnd has opened. */
export async function closeFleets(): Promise<void> {
  await Promise.all(fleets.map((fleet) => fleet.close()));
}
