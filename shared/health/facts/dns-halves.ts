import { mailRules } from '../../catalogue/dns-check/mail/rules.ts';
import type { CategoryName } from '../../catalogue/domain-health/weights.ts';
import type { Finding } from '../../model/finding.ts';
import type { Report } from '../../model/report.ts';
import { type Grade, gradeOf } from '../../model/score.ts';
import type { DnsFields } from './fields.ts';

/** The two categories that one dns-check gives. */
export type DnsHalf = Extract<CategoryName, 'dns' | 'mail'>;

/** What a report, or one half of it, says of a category. */
export type CategoryReport = {
  readonly score: number | null;
  readonly grade: Grade | null;
  /** True when some of it could not be looked at. */
  readonly isPartial: boolean;
  readonly summary: Report['summary'];
  readonly findings: readonly Finding[];
  readonly passed: Report['passed'];
  readonly notTested: Report['notTested'];
  /** What a finding's effect in the report is to be multiplied with, to be its effect on the category. */
  readonly effectFactor: number;
};

/** Cuts a half out of a dns-check report: its score, and the rules that are its own. */
export function halfOf(half: DnsHalf, report: Report, fields: DnsFields): CategoryReport {
  const { dnsScore, mailScore } = fields;
  const isOwn = (code: string) => Object.hasOwn(mailRules, code) === (half === 'mail');
  const findings = report.findings.filter(({ code }) => isOwn(code));
  const notTested = report.notTested.filter(({ code }) => isOwn(code));
  const passed = report.passed.filter(isOwn);
  const score = half === 'mail' ? mailScore : dnsScore;
  const counts = { critical: 0, high: 0, medium: 0, low: 0, info: 0 };
  for (const { severity } of findings) counts[severity] += 1;
  return {
    score,
    grade: gradeOf(
      score,
      findings.some(({ severity }) => severity !== 'info'),
    ),
    isPartial: report.state === 'partial' && isHalfPartial(half, fields),
    summary: { ...counts, passed: passed.length, notTested: notTested.length },
    findings,
    passed,
    notTested,
    effectFactor: factorOf(findings, score, [dnsScore, mailScore]),
  };
}

// dns-check's score is the mean of the halves that have one, and so are its findings' effects. Where a critical finding caps the mean, its
// effect has the cap in it: then the effects together are what the half has lost.
function factorOf(
  findings: readonly Finding[],
  score: number | null,
  halves: readonly (number | null)[],
): number {
  const count = halves.filter((one) => one !== null).length || 1;
  const isCapped = findings.some(({ severity }) => severity === 'critical');
  const taken = findings.reduce((sum, { scoreEffect }) => sum - scoreEffect, 0);
  return isCapped && score !== null && taken > 0 ? (100 - score) / taken : count;
}

// Whether this half makes the report partial. If neither half shows a gap, both count as partial.
function isHalfPartial(half: DnsHalf, fields: DnsFields): boolean {
  const isUnseen = { dns: isDnsUnseen(fields), mail: isMailUnseen(fields) };
  return isUnseen[half] || !(isUnseen.dns || isUnseen.mail);
}

/** Whether something of the DNS itself was not seen. */
export function isDnsUnseen({ recordsUnknown, ns }: DnsFields): boolean {
  return recordsUnknown.length > 0 || ns.state === 'unknown';
}

// An unknown DKIM selector is no gap: there was nothing more to ask.
function isMailUnseen({ spf, dmarc, mx, mtaSts, tlsRpt, dkim }: DnsFields): boolean {
  const states = [spf, dmarc, mx, mtaSts, tlsRpt].map(({ state }) => state);
  return states.includes('unknown') || (dkim.state === 'unknown' && dkim.subtreeExists === null);
}
