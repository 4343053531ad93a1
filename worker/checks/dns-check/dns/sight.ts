import { ownRecords, type Reading, readAnswer } from '../../../dns/read-answer.ts';
import type { DnsAnswer } from '../../../probes/dns/port.ts';
import { type ApexType, apexTypes } from '../parts.ts';
import type { DnsEvidence } from './evidence.ts';
import { readServers, type ServerSight } from './ns/server-sight.ts';
import { type ZoneSight, zoneSight } from './zone.ts';

/** The evidence, read once: what every judgement of the DNS half looks at. */
export type DnsSight = {
  readonly evidence: DnsEvidence;
  readonly domain: string;
  /** What the resolver answered; where it called that bogus, what it gave with checking disabled. */
  readonly answers: { readonly [T in ApexType]: DnsAnswer };
  readonly apex: { readonly [T in ApexType]: Reading };
  /** null when the DNS did not say. */
  readonly exists: boolean | null;
  readonly zone: ZoneSight;
  readonly servers: readonly ServerSight[];
  readonly authoritative: readonly ServerSight[];
  /** The zone above that delegates, "" the root; null when nobody said. */
  readonly parentZone: string | null;
};

/** Reads the evidence. */
export function readEvidence(evidence: DnsEvidence): DnsSight {
  const { domain, referrals } = evidence;
  const answers = Object.fromEntries(
    apexTypes.map((type) => [type, evidence.unchecked[type] ?? evidence.apex[type]]),
  ) as DnsSight['answers'];
  const apex = Object.fromEntries(
    apexTypes.map((type) => [type, readAnswer(answers[type])]),
  ) as DnsSight['apex'];
  const servers = readServers(evidence);
  return {
    evidence,
    domain,
    answers,
    apex,
    exists: existence(apex),
    zone: zoneSight(answers.SOA, answers.NS, referrals),
    servers,
    authoritative: servers.filter(({ state }) => state === 'authoritative'),
    parentZone: evidence.ancestors.find(({ ns }) => ownRecords(ns).length > 0)?.name ?? null,
  };
}

// An error that the DNS did not explain leaves the question open; any record or alias answers it.
function existence(apex: DnsSight['apex']): boolean | null {
  const readings = Object.values(apex);
  if (readings.some(({ state, aliases }) => state === 'found' || aliases.length > 0)) return true;
  if (apex.SOA.state === 'none') return !apex.SOA.nxdomain;
  return readings.some((reading) => reading.state === 'none' && !reading.nxdomain) ? true : null;
}
