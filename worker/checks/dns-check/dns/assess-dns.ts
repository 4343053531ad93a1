import { type DnsCode, dnsRules } from '../../../../shared/catalogue/dns-check/rules.ts';
import { codesBroken, isBroken, type Severity, type Verdicts } from '../../../../shared/model/verdict.ts';
import type { PartAssessment } from '../parts.ts';
import { type Loss, shareOut } from '../share-out.ts';
import { forAll } from '../verdicts.ts';
import { assessCaa } from './caa/assess-caa.ts';
import { showCaa } from './caa/show-caa.ts';
import { assessDnssec } from './dnssec/assess-dnssec.ts';
import { readSigning } from './dnssec/read-signing.ts';
import { showDnssec } from './dnssec/show-dnssec.ts';
import { readStatus } from './dnssec/status.ts';
import type { DnsEvidence } from './evidence.ts';
import { assessNs } from './ns/assess-ns.ts';
import { showNs } from './ns/show-ns.ts';
import { assessRecords } from './records/assess-records.ts';
import { showRecords } from './records/show-records.ts';
import { type DnsSight, readEvidence } from './sight.ts';
import { assessSoa } from './soa/assess-soa.ts';
import { showSoa } from './soa/show-soa.ts';

/** Judges the DNS half. Pure: the same evidence always gives the same verdicts. */
export function assessDns(evidence: DnsEvidence): PartAssessment<DnsCode> {
  const sight = readEvidence(evidence);
  const signing = readSigning(sight);
  const status = readStatus(sight, signing);
  const soa = assessSoa(sight);
  const seen: Verdicts<DnsCode> = {
    ...assessRecords(sight),
    ...assessNs(sight),
    ...soa,
    ...assessDnssec(sight, signing, status),
    ...assessCaa(sight),
  };
  const { exists } = sight;
  const verdicts = exists === false ? onlyNotFound(sight.domain) : seen;
  const losses = lossesOf(verdicts);
  const lost = losses.reduce((sum, { points }) => sum + points, 0);
  const points =
    exists === false || !isAnythingKnown(sight, verdicts) ? null : Math.max(0, Math.round(100 - lost));
  return {
    verdicts,
    fields: {
      exists,
      ...showRecords(sight),
      ns: showNs(sight, isFaulty(verdicts, 'ns')),
      soa: showSoa(sight, soa),
      dnssec: showDnssec(signing, status),
      caa: showCaa(sight, isFaulty(verdicts, 'caa')),
      dnsScore: points,
    },
    score: points,
    scoreEffects: Object.fromEntries(losses.map(({ code, points: taken }) => [code, -taken])),
    isPartial:
      sight.zone.kind === 'unknown' || Object.values(sight.apex).some(({ state }) => state === 'unknown'),
  };
}

function onlyNotFound(name: string): Verdicts<DnsCode> {
  return { ...forAll(dnsRules, 'not-applicable'), 'domain-not-found': { broken: [{ name }] } };
}

function isAnythingKnown({ apex, authoritative }: DnsSight, verdicts: Verdicts<DnsCode>): boolean {
  if (authoritative.length > 0 || isBroken(verdicts['ns-none-answers'])) return true;
  return Object.values(apex).some(({ state }) => state !== 'unknown');
}

// What makes a zone bogus and that it is bogus are one fault: it is counted once.
const causesOfBogus: readonly string[] = ['dnssec-ds-without-key', 'dnssec-signature-invalid'];

/** What each broken rule takes from 100. */
function lossesOf(verdicts: Verdicts<DnsCode>): readonly Loss[] {
  const isBogus = isBroken(verdicts['dnssec-bogus']);
  const losses = codesBroken(verdicts).map((code) => {
    const isCounted = !(isBogus && causesOfBogus.includes(code));
    return { code, points: isCounted ? dnsRules[code].points : 0 };
  });
  return shareOut(losses, 100);
}

const faults: readonly Severity[] = ['critical', 'high'];

function isFaulty(verdicts: Verdicts<DnsCode>, part: string): boolean {
  return (Object.keys(dnsRules) as DnsCode[]).some(
    (code) =>
      dnsRules[code].part === part && faults.includes(dnsRules[code].severity) && isBroken(verdicts[code]),
  );
}
