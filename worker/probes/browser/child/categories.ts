import { type CategoryName, categoryNames } from '#shared/catalogue/pagespeed-check/categories';
import { categoryAudits } from '#shared/catalogue/pagespeed-check/rules';
import type { CategoriesSeen } from '../port.ts';
import { type LighthouseAudit, trimAudit } from './audit.ts';

type Judged = {
  readonly categories: { readonly [id: string]: { readonly score: number | null } };
  readonly audits: { readonly [id: string]: LighthouseAudit };
};

const rulesOfOthers = Object.values(categoryAudits);

/** What Lighthouse judged beside performance; undefined where it was asked for nothing else. */
export function readCategories({ categories, audits }: Judged): CategoriesSeen | undefined {
  const seen = categoryNames.filter((name) => name !== 'performance' && Object.hasOwn(categories, name));
  if (seen.length === 0) return undefined;
  const isSeen = (names: readonly CategoryName[]) => names.some((name) => seen.includes(name));
  return {
    scores: Object.fromEntries(seen.map((name) => [name, categories[name]?.score ?? null])),
    audits: rulesOfOthers
      .filter(({ categories: names }) => isSeen(names))
      .flatMap(({ audit: id }) => {
        const audit = Object.hasOwn(audits, id) ? audits[id] : undefined;
        return audit ? [trimAudit(audit)] : [];
      }),
  };
}
