import { isOurs } from '../../../../dns/not-asked.ts';
import { ownRecords } from '../../../../dns/read-answer.ts';
import type { DnsAnswer, DnsReply } from '../../../../probes/dns/port.ts';
import type { ServerAnswers } from '../evidence.ts';

/** Something seen to be so, not so (and why), or not seen. */
export type Claim = { readonly is: boolean; readonly why: string } | null;

/** It is so. */
export const yes: Claim = { is: true, why: '' };

/** It is not so. @param why a clause that follows the server's name, or "" */
export const no = (why: string): Claim => ({ is: false, why });

/** True for an answer by which a server says that it cannot read EDNS. */
export function rejectsEdns({ rcode }: DnsReply): boolean {
  return rcode === 'FORMERR' || rcode === 'NOTIMP' || rcode === 'BADVERS';
}

/** Whether the server speaks EDNS (RFC 6891 §7). */
export function claimEdns({ soa, ns, foreign }: ServerAnswers): Claim {
  if (soa.kind === 'answer') {
    if (rejectsEdns(soa)) return no(`answers queries with EDNS by ${soa.rcode}`);
    // An error may be made by something before the server that writes as little as it can.
    if (!isZoneAnswer(soa)) return null;
    return soa.edns === null ? no('answers without EDNS') : yes;
  }
  // One question may be lost; two with EDNS, while one without is answered, are dropped.
  const isLost = foreign.kind === 'failure' && foreign.code === 'timeout' && !isOurs(foreign);
  const isDropped = soa.code === 'timeout' && !isOurs(soa) && isLost && ns.kind === 'answer';
  return isDropped ? no('answers only queries without EDNS') : null;
}

/** Whether the server answers BADVERS to a version of EDNS that it cannot know (RFC 6891 §6.1.3). */
export function claimNextEdns({ soa, nextEdns }: ServerAnswers): Claim {
  if (!isZoneAnswer(soa) || nextEdns === undefined) return null;
  if (nextEdns.kind === 'failure')
    return isDropped(nextEdns) ? no('does not answer queries with EDNS version 1') : null;
  if (nextEdns.rcode === 'BADVERS') return yes;
  // An error that says nothing of EDNS may be the server's passing state.
  if (nextEdns.rcode === 'SERVFAIL' || nextEdns.rcode === 'REFUSED') return null;
  return no(`answers a query with EDNS version 1 by ${nextEdns.rcode}`);
}

/** Whether the server ignores an EDNS option that it does not know (RFC 6891 §6.1.2). */
export function claimUnknownOption({ soa, unknownOption }: ServerAnswers): Claim {
  if (!isZoneAnswer(soa) || unknownOption === undefined) return null;
  if (unknownOption.kind === 'failure')
    return isDropped(unknownOption)
      ? no('does not answer queries with an EDNS option that it does not know')
      : null;
  if (unknownOption.rcode === 'SERVFAIL' || unknownOption.rcode === 'REFUSED') return null;
  const how = differenceOf(unknownOption, soa);
  return how === undefined ? yes : no(`answers a query with an EDNS option that it does not know ${how}`);
}

// The answer is the one that comes without the option.
function differenceOf(seen: DnsReply, usual: DnsReply): string | undefined {
  if (seen.rcode !== usual.rcode) return `by ${seen.rcode}`;
  if (usual.edns !== null && seen.edns === null) return 'without EDNS';
  if (usual.flags.aa && !seen.flags.aa) return 'without authority';
  return ownRecords(usual).length > 0 && ownRecords(seen).length === 0 ? 'without the record' : undefined;
}

/** Whether the server answers a name in mixed case, and with the letters of the question. */
export function claimLetters({ soa, mx, plainMx }: ServerAnswers): Claim {
  if (!isZoneAnswer(soa) || mx?.kind !== 'answer') return null;
  const isAnsweredPlain = plainMx === undefined || (plainMx.kind === 'answer' && plainMx.rcode === 'NOERROR');
  if (!isAnsweredPlain) return null;
  if (soa.rcode === 'NOERROR' && (mx.rcode === 'NXDOMAIN' || mx.rcode === 'REFUSED'))
    return no(`answers ${mx.rcode} when letters of the name are in upper case`);
  if (mx.keepsCase === undefined) return null;
  return mx.keepsCase ? yes : no('answers with other letters than those of the question');
}

function isZoneAnswer(answer: DnsAnswer): answer is DnsReply {
  return answer.kind === 'answer' && (answer.rcode === 'NOERROR' || answer.rcode === 'NXDOMAIN');
}

// After as many tries as any question has, while others were answered.
function isDropped(failure: Extract<DnsAnswer, { kind: 'failure' }>): boolean {
  return failure.code === 'timeout' && !isOurs(failure);
}
