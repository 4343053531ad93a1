import type { PartState } from '#shared/catalogue/dns-check/part-state';
import type { DnsFacts } from '../facts.ts';
import type { ServerFacts } from '../servers/server-facts.ts';
import { readDelegation } from './delegation.ts';

/** The report's `ns`. */
export function reportNs(facts: DnsFacts, isFaulty: boolean) {
  const { parent, child } = readDelegation(facts);
  const { zone, domain } = facts;
  const names: { readonly [K in typeof zone.kind]: PartState } = {
    apex: isFaulty ? 'invalid' : parent === null && child === null ? 'unknown' : 'ok',
    inside: 'not-applicable',
    unknown: 'unknown',
  };
  return {
    state: names[zone.kind],
    zone: zone.kind === 'apex' ? domain : zone.kind === 'inside' ? zone.zone : null,
    parentZone: facts.parentZone,
    parent,
    child,
    parentServers: { known: facts.evidence.parentServers ?? null, asked: facts.evidence.referrals.length },
    servers: facts.servers.map(showServer),
    notAsked: facts.evidence.notAsked,
  };
}

function showServer({ name, ip, state, why, rttMs, soa, ...seen }: ServerFacts) {
  return {
    name,
    ip,
    rttMs,
    authoritative: state === 'authoritative' ? true : state === 'lame' ? false : null,
    serial: soa?.serial ?? null,
    tcp: seen.tcp?.is ?? null,
    edns: seen.edns?.is ?? null,
    recursion: seen.recursion?.is ?? null,
    ...(why === '' ? {} : { reason: why }),
  };
}
