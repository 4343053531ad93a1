import { foundRecords, readAnswer, recordsAt } from '../../../../dns/read-answer.ts';
import { readAll, readText } from '../../../../dns/record-values.ts';
import type { DnsAnswer } from '../../../../probes/dns/port.ts';
import type { HostAnswers } from '../evidence.ts';

/** A host's addresses, IPv4 first. */
export function addressesOf({ A, AAAA }: HostAnswers): readonly string[] {
  return [A, AAAA].flatMap((answer) => readAll(foundRecords(readAnswer(answer)), readText));
}

/** The name servers that the parent's servers give, whether as a referral or as an answer. */
export function delegatedNames(referrals: readonly DnsAnswer[], domain: string): readonly string[] {
  const names = referrals.flatMap((answer) =>
    answer.kind === 'answer'
      ? readAll(recordsAt([...answer.authority, ...answer.answers], domain, 'NS'), readText)
      : [],
  );
  return [...new Set(names)];
}

/** The addresses that the parent's servers give for a name server. */
export function glueOf(referrals: readonly DnsAnswer[], server: string): readonly string[] {
  const addresses = referrals.flatMap((answer) =>
    answer.kind === 'answer'
      ? ['A', 'AAAA'].flatMap((type) => readAll(recordsAt(answer.additional, server, type), readText))
      : [],
  );
  return [...new Set(addresses)];
}

/** True for an address of IPv6. */
export function isIpv6(address: string): boolean {
  return address.includes(':');
}
