import { aliasOf, type Observation, valuesOf } from '../../dns/observation.ts';
import { isRegistrable } from '../../dns/public-suffix.ts';
import type { Zone } from '../../dns/zone.ts';

// RFC 8914 §4: the resolver blames the zone's DNSSEC, or says that it reached none of its servers.
const provingErrors = [6, 7, 8, 9, 10, 11, 12, 22, 25];

/** So many of a zone's own servers are asked what they answer, and so many aliases followed. */
const limits = { servers: 4, aliases: 4 } as const;

/**
 * What is behind a lookup that failed here. `fails`: it fails for everybody, or for everybody who validates. `absent`: the zone's own servers say
 * that there is none. `unknown`: it did not fail, or nobody can say.
 */
export type Behind = 'fails' | 'absent' | 'unknown';

/**
 * Looks behind a failed lookup: at the resolver's own reason, at its answer without validation, and at the servers of the zone that holds the
 * name, or of the zone that an alias of it leads to. All of these are asked only then, so a usual domain costs no question more.
 */
export function lookBehind(zone: Zone, observation: Observation, left: number = limits.aliases): Behind {
  if (observation.outcome !== 'unknown' || observation.hasFailed !== true) return 'unknown';
  if (observation.errors?.some((code) => provingErrors.includes(code))) return 'fails';
  return lookWithoutValidation(zone, observation) ?? lookAtServers(zone, observation, left);
}

// What comes without validation, and not with it, twice, was refused by it.
function lookWithoutValidation(zone: Zone, { name, type, rcode }: Observation): Behind | undefined {
  if (rcode !== 'SERVFAIL' || zone.lookUnchecked(name, type).outcome === 'unknown') return undefined;
  const again = zone.lookAgain(name, type);
  return again.rcode === 'SERVFAIL' ? 'fails' : isAbsent(again) ? 'absent' : 'unknown';
}

function lookAtServers(zone: Zone, { name, type }: Observation, left: number): Behind {
  const holder = zoneHolding(zone, name);
  if (holder === undefined) return 'unknown';
  const answers = addressesOf(zone, holder).map((address) => ({
    own: zone.look(name, type, address),
    other: zone.look(holder, 'SOA', address),
  }));
  if (answers.length === 0) return 'unknown';
  if (answers.every(({ own, other }) => isFailure(own, other))) return 'fails';
  const alias = answers.map(({ own }) => aliasOf(own)).find((target) => target !== null);
  if (alias !== undefined && left > 0) return lookBehind(zone, zone.look(alias, type), left - 1);
  return answers.every(({ own }) => isAbsent(own) && aliasOf(own) === null) ? 'absent' : 'unknown';
}

function addressesOf(zone: Zone, domain: string): readonly string[] {
  const hosts = valuesOf(zone.look(domain, 'NS')).toSorted().slice(0, limits.servers);
  return hosts.flatMap((host) => valuesOf(zone.look(host, 'A')).slice(0, 1));
}

function isAbsent({ outcome }: Observation): boolean {
  return outcome === 'nodata' || outcome === 'nxdomain';
}

// The nearest name at or above this one that has name servers, up to the domain that somebody has registered: what is above is nobody's to repair.
function zoneHolding(zone: Zone, name: string): string | undefined {
  const labels = name.split('.');
  for (let at = 0; at < labels.length - 1; at += 1) {
    const above = labels.slice(at).join('.');
    // A name like _dmarc or _25._tcp is no zone.
    if (!above.startsWith('_') && zone.look(above, 'NS').outcome === 'found') return above;
    if (isRegistrable(above)) return undefined;
  }
  return undefined;
}

// Silence is a failure of the zone's where the same server answers something else.
function isFailure(own: Observation, other: Observation): boolean {
  if (own.outcome !== 'unknown' || own.hasFailed !== true) return false;
  return own.rcode !== undefined || other.outcome !== 'unknown';
}
