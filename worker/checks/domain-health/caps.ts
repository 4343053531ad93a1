import type { HealthFields } from '../../../shared/catalogue/domain-health/report.ts';
import { type HealthCode, rules } from '../../../shared/catalogue/domain-health/rules.ts';
import { type CategoryName, categoryNames } from '../../../shared/catalogue/domain-health/weights.ts';
import { fillDetail } from '../../../shared/model/finding.ts';
import { type Grade, gradeNames } from '../../../shared/model/score.ts';
import { codesOf, type Evidence, isBroken, type Verdicts } from '../../../shared/model/verdict.ts';

export type Cap = HealthFields['caps'][number];

type Limit = { readonly limit: Grade; readonly category: CategoryName | null };

/**
 * The best grade that a broken rule leaves. A site that fails in every browser, or is gone for validating resolvers, is no better than F,
 * whatever the mean says; a site without HTTPS no better than D, one that no visitor reaches no better than C. `category` null: the evidence names it, or none is meant.
 */
export const limits: { readonly [C in HealthCode]?: Limit } = {
  'ssl-failed': { limit: 'F', category: 'ssl' },
  'dnssec-bogus': { limit: 'F', category: 'dns' },
  'https-missing': { limit: 'D', category: 'ssl' },
  'web-server-missing': { limit: 'C', category: null },
  'entry-points-all-broken': { limit: 'C', category: null },
  'http-not-upgraded': { limit: 'C', category: 'ssl' },
  'https-downgrade': { limit: 'C', category: 'ssl' },
  'delegation-broken': { limit: 'C', category: 'dns' },
  'name-server-alone': { limit: 'C', category: 'dns' },
  'category-failed': { limit: 'C', category: null },
  'spf-all-pass': { limit: 'C', category: 'mail' },
  'dmarc-missing': { limit: 'B', category: 'mail' },
  'category-poor': { limit: 'B', category: null },
  'coverage-incomplete': { limit: 'A', category: null },
};

/** Every limit that the broken rules set, the strictest first, then in the order of the rules. One fault limits a category once. */
export function capsOf(verdicts: Verdicts<HealthCode>): readonly Cap[] {
  const caps = codesOf(verdicts).flatMap((code) => {
    const verdict = verdicts[code];
    const limit = limits[code];
    return limit && isBroken(verdict) ? verdict.broken.map((evidence) => toCap(code, limit, evidence)) : [];
  });
  const unique = caps.filter(
    (cap, index) =>
      caps.findIndex(({ code, category }) => code === cap.code && category === cap.category) === index,
  );
  return unique.sort((a, b) => gradeNames.indexOf(b.limit) - gradeNames.indexOf(a.limit));
}

function toCap(code: HealthCode, { limit, category }: Limit, evidence: Evidence): Cap {
  const named = categoryNames.find((name) => name === evidence['category']);
  return {
    code,
    limit,
    category: category ?? named ?? null,
    reason: fillDetail(rules[code].detail, evidence),
  };
}
