import { soaRules } from '#shared/catalogue/dns-check/rules/soa';
import {
  allOf,
  brokenBy,
  brokenIf,
  isMalformed,
  notTested,
  type Verdict,
  type Verdicts,
} from '#shared/model/verdict';
import { foundRecords } from '../../../../dns/read-answer.ts';
import { readAll, readSoa, type Soa } from '../../../../dns/record-values.ts';
import type { DnsFacts } from '../facts.ts';
import { mostFrequent } from '../ns/delegation.ts';
import { named } from '../servers/server-facts.ts';
import { judgeMailbox } from './judge-mailbox.ts';
import { judgePrimary } from './judge-primary.ts';
import { parseMailboxName } from './parse-mailbox-name.ts';

export type SoaCode = keyof typeof soaRules;

/**
 * Bounds in seconds: what RFC 1912 §2.2 and RFC 2308 §5 name at the least. Zonemaster asks for more, but the large providers copy their
 * zones by other ways, and run well with less: Azure refreshes by 3600 and 300, Google Cloud expires by 259200, OVH remembers by 60.
 */
const bounds = {
  refreshMin: 1_200,
  retryMin: 180,
  expireMin: 259_200,
  minimumMin: 60,
  minimumMax: 86_400,
};

/** Judges the SOA of the zone, and that all servers have the same. Nothing applies to a name that is no zone of its own. */
export function judgeSoa(facts: DnsFacts): Verdicts<SoaCode> {
  if (facts.zone.kind === 'inside') return allOf(soaRules, 'not-applicable');
  const soa = soaOf(facts);
  const why = facts.apex.SOA.state === 'unknown' ? facts.apex.SOA.why : 'no SOA was given';
  if (!soa) return allOf(soaRules, notTested(`the SOA was not seen (${why})`));
  const { refresh, retry, expire, minimum } = soa;
  return {
    ...judgeEquality(facts),
    'soa-refresh-range': brokenIf(refresh < bounds.refreshMin, { refresh }),
    'soa-retry-range': brokenIf(retry < bounds.retryMin || retry >= refresh, { retry, refresh }),
    'soa-expire-range': brokenIf(expire < bounds.expireMin || expire < refresh, { expire, refresh }),
    'soa-minimum-range': brokenIf(minimum < bounds.minimumMin || minimum > bounds.minimumMax, { minimum }),
    ...judgePrimary(soa.mname, facts),
    'soa-rname-invalid': judgeRname(soa.rname),
    'soa-rname-no-mail': judgeMailbox(soa.rname, facts.evidence.mailbox),
  };
}

/** The SOA that counts: of a server of the zone, else of the resolver. */
export function soaOf({ authoritative, apex }: DnsFacts): Soa | undefined {
  const [first] = authoritative.flatMap(({ soa }) => (soa ? [soa] : []));
  return first ?? readAll(foundRecords(apex.SOA), readSoa)[0];
}

function judgeRname(rname: string): Verdict {
  const mailbox = parseMailboxName(rname);
  return isMalformed(mailbox) ? brokenBy([{ rname, reason: mailbox.malformed }]) : 'holds';
}

function judgeEquality({
  authoritative,
  servers,
}: DnsFacts): Verdicts<'soa-serial-mismatch' | 'soa-fields-mismatch'> {
  const seen = authoritative.flatMap((server) => (server.soa ? [{ server, soa: server.soa }] : []));
  if (seen.length < Math.min(2, servers.length) || seen.length === 0) {
    const why = notTested(`${seen.length === 0 ? 'no' : 'only one'} name server gave its SOA`);
    return { 'soa-serial-mismatch': why, 'soa-fields-mismatch': why };
  }
  const serial = Number(mostFrequent(seen.map(({ soa }) => String(soa.serial))));
  const same = seen.filter(({ soa }) => soa.serial === serial);
  const usual = mostFrequent(same.map(({ soa }) => JSON.stringify(soa)));
  const model = same.find(({ soa }) => JSON.stringify(soa) === usual)?.soa;
  return {
    'soa-serial-mismatch': brokenBy(
      seen
        .filter(({ soa }) => soa.serial !== serial)
        .map(({ server, soa }) => ({ ...named(server), serial: soa.serial, others: serial })),
    ),
    'soa-fields-mismatch': brokenBy(
      same
        .map(({ server, soa }) => ({ ...named(server), fields: differingFields(soa, model ?? soa) }))
        .filter(({ fields }) => fields !== ''),
    ),
  };
}

function differingFields(soa: Soa, model: Soa): string {
  const names = Object.keys(model) as (keyof Soa)[];
  return names.filter((name) => soa[name] !== model[name]).join(', ');
}
