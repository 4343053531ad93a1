import type { Finding } from '../../model/finding.ts';
import { gradeOf } from '../../model/score.ts';
import type { CategoryReport } from './dns-halves.ts';
import { linkTo, type SourceLink } from './links.ts';
import type { SourceFacts } from './source.ts';

/** What smtp-check adds to the category mail. */
export type MailHosts = {
  /** Why it says nothing for the score, without a full stop; "" where it does. */
  readonly reason: string;
  readonly link: SourceLink | null;
  /** They are in the findings of the category too. */
  readonly findings: readonly Finding[];
  /** As that of a category. */
  readonly effectFactor: number;
};

/** Reads what the mail hosts say; undefined where nothing is told of them. */
export function readMailHosts(domain: string, smtp: SourceFacts | undefined): MailHosts | undefined {
  if (smtp === undefined) return undefined;
  const { report, shown, why } = smtp;
  const link = shown && linkTo({ check: 'smtp-check', target: { domain } }, shown);
  if (report === null) return { reason: why, link, findings: [], effectFactor: 0 };
  const { score, findings, notTested } = report;
  const whyNone = notTested[0]?.reason ?? 'there was no mail host to talk to';
  if (score === null) return { reason: whyNone, link, findings, effectFactor: 0 };
  return { reason: '', link, findings, effectFactor: 1 };
}

/** The mail half with what the mail hosts take from it. Good ones add nothing, and those that could not be looked at take nothing. */
export function addMailHosts(half: CategoryReport, { report }: SourceFacts): CategoryReport {
  if (report === null) return half;
  const findings = [...half.findings, ...report.findings];
  const score = half.score === null ? null : Math.max(0, half.score - (100 - (report.score ?? 100)));
  const isWarned = findings.some(({ severity }) => severity !== 'info');
  return {
    ...half,
    score,
    grade: gradeOf(score, isWarned),
    summary: sumOf(half, report),
    findings,
    // Those that give no score are compared with none.
    ...(report.score === null
      ? {}
      : {
          passed: [...half.passed, ...report.passed],
          notTested: [...half.notTested, ...report.notTested],
        }),
  };
}

type Summed = Pick<CategoryReport, 'summary'>;

function sumOf({ summary: one }: Summed, { summary: other }: Summed): CategoryReport['summary'] {
  return {
    critical: one.critical + other.critical,
    high: one.high + other.high,
    medium: one.medium + other.medium,
    low: one.low + other.low,
    info: one.info + other.info,
    passed: one.passed + other.passed,
    notTested: one.notTested + other.notTested,
  };
}
