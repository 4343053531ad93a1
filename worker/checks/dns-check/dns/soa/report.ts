import type { DnsFields } from '#shared/catalogue/dns-check/report';
import { isBroken, isMalformed, type Verdicts } from '#shared/model/verdict';
import type { DnsFacts } from '../facts.ts';
import { type SoaCode, soaOf } from './judge.ts';
import { parseMailboxName } from './parse-mailbox-name.ts';

/** The report's `soa`. */
export function reportSoa(facts: DnsFacts, verdicts: Verdicts<SoaCode>): DnsFields['soa'] {
  if (facts.zone.kind === 'inside') return { state: 'not-applicable' };
  const soa = soaOf(facts);
  if (!soa) return { state: facts.apex.SOA.state === 'none' ? 'missing' : 'unknown' };
  const mailbox = parseMailboxName(soa.rname);
  return {
    state: isBroken(verdicts['soa-rname-invalid']) ? 'invalid' : 'ok',
    ...soa,
    mail: isMalformed(mailbox) ? null : `${mailbox.local}@${mailbox.domain}`,
  };
}
