import type { HealthFields } from '../../catalogue/domain-health/report.ts';
import { categoryNames, worstFindingsLimit } from '../../catalogue/domain-health/weights.ts';
import { severities } from '../../model/verdict.ts';
import { type Category, listTold } from '../facts/categories.ts';

type WorstFinding = HealthFields['worstFindings'][number];

/**
 * The worst findings of all categories, at most ten: by severity, then by what they take from the score of the domain, then in the order of
 * the categories and of the alphabet. Those that only inform are left out.
 * @param usedWeight of all categories with a score; a finding of a category without one takes nothing
 */
export function reportWorstFindings(
  categories: readonly Category[],
  usedWeight: number,
): readonly WorstFinding[] {
  const all = categories
    .filter(({ state }) => state !== 'not-applicable')
    .flatMap((category) =>
      listTold(category).map(({ findings, effectFactor }) => ({ ...category, findings, effectFactor })),
    )
    .flatMap(({ name, findings, score, weight, effectFactor }) => {
      const share = score === null ? 0 : (effectFactor * weight) / usedWeight;
      return findings
        .filter(({ severity }) => severity !== 'info')
        .map(({ code, severity, title, scoreEffect }) => ({
          category: name,
          code,
          severity,
          title,
          scoreEffect: tenth(scoreEffect * share),
        }));
    });
  return all.sort(compareFindings).slice(0, worstFindingsLimit);
}

function compareFindings(a: WorstFinding, b: WorstFinding): number {
  return (
    severities.indexOf(a.severity) - severities.indexOf(b.severity) ||
    a.scoreEffect - b.scoreEffect ||
    categoryNames.indexOf(a.category) - categoryNames.indexOf(b.category) ||
    (a.code < b.code ? -1 : 1)
  );
}

// Adding 0 turns -0 into 0.
function tenth(points: number): number {
  return Math.round(points * 10) / 10 + 0;
}
