import type { DnsFields } from '#shared/catalogue/dns-check/report';
import { bogusCodes, type DnsCode, dnsRules } from '#shared/catalogue/dns-check/rules';
import { scoreDnsHalf } from '#shared/catalogue/dns-check/score-dns';
import { allOf, codesBroken, isBroken, notTested, type Severity, type Verdicts } from '#shared/model/verdict';
import type { HalfAssessment } from '../halves.ts';
import { judgeCaa } from './caa/judge.ts';
import { reportCaa } from './caa/report.ts';
import type { Hidden } from './dnssec/find-hidden.ts';
import { judgeDnssec } from './dnssec/judge.ts';
import { readSigning } from './dnssec/read-signing.ts';
import { reportDnssec } from './dnssec/report.ts';
import { readStatus } from './dnssec/status.ts';
import type { DnsEvidence } from './evidence.ts';
import { type DnsFacts, readDnsFacts } from './facts.ts';
import { isZoneSeen } from './ns/judge-dead.ts';
import { judgeNs } from './ns/judge.ts';
import { reportNs } from './ns/report.ts';
import { judgeRecords } from './records/judge.ts';
import { reportRecords } from './records/report.ts';
import { judgeSoa } from './soa/judge.ts';
import { reportSoa } from './soa/report.ts';

/** How the zone stands: seen, proven to have nobody who answers for it, or neither. */
export type ZoneStanding = 'seen' | 'dead' | 'unseen';

/** What judging the DNS half gives; only a zone that was seen, or is proven dead, has a score. */
export type DnsAssessment = HalfAssessment<DnsCode, DnsFields> & { readonly standing: ZoneStanding };

/**
 * Judges the DNS half. Pure: the same evidence always gives the same verdicts.
 * @param hidden what the zone denies and its servers have; it is not in the evidence as denied any more
 */
export function assessDns(evidence: DnsEvidence, hidden: readonly Hidden[] = []): DnsAssessment {
  const facts = readDnsFacts(evidence);
  const signing = readSigning(facts);
  const status = readStatus(facts, signing);
  const soa = judgeSoa(facts);
  const seen = tellOnce({
    ...judgeRecords(facts),
    ...judgeNs(facts),
    ...soa,
    ...judgeDnssec(facts, signing, { ...status, hidden }),
    ...judgeCaa(facts),
  });
  const { exists } = facts;
  const verdicts = exists === false ? onlyNotFound(facts.domain) : seen;
  const standing = readStanding(facts, verdicts);
  const capped = scoreDnsHalf(codesBroken(verdicts));
  const points = standing === 'unseen' ? null : capped.score;
  return {
    verdicts,
    fields: {
      exists,
      ...reportRecords(facts),
      ns: reportNs(facts, isFaulty(verdicts, 'ns')),
      soa: reportSoa(facts, soa),
      dnssec: reportDnssec(signing, status),
      caa: reportCaa(facts, isFaulty(verdicts, 'caa')),
      dnsScore: points,
    },
    score: points,
    scoreEffects: capped.effects,
    standing,
    isPartial:
      facts.zone.kind === 'unknown' || Object.values(facts.apex).some(({ state }) => state === 'unknown'),
  };
}

// Where nothing of the zone is answered, or all of it is refused, that CAA fails too is no further fault.
function tellOnce(verdicts: Verdicts<DnsCode>): Verdicts<DnsCode> {
  const why = isBroken(verdicts['ns-none-answers'])
    ? 'no name server answers for the domain'
    : codesBroken(verdicts).some((code) => bogusCodes.includes(code))
      ? 'resolvers refuse the zone as bogus'
      : undefined;
  return why === undefined ? verdicts : { ...verdicts, 'caa-lookup-failed': notTested(why) };
}

function onlyNotFound(name: string): Verdicts<DnsCode> {
  return { ...allOf(dnsRules, 'not-applicable'), 'domain-not-found': { broken: [{ name }] } };
}

function readStanding(facts: DnsFacts, verdicts: Verdicts<DnsCode>): ZoneStanding {
  if (isBroken(verdicts['ns-none-answers'])) return 'dead';
  return facts.exists !== false && isZoneSeen(facts) ? 'seen' : 'unseen';
}

const faults: readonly Severity[] = ['critical', 'high'];

function isFaulty(verdicts: Verdicts<DnsCode>, part: string): boolean {
  return (Object.keys(dnsRules) as DnsCode[]).some(
    (code) =>
      dnsRules[code].part === part && faults.includes(dnsRules[code].severity) && isBroken(verdicts[code]),
  );
}
