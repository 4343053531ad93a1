import { domainToUnicode } from 'node:url';
import type { PartState } from '../../../../shared/catalogue/dns-check/report.ts';
import type { Verdicts } from '../../../../shared/model/verdict.ts';
import { isBroken } from '../../../../shared/model/verdict.ts';
import { apexTypes } from '../parts.ts';
import { issuersOf } from './caa/assess-caa.ts';
import { climbCaa } from './caa/climb-caa.ts';
import { isMalformed } from './malformed.ts';
import { readDelegation } from './ns/delegation.ts';
import type { ServerSight } from './ns/server-sight.ts';
import { zoneTtls } from './records/judge-ttls.ts';
import type { DnsSight } from './sight.ts';
import type { SoaCode } from './soa/assess-soa.ts';
import { soaOf } from './soa/assess-soa.ts';
import { parseMailboxName } from './soa/parse-mailbox-name.ts';

/** The report's fields about the domain and its records. */
export function showRecords({ domain, apex, evidence }: DnsSight) {
  const ttls = zoneTtls([...evidence.servers.flatMap(({ soa, ns }) => [soa, ns]), ...evidence.direct]);
  const found = apexTypes.flatMap((type) => {
    const reading = apex[type];
    if (reading.state === 'unknown') return [];
    const records = reading.state === 'found' ? reading.records : [];
    return [
      [
        type,
        records.map(({ name, data, ttl }) => ({
          data,
          ttl: name === domain ? (ttls.get(type) ?? ttl) : ttl,
        })),
      ] as const,
    ];
  });
  return {
    unicodeDomain: domainToUnicode(domain),
    alias: apex.A.aliases.map(({ target }) => target),
    records: Object.fromEntries(found),
    recordsUnknown: apexTypes.flatMap((type) => {
      const reading = apex[type];
      return reading.state === 'unknown' ? [{ type, reason: reading.why }] : [];
    }),
  };
}

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

/** The report's `soa`. */
export function showSoa(sight: DnsSight, verdicts: Verdicts<SoaCode>) {
  if (sight.zone.kind === 'inside') return { state: 'not-applicable' };
  const soa = soaOf(sight);
  if (!soa) return { state: sight.apex.SOA.state === 'none' ? 'missing' : 'unknown' };
  const mailbox = parseMailboxName(soa.rname);
  return {
    state: isBroken(verdicts['soa-rname-invalid']) ? 'invalid' : 'ok',
    ...soa,
    mail: isMalformed(mailbox) ? null : `${mailbox.local}@${mailbox.domain}`,
  };
}

/** The report's `caa`. */
export function showCaa(sight: DnsSight, isFaulty: boolean) {
  const climb = climbCaa(sight);
  if (climb.state !== 'found')
    return { state: climb.state, at: null, records: [], issue: null, issuewild: null };
  const { at, records } = climb;
  return {
    state: isFaulty ? 'invalid' : 'ok',
    at,
    records,
    issue: issuersOf(records, 'issue'),
    issuewild: issuersOf(records, 'issuewild'),
  };
}
