import type { HealthFields } from '../../catalogue/domain-health/report.ts';
import type { CategoryName } from '../../catalogue/domain-health/weights.ts';
import type { Finding } from '../../model/finding.ts';
import { severities } from '../../model/verdict.ts';
import { type Category, listTold } from '../facts/categories.ts';
import type { EntryPoint } from '../facts/entry-points.ts';
import type { HealthFacts } from '../facts/health.ts';

/** A finding of a part, with what it costs the domain. */
export type PartFinding = NonNullable<HealthFields['partFindings']>[number];

/**
 * The findings of all parts as their reports have them: by what they take from the score of the domain, then by severity, then in the order of
 * the parts. A category that does not apply has none, and neither has an entry point where no server is: its own rule says whether one should be.
 * @param usedWeight of all categories with a score; a finding of a category without one takes nothing
 */
export function listPartFindings(
  { categories, entries }: Pick<HealthFacts, 'categories' | 'entries'>,
  usedWeight: number,
): readonly PartFinding[] {
  const ofCategories = categories.filter(({ state }) => state !== 'not-applicable');
  return [
    ...ofCategories.flatMap((category) => listCategory(category, usedWeight)),
    ...entries.flatMap(listEntry),
  ].toSorted(
    (a, b) =>
      a.domainEffect - b.domainEffect || severities.indexOf(a.severity) - severities.indexOf(b.severity),
  );
}

function listCategory(category: Category, usedWeight: number): readonly PartFinding[] {
  const { name, score, weight } = category;
  return listTold(category).flatMap(({ findings, effectFactor, link: { check, target } }) => {
    const share = score === null ? 0 : (effectFactor * weight) / usedWeight;
    return findings.map((finding) =>
      toPart(finding, { check, target, category: name, domainEffect: tenth(finding.scoreEffect * share) }),
    );
  });
}

// What a browser proved or refuted is no suspicion any more: entry-point-sends-on tells it.
function listEntry({ source, url, end, sentOnTo }: EntryPoint): readonly PartFinding[] {
  if (source.report === null || end === 'closed' || end === 'no-name') return [];
  const told = source.report.findings.filter(
    ({ code }) => sentOnTo === undefined || code !== 'redirect-javascript-suspected',
  );
  return told.map((finding) =>
    toPart(finding, { check: 'redirect-check', target: url, category: null, domainEffect: 0 }),
  );
}

type FindingSource = {
  readonly check: string;
  readonly target: string;
  readonly category: CategoryName | null;
  readonly domainEffect: number;
};

// In the order in which every finding is written, whatever a store made of it.
function toPart(finding: Finding, place: FindingSource): PartFinding {
  const { code, part, severity, title, detail, scoreEffect, evidence, fix, references } = finding;
  const named = { code, ...(part === undefined ? {} : { part }) };
  return { ...named, severity, title, detail, scoreEffect, evidence, fix, references, ...place };
}

// Adding 0 turns -0 into 0.
function tenth(points: number): number {
  return Math.min(0, Math.round(points * 10) / 10) + 0;
}
