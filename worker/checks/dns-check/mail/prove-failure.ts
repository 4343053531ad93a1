import { type Observation, valuesOf } from '../../../dns/observation.ts';
import { isPublicSuffix } from '../../../dns/public-suffix.ts';
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
  const hosts = valuesOf(zone.look(domain, 'NS')).toSorted().slice(0, serverLimit);
  const addresses = hosts.flatMap((host) => valuesOf(zone.look(host, 'A')).slice(0, 1));
  const answers = addresses.map((address) => ({
    own: zone.look(name, type, address),
    other: zone.look(domain, 'SOA', address),
  }));
  return answers.length > 0 && answers.every(({ own, other }) => isFailure(own, other));
}

// Silence is a failure of the zone's where the same server answers something else.
function isFailure(own: Observation, other: Observation): boolean {
  if (own.outcome !== 'unknown' || own.hasFailed !== true) return false;
  return own.rcode !== undefined || other.outcome !== 'unknown';
}
