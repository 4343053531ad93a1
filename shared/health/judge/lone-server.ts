import { brokenBy, isBroken, notTested, type Verdict } from '../../model/verdict.ts';
import type { DnsFields } from '../facts/fields.ts';
import { type SourceFacts, verdictOver } from '../facts/source.ts';

/** Judges whether more than one name server answers for the domain: by what dns-check found, then by what each server answered. */
export function judgeLoneServer(dns: SourceFacts, fields: DnsFields | null): Verdict {
  const named = verdictOver(dns, ['ns-single', 'ns-same-address']);
  if (isBroken(named) || fields === null || fields.ns.servers.length === 0) return named;
  const { servers, notAsked } = fields.ns;
  const namesOf = (list: readonly { readonly name: string }[]) => [...new Set(list.map(({ name }) => name))];
  const answering = namesOf(servers.filter(({ authoritative }) => authoritative === true));
  if (answering.length > 1) return 'holds';
  const [only] = answering;
  // Another rule reports that none answers.
  if (only === undefined) return notTested('no name server answered us for the domain');
  const compared = servers.filter((server) => isComparable(server, servers));
  const others = namesOf(compared).filter((name) => name !== only);
  if (others.length === 0 || notAsked > 0) return notTested('the other name servers could not be asked');
  const reason = `Only the name server ${only} answers for the domain. These did not answer, or not for this domain: ${others.join(', ')}.`;
  return brokenBy([{ reason, server: only, others }]);
}

// If no server answers over IPv6, our own network may lack it. If one does, the network has it.
function isComparable({ ip }: { readonly ip: string }, servers: DnsFields['ns']['servers']): boolean {
  return servers.some(
    ({ authoritative, ip: other }) => authoritative !== null && isIpv6(other) === isIpv6(ip),
  );
}

function isIpv6(ip: string): boolean {
  return ip.includes(':');
}
