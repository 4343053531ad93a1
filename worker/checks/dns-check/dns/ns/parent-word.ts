import { isInZone } from '../../../../dns/name.ts';
import { recordsAt } from '../../../../dns/read-answer.ts';
import type { DnsAnswer } from '../../../../probes/dns/port.ts';

/**
 * What a server of the parent says of the delegation: it delegates, serves the domain itself, or says as one who knows the zone above that
 * there is no such delegation. Undefined where it says nothing of use.
 */
export type ParentWord = 'delegates' | 'serves' | 'denies' | undefined;

/** Reads a parent's answer about the NS of the domain. */
export function parentWord(answer: DnsAnswer, domain: string): ParentWord {
  if (answer.kind === 'failure') return undefined;
  if (recordsAt(answer.authority, domain, 'NS').length > 0) return 'delegates';
  // A resolver in between answers without authority.
  if (recordsAt(answer.answers, domain, 'NS').length > 0) return answer.flags.aa ? 'serves' : undefined;
  return isDenial(answer, domain) ? 'denies' : undefined;
}

/** How a server denied it, as a clause. */
export function denialIn(answer: DnsAnswer, domain: string): string {
  if (answer.kind === 'failure') return '';
  const isAlias = recordsAt(answer.answers, domain, 'CNAME').length > 0;
  if (answer.rcode === 'NXDOMAIN') return 'there is no such name (NXDOMAIN)';
  return isAlias ? 'it is an alias (CNAME)' : 'it has no name servers (NODATA)';
}

// With the SOA of a zone above (RFC 2308 §2), and authority.
function isDenial(answer: DnsAnswer, domain: string): boolean {
  if (answer.kind === 'failure' || !answer.flags.aa) return false;
  if (recordsAt(answer.answers, domain, 'CNAME').length > 0) return true;
  const isAbove = answer.authority.some(
    ({ type, name }) => type === 'SOA' && name !== domain && isInZone(domain, name),
  );
  return isAbove && (answer.rcode === 'NXDOMAIN' || answer.rcode === 'NOERROR');
}
