import type { DnsAnswer, DnsQuestion, DnsRecord } from '../../../../probes/dns/port.ts';
import { chainsOf, type DenialChain } from './denial-chain.ts';
import { denialRecordsIn, labelsOf, type Nsec, type Nsec3, sortDenials } from './denial-records.ts';
import { iterationLimit } from './nsec3-hash.ts';

/** What a record of denial says of a question: that there is no such name, or no such type there; undefined where it says nothing against it. */
export type Speaks = (question: DnsQuestion) => 'name' | 'type' | undefined;

/** What the records of denial in some answers say of other questions than those that they answer; signatures are not looked at. */
export function denialsIn(answers: readonly DnsAnswer[], zone: string): readonly Speaks[] {
  return answers.flatMap((answer) => (answer.kind === 'answer' ? [speakingOf(answer.authority, zone)] : []));
}

/** What these records say together. Those that a server makes up around the asked name, and spans that opt out, speak of nothing else. */
export function speakingOf(records: readonly DnsRecord[], zone: string): Speaks {
  const { nsec, nsec3 } = sortDenials(denialRecordsIn(records));
  const told = nsec.filter((record) => !isMadeUp(record));
  const chains = chainsOf(told, nsec3.filter(isOfChain), zone);
  return (question) => chains.map((chain) => speakOf(chain, question)).find((said) => said !== undefined);
}

function speakOf(chain: DenialChain, { name, type }: DnsQuestion): 'name' | 'type' | undefined {
  const labels = labelsOf(name);
  if (labels === undefined) return undefined;
  const types = chain.typesAt(labels);
  if (types === undefined) return chain.covers(labels) ? 'name' : undefined;
  // Below a delegation the other side has the word.
  const isElsewhere = types.has('NS') && !types.has('SOA');
  return isElsewhere || types.has(type) || types.has('CNAME') ? undefined : 'type';
}

// RFC 9824 §3, RFC 4470 §3: up to the next name that there could be.
function isMadeUp({ owner, next }: Nsec): boolean {
  return next.length === owner.length + 1 && next[0] === '\0' && next.slice(1).join('.') === owner.join('.');
}

function isOfChain({ hash, nextHash, algorithm, flags, iterations }: Nsec3): boolean {
  const isNarrow = hash.slice(0, -2) === nextHash.slice(0, -2);
  return algorithm === 1 && flags === 0 && iterations <= iterationLimit && !isNarrow;
}
