import { brokenBy, isBroken, notTested, type Verdict } from '../../../../shared/model/verdict.ts';
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
  // That none answers is another rule's matter.
  if (only === undefined) return notTested('no name server answered us for the domain');
  const compared = servers.filter((server) => isComparable(server, servers));
  const others = namesOf(compared).filter((name) => name !== only);
  if (others.length === 0 || notAsked > 0) return notTested('the other name servers could not be asked');
  const reason = `Of the name servers only ${only} answers for the domain; ${others.join(', ')} did not answer us, or not for it.`;
  return brokenBy([{ reason, server: only, others }]);
}

// Where nobody answers by IPv6, our own way may be at fault; where one server of that family does, the way is there.
function isComparable({ ip }: { readonly ip: string }, servers: DnsFields['ns']['servers']): boolean {
  return servers.some(
    ({ authoritative, ip: other }) => authoritative !== null && isIpv6(other) === isIpv6(ip),
  );
}

function isIpv6(ip: string): boolean {
  return ip.includes(':');
}
