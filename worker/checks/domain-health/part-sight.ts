import type { Finding } from '../../../shared/model/finding.ts';
import type { Report } from '../../../shared/model/report.ts';
import { type Evidence, type Fix, notTested, type Verdict } from '../../../shared/model/verdict.ts';
import type { Part } from './evidence.ts';

/** A part, read once. A failed report says nothing of the target: it is there to be shown, not to be judged by. */
export type PartSight = {
  /** What can be judged by; null where there is nothing. */
  readonly report: Report | null;
  /** What can be shown: also a report of a run of ours that failed. */
  readonly shown: Report | null;
  /** Why there is nothing to judge by, without a full stop; "" where there is. */
  readonly why: string;
};

/** Reads a part. */
export function readPart(part: Part): PartSight {
  if ('unavailable' in part) return { report: null, shown: null, why: clause(part.unavailable) };
  const { report } = part;
  if (report.state !== 'failed') return { report, shown: report, why: '' };
  const [finding] = report.findings;
  return { report: null, shown: report, why: clause(finding?.detail ?? 'the check could not be finished') };
}

/** A finding of the report, by its code. */
export function findingIn({ report }: PartSight, code: string): Finding | undefined {
  return report?.findings.find((finding) => finding.code === code);
}

/** What a part's report says of one of its rules; a part without a report has not tested it. */
export function verdictIn(sight: PartSight, code: string): Verdict {
  const { report, why } = sight;
  if (report === null) return notTested(why);
  const finding = findingIn(sight, code);
  if (finding) return { broken: [showFinding(report, finding)], fix: fixOf(finding) };
  if (report.passed.includes(code)) return 'holds';
  const unseen = report.notTested.find((one) => one.code === code);
  return unseen ? notTested(unseen.reason) : 'not-applicable';
}

/**
 * One verdict over several rules of a report: broken by each that is, else not tested if one is not, else holds if one does.
 * @returns not-applicable where all of them are
 */
export function verdictOver(sight: PartSight, codes: readonly string[]): Verdict {
  const verdicts = codes.map((code) => verdictIn(sight, code));
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

/** A part's finding as evidence of a rule of ours. */
export function showFinding({ check }: Pick<Report, 'check'>, { code, detail }: Finding): Evidence {
  return { reason: detail, check, code };
}

/** A part's fix, for a rule of ours that tells the same. */
export function fixOf({ fix: { text, record, snippets } }: Finding): Fix {
  return { text, ...(record ? { record } : {}), ...(snippets ? { snippets } : {}) };
}

/** Words that keep their capital within a sentence. */
const properNames = /^(?:A (?:and|or|records?)\b|(?:Lighthouse|Chrome|Google|Location)\b)/;

/** The text as a part of a sentence: without its full stop, and with the small letter that a first word has there. */
export function clause(text: string): string {
  const told = text.replace(/[.\s]+$/, '');
  return properNames.test(told) ? told : told.replace(/^[A-Z][a-z]*(?=[\s,’])/, (word) => word.toLowerCase());
}

/** "a", "a and b", "a, b and c". */
export function enumerate(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`;
}
