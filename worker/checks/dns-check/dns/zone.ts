import { ownRecords, readAnswer, recordsAt } from '../../../dns/read-answer.ts';
import type { DnsAnswer } from '../../../probes/dns/port.ts';

/**
 * The zone above that holds a name, as told by the answer to its SOA question.
 * @returns undefined when the name is a zone itself, an alias, or nothing is known
 */
export function enclosingZone(soa: DnsAnswer): string | undefined {
  if (soa.kind === 'failure' || ownRecords(soa).length > 0) return undefined;
  const reading = readAnswer(soa);
  if (reading.state !== 'none' || reading.aliases.length > 0) return undefined;
  const holder = soa.authority.find(({ type }) => type === 'SOA');
  return holder && holder.name !== soa.question.name ? holder.name : undefined;
}

/** Whether the domain is a zone of its own: only then has it name servers, SOA and keys. */
export type ZoneFacts =
  | { readonly kind: 'apex' }
  | { readonly kind: 'inside'; readonly zone: string | null }
  | { readonly kind: 'unknown'; readonly why: string };

/**
 * Tells a zone from a name inside one.
 * @param soa the resolver's answer to the domain's SOA
 * @param ns its answer to the domain's NS
 * @param referrals what the parent's servers say of its NS
 */
export function readZoneFacts(soa: DnsAnswer, ns: DnsAnswer, referrals: readonly DnsAnswer[]): ZoneFacts {
  if (ownRecords(soa).length > 0 || ownRecords(ns).length > 0) return { kind: 'apex' };
  if (referrals.some((answer) => isDelegation(answer))) return { kind: 'apex' };
  const zone = enclosingZone(soa);
  if (zone !== undefined) return { kind: 'inside', zone };
  const reading = readAnswer(soa);
  if (reading.state === 'unknown') return { kind: 'unknown', why: reading.why };
  // An alias, or "nothing here" without a word of whose zone it is: the parent's servers decide.
  const parentSpoke = referrals.some((answer) => readAnswer(answer).state !== 'unknown');
  return parentSpoke
    ? { kind: 'inside', zone: null }
    : { kind: 'unknown', why: 'the parent’s name servers gave no answer' };
}

// The asked name's own servers, as a referral or as an answer.
function isDelegation(answer: DnsAnswer): boolean {
  if (answer.kind === 'failure') return false;
  return recordsAt([...answer.authority, ...answer.answers], answer.question.name, 'NS').length > 0;
}
