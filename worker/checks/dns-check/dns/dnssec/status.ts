import type { DnssecStatus } from '#shared/catalogue/dns-check/report';
import { describeRcode, readAnswer } from '../../../../dns/read-answer.ts';
import type { DnsAnswer } from '../../../../probes/dns/port.ts';
import { apexTypes } from '../../halves.ts';
import type { DnsFacts } from '../facts.ts';
import { isUsableDs } from './algorithms.ts';
import type { Signing } from './read-signing.ts';
import { brokenSets, requestTypes } from './set-faults.ts';

/** How the domain stands with DNSSEC (RFC 4035 §4.3), and what that rests on. */
export type DnssecFacts = {
  readonly status: DnssecStatus;
  readonly reason: string;
  readonly resolverValidates: boolean | null;
  /** The questions that the resolver refused as bogus. */
  readonly refused: readonly { readonly type: string; readonly reason: string }[];
};

// RFC 8914 §4: the extended errors that blame DNSSEC, and those that blame the way to the servers.
const dnssecErrors = [1, 2, 5, 6, 7, 8, 9, 10, 11, 12, 25, 27];
const pathErrors = [13, 14, 22, 23];

/** Reads the resolver's judgement, and where it does not validate, what can be seen without it. */
export function readStatus(facts: DnsFacts, signing: Signing): DnssecFacts {
  const { root } = facts.evidence;
  const resolverValidates = root.kind === 'answer' && root.rcode === 'NOERROR' ? root.flags.ad : null;
  const { refused, isUnreasoned } = readRefusals(facts, signing, resolverValidates === true);
  const told = (status: DnssecStatus, reason: string): DnssecFacts => ({
    status,
    reason,
    resolverValidates,
    refused,
  });
  const [first] = refused;
  if (first) return told('bogus', `the resolver refuses ${first.type}: ${first.reason}`);
  if (isUnreasoned)
    return told(
      'indeterminate',
      'the resolver fails without a reason; DS, keys and signatures of the zone were checked and fit together',
    );
  return facts.zone.kind === 'inside'
    ? statusInside(facts, resolverValidates, told)
    : statusOfZone(facts, signing, resolverValidates, told);
}

type TellStatus = (status: DnssecStatus, reason: string) => DnssecFacts;

function statusOfZone(
  { apex, answers }: DnsFacts,
  signing: Signing,
  validates: boolean | null,
  told: TellStatus,
): DnssecFacts {
  if (apex.DS.state === 'unknown') return told('indeterminate', `the DS was not seen: ${apex.DS.why}`);
  if (apex.DS.state === 'none') return told('insecure', 'the parent zone has no DS for it');
  if (signing.ds.length > 0 && !signing.ds.some(({ ds }) => isUsableDs(ds)))
    return told('insecure', 'the parent has no DS that validators can use');
  const fault = ownFault(signing);
  if (fault !== undefined) return told('bogus', fault);
  if (hasAd(answers.SOA) || hasAd(answers.DNSKEY)) return told('secure', 'the resolver has validated it');
  if (validates === true && ![answers.SOA, answers.DNSKEY].some(isOfResolver))
    return told('indeterminate', 'what the resolver says of the zone did not come with DNSSEC');
  if (validates === true)
    return told(
      'insecure',
      'there is a DS, but the resolver does not vouch for the zone: an unsigned zone above, or an algorithm it does not know',
    );
  if (signing.keys.length === 0)
    return told('indeterminate', 'there is a DS, but no key of the zone was seen');
  return told(
    'indeterminate',
    'the resolver does not validate; DS, keys and signatures of the zone were checked and fit together',
  );
}

function statusInside({ answers }: DnsFacts, validates: boolean | null, told: TellStatus): DnssecFacts {
  if (hasAd(answers.SOA) || hasAd(answers.A)) return told('secure', 'the resolver has validated it');
  return validates === true
    ? told('insecure', 'the zone that holds it is not signed')
    : told('indeterminate', 'the resolver does not validate');
}

function ownFault({ ds, sets }: Signing): string | undefined {
  const usable = ds.filter(({ ds: one }) => isUsableDs(one));
  if (usable.length > 0 && usable.every(({ key }) => key === null))
    return 'no key of the zone matches the parent’s DS';
  const [fault] = brokenSets(sets);
  return fault && `the signature over ${fault.type} does not hold: ${fault.reason}`;
}

/** Whether the chain from the parent to the records of a type holds by our own checks: then nothing but its own word says that the resolver is right. */
function isUpheld({ ds, sets }: Signing, type: string): boolean {
  const isVouchedFor = ds.some((one) => isUsableDs(one.ds) && one.key);
  const own = sets.find((set) => set.type === type);
  return isVouchedFor && own?.signatures.some(({ verdict }) => verdict === 'valid') === true;
}

function readRefusals(
  { evidence }: DnsFacts,
  signing: Signing,
  validates: boolean,
): Pick<DnssecFacts, 'refused'> & { readonly isUnreasoned: boolean } {
  const refused = apexTypes.flatMap((type) => {
    const answer = evidence.apex[type];
    const again = evidence.unchecked[type];
    const isRefused = answer.kind === 'answer' && answer.rcode === 'SERVFAIL';
    if (!isRefused || again === undefined || readAnswer(again).state === 'unknown') return [];
    if (requestTypes.includes(type) || isAnswered(evidence.secondTry[type])) return [];
    const codes = answer.ede.map(({ code }) => code);
    const isBlamed = codes.some((code) => dnssecErrors.includes(code));
    const isExcused = codes.some((code) => pathErrors.includes(code));
    return isBlamed || (validates && !isExcused) ? [{ type, isBlamed, reason: describeRcode(answer) }] : [];
  });
  // One that refuses what holds by our own checks, without a word of DNSSEC, fails at something else.
  const isUnreasoned = refused.some(({ type, isBlamed }) => !isBlamed && isUpheld(signing, type));
  const meant = refused.filter(({ isBlamed }) => isBlamed || !isUnreasoned);
  return { refused: meant.map(({ type, reason }) => ({ type, reason })), isUnreasoned };
}

function isAnswered(answer: DnsAnswer | undefined): boolean {
  return answer !== undefined && readAnswer(answer).state !== 'unknown';
}

// A name server of the zone vouches for nothing, and without EDNS nobody says that he does.
function isOfResolver(answer: DnsAnswer): boolean {
  return answer.kind === 'answer' && answer.flags.ra && answer.edns !== null;
}

function hasAd(answer: DnsAnswer): boolean {
  return answer.kind === 'answer' && answer.flags.ad;
}
