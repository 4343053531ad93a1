import { brokenBy, type Evidence, eachOf, notTested, type Verdicts } from '#shared/model/verdict';
import { ownRecords } from '../../../../dns/read-answer.ts';
import type { DnsAnswer } from '../../../../probes/dns/port.ts';
import type { DnsFacts } from '../facts.ts';

/** Seconds. Address records of load balancers may well be short, so only what changes rarely has a lower bound. */
const shortestTtl = 60;
const longestTtl = 604_800;
const steadyTypes = ['NS', 'MX', 'SOA'];

/** Judges the TTLs that the zone itself gives; a resolver's are what is left of them, or cut. */
export function judgeTtls({ evidence }: DnsFacts): Verdicts<'ttl-low' | 'ttl-high'> {
  const ttls = [...zoneTtls([...evidence.servers.flatMap(({ soa, ns }) => [soa, ns]), ...evidence.direct])];
  if (ttls.length === 0)
    return eachOf(['ttl-low', 'ttl-high'], notTested('no name server gave records of its own'));
  const told = (isBad: (ttl: number, type: string) => boolean): readonly Evidence[] =>
    ttls
      .filter(([type, ttl]) => isBad(ttl, type))
      .map(([type, ttl]) => ({ name: evidence.domain, type, ttl }));
  return {
    'ttl-low': brokenBy(told((ttl, type) => steadyTypes.includes(type) && ttl < shortestTtl)),
    'ttl-high': brokenBy(told((ttl) => ttl > longestTtl)),
  };
}

/** The TTL of each record type as the zone's own servers give it; of several the greatest. */
export function zoneTtls(answers: readonly DnsAnswer[]): ReadonlyMap<string, number> {
  const ttls = new Map<string, number>();
  for (const answer of answers) {
    if (answer.kind !== 'answer' || !answer.flags.aa) continue;
    for (const { type, ttl } of ownRecords(answer)) ttls.set(type, Math.max(ttl, ttls.get(type) ?? 0));
  }
  return ttls;
}
