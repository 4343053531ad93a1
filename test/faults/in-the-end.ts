import { afterAll, expect, test } from 'vitest';
import { type Fleet, type FleetOptions, openFleet } from './fleet.ts';

type Leftovers = Partial<Awaited<ReturnType<Fleet['leftovers']>>>;
const fleets: Fleet[] = [];
const ends: { readonly name: string; readonly fleet: Fleet; readonly left: Leftovers }[] = [];

/** Opens a fleet that lives until the end of the file, see testTheEnd. */
export async function openFleetToTheEnd(options: FleetOptions): Promise<Fleet> {
  const fleet = await openFleet(options);
  fleets.push(fleet);
  return fleet;
}

/**
 * Has a fleet looked into by the last test of the file. The slot of a process that was killed comes free when its lease ends, half a
 * minute later: those of all fleets run out while the other tests run.
 * @param left what is to be left then, of what Fleet.leftovers counts
 */
export function expectInTheEnd(name: string, fleet: Fleet, left: Leftovers): void {
  ends.push({ name, fleet, left });
}

/** The last test of a file that opens fleets to the end; closes them. */
export function testTheEnd(): void {
  afterAll(() => Promise.all(fleets.map((fleet) => fleet.close())));

  test('nothing is left in any fleet: no slot, no place in a line, no report twice', async () => {
    const looks = ends.map(({ name, fleet, left }) =>
      expect
        .poll(() => fleet.leftovers(), { timeout: 50_000, interval: 1000, message: name })
        .toMatchObject(left),
    );
    await Promise.all(looks);
  }, 60_000);
}
