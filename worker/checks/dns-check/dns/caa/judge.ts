import { caaRules } from '#shared/catalogue/dns-check/rules/caa';
import {
  allOf,
  brokenBy,
  brokenIf,
  type Evidence,
  isMalformed,
  notTested,
  type Verdicts,
} from '#shared/model/verdict';
import { climbCaa } from '../../../../dns/climb-caa.ts';
import type { Caa } from '../../../../dns/record-values.ts';
import type { DnsAnswer } from '../../../../probes/dns/port.ts';
import type { DnsEvidence } from '../evidence.ts';
import type { DnsFacts } from '../facts.ts';
import { findCaaFailure } from './failure.ts';
import { findParameterFaults, isContactEmail, isContactPhone } from './judge-parameters.ts';
import { meantIssuer } from './known-issuers.ts';
import { parseCaaIssue } from './parse-caa-issue.ts';

export type CaaCode = keyof typeof caaRules;

const criticalFlag = 128;
const issueTags = ['issue', 'issuewild', 'issuemail', 'issuevmc'];
// Those of certificates for web servers, for which RFC 8657 binds accounts and methods.
const methodTags = ['issue', 'issuewild'];
// IANA "Certification Authority Restriction Properties".
const knownTags = [...issueTags, 'iodef', 'contactemail', 'contactphone'];

/** Judges the CAA records that a CA would find for the domain. */
export function judgeCaa(facts: DnsFacts): Verdicts<CaaCode> {
  const climb = climbCaa(facts.domain, caaAnswersOf(facts));
  if (climb.state === 'unknown')
    return { ...allOf(caaRules, notTested(climb.why)), ...judgeFailure(facts.domain, facts.evidence.caa) };
  if (climb.state === 'missing')
    return {
      ...allOf(caaRules, 'not-applicable'),
      'caa-lookup-failed': 'holds',
      'caa-missing': brokenBy([{ name: facts.domain }], {
        text: 'Publish one record for each CA that you use. The record shown is an example.',
        record: { name: facts.domain, type: 'CAA', value: '0 issue "letsencrypt.org"' },
      }),
    };
  const { at: name, records } = climb;
  const parameters = findParameterFaults(name, records, methodTags);
  return {
    'caa-missing': 'holds',
    'caa-lookup-failed': 'holds',
    'caa-unknown-critical': brokenBy(
      records
        .filter(({ flags, tag }) => (flags & criticalFlag) !== 0 && !isKnown(tag))
        .map(({ tag }) => ({ name, tag })),
    ),
    'caa-value-malformed': brokenBy([...malformedIssues(name, records), ...parameters.malformed]),
    'caa-methods-none-known': brokenBy(parameters.closed),
    'caa-method-unknown': brokenBy(parameters.strange),
    'caa-parameter-misspelt': brokenBy(parameters.misspelt),
    'caa-issuer-misspelt': brokenBy(misspeltIssuers(name, records)),
    'caa-contact-invalid': brokenBy(badContacts(name, records)),
    'caa-iodef-invalid': brokenBy(
      records
        .filter(({ tag, value }) => tag.toLowerCase() === 'iodef' && !isReportAddress(value))
        .map(({ value }) => ({ name, value })),
    ),
    'caa-tag-unknown': brokenBy(
      records
        .filter(({ flags, tag }) => (flags & criticalFlag) === 0 && !isKnown(tag))
        .map(({ tag }) => ({ name, tag })),
    ),
    'caa-forbids-all': brokenIf(
      issuersOf(records, 'issue')?.length === 0 && !issuersOf(records, 'issuewild')?.length,
      { name },
    ),
  };
}

function judgeFailure(
  domain: string,
  seen: DnsEvidence['caa'],
): Partial<Pick<Verdicts<CaaCode>, 'caa-lookup-failed'>> {
  const failure = seen && findCaaFailure(domain, seen);
  if (failure === undefined) return {};
  const { name, reason, isSigned } = failure;
  const effect = isSigned
    ? 'The zone is signed, so no CA may issue or renew a certificate.'
    : 'Some CAs then issue and renew no certificate.';
  return { 'caa-lookup-failed': brokenBy([{ name, reason, effect }]) };
}

/** The answers that a CA's climb from the domain meets. */
export function caaAnswersOf({ answers, evidence }: DnsFacts): readonly DnsAnswer[] {
  return [answers.CAA, ...evidence.ancestors.flatMap(({ caa }) => (caa ? [caa] : []))];
}

/**
 * The CAs that a property names.
 * @returns null when the property is not there, and so forbids nobody; an unreadable value names none
 */
export function issuersOf(records: readonly Caa[], tag: string): readonly string[] | null {
  const values = records.filter((record) => record.tag.toLowerCase() === tag);
  if (values.length === 0) return null;
  return values.flatMap(({ value }) => {
    const issue = parseCaaIssue(value);
    return isMalformed(issue) || issue.issuer === null ? [] : [issue.issuer];
  });
}

function malformedIssues(name: string, records: readonly Caa[]): readonly Evidence[] {
  return records.flatMap(({ tag, value }) => {
    if (!issueTags.includes(tag.toLowerCase())) return [];
    const issue = parseCaaIssue(value);
    return isMalformed(issue) ? [{ name, tag, value, reason: issue.malformed }] : [];
  });
}

function misspeltIssuers(name: string, records: readonly Caa[]): readonly Evidence[] {
  return records.flatMap(({ tag, value }) => {
    const issue = issueTags.includes(tag.toLowerCase()) ? parseCaaIssue(value) : undefined;
    if (issue === undefined || isMalformed(issue) || issue.issuer === null) return [];
    const meant = meantIssuer(issue.issuer);
    return meant === undefined ? [] : [{ name, tag, issuer: issue.issuer, meant }];
  });
}

function badContacts(name: string, records: readonly Caa[]): readonly Evidence[] {
  return records.flatMap(({ tag, value }) => {
    const kind = tag.toLowerCase();
    if (kind === 'contactemail' && !isContactEmail(value))
      return [{ name, tag, value, wanted: 'a mail address alone, without mailto:' }];
    if (kind === 'contactphone' && !isContactPhone(value))
      return [{ name, tag, value, wanted: 'a plus sign, the country code and digits, without spaces' }];
    return [];
  });
}

function isKnown(tag: string): boolean {
  return knownTags.includes(tag.toLowerCase());
}

function isReportAddress(value: string): boolean {
  if (/^mailto:[^@\s]+@[^@\s]+$/i.test(value)) return true;
  return URL.canParse(value) && /^https?:/i.test(value);
}
