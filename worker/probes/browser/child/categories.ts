import { type CategoryName, categoryNames } from '#shared/catalogue/pagespeed-check/categories';
import { categoryAudits } from '#shared/catalogue/pagespeed-check/rules';
import type { CategoriesObservation } from '../port.ts';
import { type LighthouseAudit, trimAudit } from './audit.ts';
import { text } from './rows.ts';

type LighthouseJudgement = {
  readonly categories: { readonly [id: string]: Category };
  readonly audits: { readonly [id: string]: LighthouseAudit };
  /** What Lighthouse did, and how long each step took in ms. Absent in the answer of another service. */
  readonly timing?: { readonly entries: readonly { readonly name: string; readonly duration: number }[] };
};
type Category = {
  readonly score: number | null;
  readonly auditRefs: readonly { readonly id: string; readonly weight?: number }[];
};

/** Lighthouse looks at the page with axe for this category alone; what the others need is gathered for performance, too. */
const ownGathering: { readonly [name in CategoryName]?: string } = {
  accessibility: 'lh:gather:getArtifact:Accessibility',
};

const rulesOfOthers = Object.values(categoryAudits);

/** What Lighthouse judged beside performance; undefined where it was asked for nothing else. */
export function readCategories({
  categories,
  audits,
  timing,
}: LighthouseJudgement): CategoriesObservation | undefined {
  const seen = categoryNames.filter((name) => name !== 'performance' && Object.hasOwn(categories, name));
  if (seen.length === 0) return undefined;
  const isSeen = (names: readonly CategoryName[]) => names.some((name) => seen.includes(name));
  return {
    scores: Object.fromEntries(seen.map((name) => [name, categories[name]?.score ?? null])),
    tookMs: Object.fromEntries(seen.map((name) => [name, timeOf(name, categories[name], timing)])),
    ...(isSeen(['seo']) ? readSeo(categories['seo'], audits) : {}),
    audits: rulesOfOthers
      .filter(({ categories: names }) => isSeen(names))
      .flatMap(({ audit: id }) => {
        const audit = Object.hasOwn(audits, id) ? audits[id] : undefined;
        return audit ? [trimAudit(audit)] : [];
      }),
  };
}

/** Its robots-txt audit knows four fields alone, so the score is made anew with our own reading of the file. */
function readSeo(category: Category | undefined, audits: LighthouseJudgement['audits']) {
  const refs = category?.auditRefs ?? [];
  const robots = audits['robots-txt'];
  const fault = robots?.score === 0 ? text(robots.explanation) || text(robots.displayValue) : '';
  return {
    seo: refs.map(({ id, weight = 0 }) => ({ id, weight, score: audits[id]?.score ?? null })),
    ...(robots ? { robots: { fault } } : {}),
  };
}

/** What a category took beside the load, in ms; null where nobody tells. */
function timeOf(
  name: CategoryName,
  category: Category | undefined,
  timing: LighthouseJudgement['timing'],
): number | null {
  if (!timing || !category) return null;
  const steps = new Set(
    category.auditRefs.map(({ id }) => `lh:audit:${id}`).concat(ownGathering[name] ?? []),
  );
  const own = timing.entries.filter((entry) => steps.has(entry.name));
  return Math.round(own.reduce((sum, { duration }) => sum + duration, 0));
}
