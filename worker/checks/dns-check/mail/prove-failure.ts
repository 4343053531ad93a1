import { type Observation, valuesOf } from '../../../dns/observation.ts';
import { isPublicSuffix, isRegistrable } from '../../../dns/public-suffix.ts';
import type { Zone } from '../../../dns/zone.ts';

// RFC 8914 §4: the resolver blames the zone's DNSSEC, or says that it reached none of its servers.
const provingErrors = [6, 7, 8, 9, 10, 11, 12, 22, 25];

/** So many of the zone's own servers are asked what they answer. */
const serverLimit = 4;

/**
 * Whether a lookup that failed fails for everybody: the resolver names the zone as the cause, or each of the zone's own servers was seen to
 * fail as well. Its servers are asked only then, so a usual domain costs no question more.
 * @param domain whose name servers serve the name
 */
export function isProvenFailure(
  zone: Zone,
  { name, type, ...observation }: Observation,
  domain: string,
): boolean {
  if (observation.outcome !== 'unknown' || observation.hasFailed !== true) return false;
  if (observation.errors?.some((code) => provingErrors.includes(code))) return true;
  if (isPublicSuffix(domain)) return false;
  const answers = addressesOf(zone, domain).map((address) => ({
    own: zone.look(name, type, address),
    other: zone.look(domain, 'SOA', address),
  }));
  return answers.length > 0 && answers.every(({ own, other }) => isFailure(own, other));
}

function addressesOf(zone: Zone, domain: string): readonly string[] {
  const hosts = valuesOf(zone.look(domain, 'NS')).toSorted().slice(0, serverLimit);
  return hosts.flatMap((host) => valuesOf(zone.look(host, 'A')).slice(0, 1));
}

/**
 * What a host's own name below it really is, where the resolver does not say.
 * `fails`: for everybody who validates, or for everybody. `absent`: the zone's own servers say that there is none.
 */
export type Behind = 'fails' | 'absent' | 'unknown';

/** Looks behind a failed lookup of a name at or below a host: at the resolver's answer without validation, and at the servers of the host's zone. */
export function lookBehind(zone: Zone, observation: Observation, host: string): Behind {
  if (observation.outcome !== 'unknown' || observation.hasFailed !== true) return 'unknown';
  if (observation.errors?.some((code) => provingErrors.includes(code))) return 'fails';
  return lookWithoutValidation(zone, observation) ?? lookAtServers(zone, observation, host);
}

// What comes without validation, and not with it, twice, was refused by it.
function lookWithoutValidation(zone: Zone, { name, type, rcode }: Observation): Behind | undefined {
  if (rcode !== 'SERVFAIL' || zone.lookUnchecked(name, type).outcome === 'unknown') return undefined;
  const again = zone.lookAgain(name, type);
  return again.rcode === 'SERVFAIL' ? 'fails' : isAbsent(again) ? 'absent' : 'unknown';
}

function lookAtServers(zone: Zone, observation: Observation, host: string): Behind {
  const domain = zoneHolding(zone, host);
  if (domain === undefined) return 'unknown';
  if (isProvenFailure(zone, observation, domain)) return 'fails';
  const { name, type } = observation;
  const own = addressesOf(zone, domain).map((address) => zone.look(name, type, address));
  return own.length > 0 && own.every(isAbsent) ? 'absent' : 'unknown';
}

function isAbsent({ outcome }: Observation): boolean {
  return outcome === 'nodata' || outcome === 'nxdomain';
}

// The nearest name at or above the host that has name servers, up to the domain that somebody has registered.
function zoneHolding(zone: Zone, host: string): string | undefined {
  const labels = host.split('.');
  for (let at = 0; at < labels.length - 1; at += 1) {
    const name = labels.slice(at).join('.');
    if (zone.look(name, 'NS').outcome === 'found') return name;
    if (isRegistrable(name)) return undefined;
  }
  return undefined;
}

// Silence is a failure of the zone's where the same server answers something else.
function isFailure(own: Observation, other: Observation): boolean {
  if (own.outcome !== 'unknown' || own.hasFailed !== true) return false;
  return own.rcode !== undefined || other.outcome !== 'unknown';
}
