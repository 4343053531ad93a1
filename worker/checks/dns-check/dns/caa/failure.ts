import { openAsker } from '../../../../dns/asker.ts';
import { caaNamesOf } from '../../../../dns/climb-caa.ts';
import type { Observation } from '../../../../dns/observation.ts';
import { isRegistrable } from '../../../../dns/public-suffix.ts';
import { walkZone } from '../../../../dns/walk-zone.ts';
import { openZone, observationKey, type Zone } from '../../../../dns/zone.ts';
import type { HalfContext } from '../../halves.ts';
import { lookBehind } from '../../look-behind.ts';

/** A lookup of CAA that fails for everybody: a CA's climb ends there. */
export type CaaFailure = {
  readonly name: string;
  readonly reason: string;
  /** The zone is signed up to the root, as far as our resolver vouches for it. */
  readonly isSigned: boolean;
};

/** What was seen of the climb, where it fails; nothing else is kept. */
export async function gatherCaaFailure({
  domain,
  ask,
}: HalfContext): Promise<readonly Observation[] | undefined> {
  const asker = openAsker({ ask }, domain);
  const never = new Promise<void>(() => undefined);
  const failure = await walkZone(asker, never, (zone) => readFailure(zone, domain));
  return failure === undefined ? undefined : [...asker.observations.values()];
}

/** Finds the failure in what was seen. */
export function findCaaFailure(domain: string, seen: readonly Observation[]): CaaFailure | undefined {
  return readFailure(openZone(new Map(seen.map((one) => [observationKey(one), one]))), domain);
}

// A registry's failure is not the owner's: the climb ends at the domain that somebody has registered.
function readFailure(zone: Zone, domain: string): CaaFailure | undefined {
  const names = caaNamesOf(domain);
  const last = names.findIndex(isRegistrable);
  // All are looked at, whatever is found, so that they are asked at once.
  const climb = names.slice(0, Math.max(last, 0) + 1).map((name) => zone.look(name, 'CAA'));
  for (const observation of climb) {
    if (observation.outcome === 'found') return undefined;
    if (observation.outcome !== 'unknown') continue;
    if (lookBehind(zone, observation) !== 'fails') return undefined;
    return { name: observation.name, reason: observation.why, isSigned: zone.look(domain, 'SOA').secure };
  }
  return undefined;
}
