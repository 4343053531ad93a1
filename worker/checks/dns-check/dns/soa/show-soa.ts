import { isBroken, type Verdicts } from '../../../../../shared/model/verdict.ts';
import { isMalformed } from '../../../../dns/malformed.ts';
import type { DnsSight } from '../sight.ts';
import { type SoaCode, soaOf } from './assess-soa.ts';
import { parseMailboxName } from './parse-mailbox-name.ts';

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
