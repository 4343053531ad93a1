import type { CategoryState } from '../../catalogue/domain-health/report.ts';
import { leastCoverage } from '../../catalogue/domain-health/weights.ts';
import { type Grade, gradeNames } from '../../model/score.ts';
import type { Category } from '../facts/categories.ts';

type Weighed = Pick<Category, 'state' | 'score' | 'weight'>;

export type Combined = {
  /** 0 to 100, whole; null where too little was seen. */
  readonly score: number | null;
  /** 0 to 1. */
  readonly coverage: number;
  /** Weight of the categories that have a score. */
  readonly usedWeight: number;
};

/**
 * The weighted mean of the categories that have a score. A category that could not be checked is not counted as 0: it is left out of the
 * mean, and the coverage is lower. A category that does not apply is left out of both. One that nobody asked for lowers the coverage too, but
 * a score needs only half of what was asked for.
 */
export function combine(categories: readonly Weighed[]): Combined {
  const scored = categories.flatMap(({ score, weight }) => (score === null ? [] : [{ score, weight }]));
  const usedWeight = sum(scored.map(({ weight }) => weight));
  const weightWithout = (...states: readonly CategoryState[]) =>
    sum(categories.filter(({ state }) => !states.includes(state)).map(({ weight }) => weight));
  const asked = weightWithout('not-applicable', 'left-out');
  if (asked === 0) return { score: null, coverage: 0, usedWeight: 0 };
  const coverage = usedWeight / weightWithout('not-applicable');
  const isEnough = usedWeight / asked >= leastCoverage;
  const total = sum(scored.map(({ score, weight }) => score * weight));
  return {
    score: isEnough ? Math.round(total / usedWeight) : null,
    coverage: Math.round(coverage * 1000) / 1000,
    usedWeight,
  };
}

/** The grade under its limits: the worst of them all; null stays null. */
export function limitGrade(grade: Grade | null, limits: readonly Grade[]): Grade | null {
  if (grade === null) return null;
  return limits.reduce((worst, limit) => (isWorse(limit, worst) ? limit : worst), grade);
}

/** Whether one grade is below another. */
export function isWorse(one: Grade, other: Grade): boolean {
  return gradeNames.indexOf(one) > gradeNames.indexOf(other);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
