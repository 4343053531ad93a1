import type { Finding } from '../../model/finding.ts';
import type { Report } from '../../model/report.ts';
import { type Evidence, type Fix, notTested, type Verdict } from '../../model/verdict.ts';
import type { Source } from '../evidence.ts';

/** A source, read once. A failed report says nothing of the target: it is there to be shown, not to be judged by. */
export type SourceFacts = {
  /** What can be judged by; null where there is nothing. */
  readonly report: Report | null;
  /** What can be shown: also a report of a run of ours that failed. */
  readonly shown: Report | null;
  /** Why there is nothing to judge by, without a full stop; "" where there is. */
  readonly why: string;
};

/** Reads a source. */
export function readSource(source: Source): SourceFacts {
  if ('unavailable' in source) return { report: null, shown: null, why: source.unavailable };
  const { report } = source;
  if (report.state !== 'failed') return { report, shown: report, why: '' };
  const [finding] = report.findings;
  const said = finding ? `: “${finding.detail}”` : '';
  return { report: null, shown: report, why: `the check could not be finished${said}` };
}

/** A finding of the report, by its code. */
export function findingIn({ report }: SourceFacts, code: string): Finding | undefined {
  return report?.findings.find((finding) => finding.code === code);
}

/** Whether something in front of the site answered instead of it: then the report says nothing of the page that visitors get. */
export function isBlocked(findings: readonly Finding[] = []): boolean {
  return findings.some(({ code }) => code === 'target-blocks-checks');
}

/** What a source says where a server blocks us. */
export const whyBlocked = 'the server blocks this check';

/** What a source's report says of one of its rules; a source without a report has not tested it. */
export function verdictIn(source: SourceFacts, code: string): Verdict {
  const { report, why } = source;
  if (report === null) return notTested(why);
  const finding = findingIn(source, code);
  if (finding) return { broken: [showFinding(report, finding)], fix: fixOf(finding) };
  if (report.passed.includes(code)) return 'holds';
  const unseen = report.notTested.find((one) => one.code === code);
  return unseen ? notTested(unseen.reason) : 'not-applicable';
}

/**
 * One verdict over several rules of a report: broken by each that is, else not tested if one is not, else holds if one does.
 * @returns not-applicable where all of them are
 */
export function verdictOver(source: SourceFacts, codes: readonly string[]): Verdict {
  const verdicts = codes.map((code) => verdictIn(source, code));
  const broken = verdicts.flatMap((verdict) =>
    typeof verdict === 'object' && 'broken' in verdict ? [verdict] : [],
  );
  const [first] = broken;
  if (first) return { ...first, broken: broken.flatMap((verdict) => verdict.broken) };
  return (
    verdicts.find((verdict) => typeof verdict === 'object') ??
    verdicts.find((verdict) => verdict === 'holds') ??
    'not-applicable'
  );
}

/** A source's finding as evidence of a rule of ours. */
export function showFinding({ check }: Pick<Report, 'check'>, { code, detail }: Finding): Evidence {
  return { reason: detail, check, code };
}

/** A source's fix, for a rule of ours that tells the same. */
export function fixOf({ fix: { text, record, zone, snippets, notTried } }: Finding): Fix {
  return {
    text,
    ...(record ? { record } : {}),
    ...(zone ? { zone } : {}),
    ...(snippets ? { snippets } : {}),
    ...(notTried ? { notTried } : {}),
  };
}

/** "a", "a and b", "a, b and c". */
export function enumerate(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`;
}
