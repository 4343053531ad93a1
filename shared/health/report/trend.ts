import type { HealthFields } from '../../catalogue/domain-health/report.ts';
import { domainHealth } from '../../catalogue/domain-health/spec.ts';
import { type CategoryName, categoryNames } from '../../catalogue/domain-health/weights.ts';
import type { PreviousHealth } from '../evidence.ts';
import type { Category } from '../facts/categories.ts';

/** What the trend is taken of. */
export type Current = {
  readonly score: number | null;
  readonly coverage: number;
  readonly categories: readonly Category[];
  /** Codes of its own findings. */
  readonly codes: readonly string[];
};

type Trend = NonNullable<HealthFields['trend']>;
type TrendFinding = Trend['newFindings'][number];

/**
 * What changed since the last report. Both reports must have the same rules, here and in every scored check, and the same scored
 * categories. Otherwise a change in this service would look like a change of the domain.
 */
export function reportTrend(previous: PreviousHealth | null, current: Current): Trend | undefined {
  if (!previous || previous.score === null || current.score === null) return undefined;
  if (previous.rulesVersion !== domainHealth.rulesVersion || previous.coverage !== current.coverage)
    return undefined;
  if (!current.categories.every((category) => isComparable(category, previous))) return undefined;
  const before = listCodes(
    (name) => previous.categories[name].score !== null,
    (name) => previous.categories[name].codes,
    previous.codes,
  );
  const byName = new Map(current.categories.map((category) => [category.name, category]));
  const now = listCodes(
    (name) => byName.get(name)?.score != null,
    (name) => byName.get(name)?.findings.map(({ code }) => code) ?? [],
    current.codes,
  );
  return {
    previousAt: previous.checkedAt,
    ...(previous.reportId === null ? {} : { previousReportId: previous.reportId }),
    scoreDelta: current.score - previous.score,
    gradeBefore: previous.grade,
    categories: deltasOf(current.categories, previous),
    newFindings: subtract(now, before),
    fixedFindings: subtract(before, now),
  };
}

function isComparable({ name, score, link, mailHosts }: Category, previous: PreviousHealth): boolean {
  const before = previous.categories[name];
  if ((score === null) !== (before.score === null)) return false;
  if (score === null) return true;
  const hostsVersion = mailHosts?.reason === '' ? mailHosts.link?.rulesVersion : undefined;
  return link.rulesVersion === before.rulesVersion && hostsVersion === before.mailHostsVersion;
}

function deltasOf(categories: readonly Category[], previous: PreviousHealth): Trend['categories'] {
  return Object.fromEntries(
    categories.flatMap(({ name, score }) => {
      const before = previous.categories[name].score;
      return score === null || before === null ? [] : [[name, Math.round((score - before) * 10) / 10]];
    }),
  );
}

// A category without a score is left out: a finding that it did not report may still apply.
function listCodes(
  isScored: (name: CategoryName) => boolean,
  codesIn: (name: CategoryName) => readonly string[],
  own: readonly string[],
): readonly TrendFinding[] {
  const ofCategories = categoryNames
    .filter(isScored)
    .flatMap((name) => [...codesIn(name)].sort().map((code) => ({ category: name, code })));
  return [...ofCategories, ...[...own].sort().map((code) => ({ category: 'health' as const, code }))];
}

function subtract(from: readonly TrendFinding[], other: readonly TrendFinding[]): TrendFinding[] {
  const known = new Set(other.map(({ category, code }) => `${category} ${code}`));
  return from.filter(({ category, code }) => !known.has(`${category} ${code}`));
}
