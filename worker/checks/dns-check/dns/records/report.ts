import { domainToUnicode } from 'node:url';
import { apexTypes } from '../../halves.ts';
import type { DnsFacts } from '../facts.ts';
import { zoneTtls } from './judge-ttls.ts';

/** The report's fields about the domain and its records. */
export function reportRecords({ domain, apex, evidence }: DnsFacts) {
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
