import type { PartState } from '../../../../../shared/catalogue/dns-check/part-state.ts';
import type { DnsSight } from '../sight.ts';
import { readDelegation } from './delegation.ts';
import type { ServerSight } from './server-sight.ts';

/** The report's `ns`. */
export function showNs(sight: DnsSight, isFaulty: boolean) {
  const { parent, child } = readDelegation(sight);
  const { zone, domain } = sight;
  const names: { readonly [K in typeof zone.kind]: PartState } = {
    apex: isFaulty ? 'invalid' : parent === null && child === null ? 'unknown' : 'ok',
    inside: 'not-applicable',
    unknown: 'unknown',
  };
  return {
    state: names[zone.kind],
    zone: zone.kind === 'apex' ? domain : zone.kind === 'inside' ? zone.zone : null,
    parentZone: sight.parentZone,
    parent,
    child,
    servers: sight.servers.map(showServer),
    notAsked: sight.evidence.notAsked,
  };
}

function showServer({ name, ip, state, why, rttMs, soa, ...seen }: ServerSight) {
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
