import { codesOf, isBroken, type Rules, type Verdicts } from './verdict.ts';

/** Letter grades and the lowest score of each, on all our scales. A+ also needs a report without a finding above info. */
const grades = [
  { grade: 'A+', from: 97 },
  { grade: 'A', from: 90 },
  { grade: 'B', from: 80 },
  { grade: 'C', from: 70 },
  { grade: 'D', from: 60 },
  { grade: 'F', from: 0 },
] as const;
export type Grade = (typeof grades)[number]['grade'];
export const gradeNames = grades.map(({ grade }) => grade);

/** 100 minus the points of every broken rule, never below 0. */
export function score<Code extends string>(
  rules: Rules & { readonly [C in Code]: unknown },
  verdicts: Verdicts<Code>,
): number {
  const lost = codesOf(verdicts).reduce(
    (sum, code) => sum + (isBroken(verdicts[code]) ? (rules[code]?.points ?? 0) : 0),
    0,
  );
  return Math.max(0, 100 - lost);
}

/**
 * Gives the letter of a score, null for null.
 * @param warned true if there is a finding above info, which rules out A+
 */
export function gradeOf(score: number | null, warned: boolean): Grade | null {
  if (score === null) return null;
  const { grade } = grades.find(({ from }) => score >= from) ?? { grade: 'F' as const };
  return grade === 'A+' && warned ? 'A' : grade;
}
