import { categoryNameOf, categoryWords } from '../../catalogue/domain-health/category-words.ts';
import type { CategoryName } from '../../catalogue/domain-health/weights.ts';
import type { Evidence } from '../../model/verdict.ts';
import type { Category } from '../facts/categories.ts';
import { enumerate } from '../facts/source.ts';

// A finding's sentence is filled from its first evidence, so the first one names all of them. A cap is about one, and names only that.

/** Categories of one grade, each as a piece of evidence. */
export function showStanding(categories: readonly Pick<Category, 'name' | 'score'>[]): readonly Evidence[] {
  const standing = enumerate(
    categories.map(({ name, score }, index) =>
      index === 0 ? standingOf(name, score) : `${categoryWords[name]} only ${score}`,
    ),
  );
  return categories.map(({ name, score }) => ({ category: name, score, standing }));
}

/** The words for one category alone: "Mail has only 40 of 100 points". */
export function standingOf(category: string, score: number | null): string {
  return `${categoryNameOf(category)} has only ${score} of 100 points`;
}

/** A critical finding of a source. */
export type Critical = {
  readonly category: CategoryName;
  readonly code: string;
  /** Without a full stop. */
  readonly reason: string;
};

/** Critical findings, each as a piece of evidence. */
export function showCriticals(found: readonly Critical[]): readonly Evidence[] {
  const others = found.slice(1).map(({ category, code }) => `${code} (${categoryWords[category]})`);
  const more = others.length === 0 ? '' : ` Other critical findings: ${enumerate(others)}.`;
  return found.map((one) => ({ ...one, named: categoryWords[one.category], more }));
}
