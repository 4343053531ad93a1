import { ownRecords, type RecordsRead, readAnswer, recordsAt } from '../../../dns/read-answer.ts';
import type { DnsAnswer } from '../../../probes/dns/port.ts';
import { type ApexType, apexTypes } from '../halves.ts';
import type { KnownSignatures } from './dnssec/verify-rrsig.ts';
import type { DnsEvidence } from './evidence.ts';
import { delegatedNames } from './servers/addresses.ts';
import { readServerFacts, type ServerFacts } from './servers/server-facts.ts';
import { readZoneFacts, type ZoneFacts } from './zone.ts';

/** The evidence, read once: what every judgement of the DNS half looks at. */
export type DnsFacts = {
  readonly evidence: DnsEvidence;
  readonly domain: string;
  /** What the resolver answered; where it called that bogus, what it gave with checking disabled. */
  readonly answers: { readonly [T in ApexType]: DnsAnswer };
  readonly apex: { readonly [T in ApexType]: RecordsRead };
  /** null when the DNS did not say. */
  readonly exists: boolean | null;
  readonly zone: ZoneFacts;
  readonly servers: readonly ServerFacts[];
  readonly authoritative: readonly ServerFacts[];
  /** Signatures that were checked while this was read and judged. */
  readonly known: KnownSignatures;
  /** The zone above that delegates, "" the root; null when nobody said. */
  readonly parentZone: string | null;
};

/** Reads the evidence. */
export function readDnsFacts(evidence: DnsEvidence): DnsFacts {
  const { domain, referrals } = evidence;
  const answers = Object.fromEntries(
    apexTypes.map((type) => [
      type,
      ofServers(type, evidence.unchecked[type] ?? evidence.apex[type], evidence),
    ]),
  ) as DnsFacts['answers'];
  const apex = Object.fromEntries(
    apexTypes.map((type) => [type, readAnswer(answers[type])]),
  ) as DnsFacts['apex'];
  const servers = readServerFacts(evidence);
  return {
    evidence,
    domain,
    answers,
    apex,
    exists: existence(apex, evidence),
    zone: readZoneFacts(answers.SOA, answers.NS, referrals),
    servers,
    known: { keys: new Map(), signatures: new Map() },
    authoritative: servers.filter(({ state }) => state === 'authoritative'),
    parentZone: evidence.ancestors.find(({ ns }) => ownRecords(ns).length > 0)?.name ?? null,
  };
}

// The resolver's word is that of one server: what it was told is not there, and another of the same zone has, is there for other resolvers.
function ofServers(type: ApexType, answer: DnsAnswer, evidence: DnsEvidence): DnsAnswer {
  const reading = readAnswer(answer);
  if (reading.state !== 'none' || reading.aliases.length > 0) return answer;
  if (type === 'DS') return referredDs(evidence) ?? answer;
  if (type !== 'CDS' && type !== 'CDNSKEY') return answer;
  const own = evidence.servers.flatMap(({ cds, cdnskey }) => (type === 'CDS' ? cds : cdnskey) ?? []);
  return own.find((one) => one.kind === 'answer' && one.flags.aa && ownRecords(one).length > 0) ?? answer;
}

function referredDs({ referrals, parentAgain = [], domain }: DnsEvidence): DnsAnswer | undefined {
  const direct = parentAgain.find((answer) => answer.question.type === 'DS' && ownRecords(answer).length > 0);
  const referral = referrals.find(
    (answer) => answer.kind === 'answer' && recordsAt(answer.authority, domain, 'DS').length > 0,
  );
  if (direct || referral?.kind !== 'answer') return direct;
  // Read as the answer to the question for it.
  return { ...referral, question: { name: domain, type: 'DS' }, answers: referral.authority };
}

// An error that the DNS did not explain leaves the question open; any record or alias answers it.
function existence(apex: DnsFacts['apex'], { referrals, domain }: DnsEvidence): boolean | null {
  const readings = Object.values(apex);
  if (readings.some(({ state, aliases }) => state === 'found' || aliases.length > 0)) return true;
  if (apex.SOA.state === 'none') return !apex.SOA.nxdomain;
  const isDelegated = delegatedNames(referrals, domain).length > 0;
  return isDelegated || readings.some((reading) => reading.state === 'none' && !reading.nxdomain)
    ? true
    : null;
}
