import type { HealthFields } from '../../../../shared/catalogue/domain-health/report.ts';
import { type HealthCode, rules } from '../../../../shared/catalogue/domain-health/rules.ts';
import { type CategoryName, categoryNames } from '../../../../shared/catalogue/domain-health/weights.ts';
import { fillDetail } from '../../../../shared/model/finding.ts';
import { type Grade, gradeNames } from '../../../../shared/model/score.ts';
import { codesOf, type Evidence, isBroken, type Verdicts } from '../../../../shared/model/verdict.ts';
import { tellGap } from './gaps.ts';
import { standingOf } from './several.ts';

export type Cap = HealthFields['caps'][number];

type Limit = { readonly limit: Grade; readonly category: CategoryName | null };

/**
 * The best grade that a broken rule leaves, since a mean of five categories lets four good ones outweigh what stops the domain from doing
 * its work. The principle, by what a visitor or a sender meets:
 * - F: everybody of today is turned away: browsers refuse TLS or its certificate, validating resolvers refuse the DNS.
 * - D: everything is sent in clear text.
 * - C: a service is lost or hangs on one thread (web, mail, delegation, a lone name server), a protection is void for all (http that stays,
 *   https that leaves, SPF that lets everybody), browsers warn at an address that people type, a category is F; and so every other
 *   finding that its check calls critical: no domain with one is better than C.
 * - B: some of those who come are lost (an entry point that leads nowhere, or to an address that is not public), mail can be forged
 *   unhindered as no DMARC policy applies, a category is D.
 * - A: not everything was looked at.
 * No limit where the fault may be meant for us alone (an error status), or turns nobody away (hosts that differ). What a check calls high
 * costs its category points, and limits by the D or F of the category. `category` null: the evidence names it, or none is meant.
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
  'mail-lost': { limit: 'C', category: 'mail' },
  'finding-critical': { limit: 'C', category: null },
  'entry-point-certificate-not-trusted': { limit: 'C', category: 'ssl' },
  'category-failed': { limit: 'C', category: null },
  'spf-all-pass': { limit: 'C', category: 'mail' },
  'dmarc-missing': { limit: 'B', category: 'mail' },
  'entry-point-broken': { limit: 'B', category: null },
  'target-address-not-allowed': { limit: 'B', category: null },
  'category-poor': { limit: 'B', category: null },
  'coverage-incomplete': { limit: 'A', category: null },
};

/** Every limit that the broken rules set, the strictest first, then in the order of the rules. One fault limits a category once. */
export function judgeCaps(verdicts: Verdicts<HealthCode>): readonly Cap[] {
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
    reason: fillDetail(rules[code].detail, { ...evidence, ...wordsAlone(evidence) }),
  };
}

/** What the sentence of a finding tells of several, in the words for this one. */
function wordsAlone({ category, score, what }: Evidence): Evidence {
  const isScored = typeof category === 'string' && typeof score === 'number';
  return {
    more: '',
    ...(isScored ? { standing: standingOf(category, score) } : {}),
    ...(typeof what === 'string' ? { unseen: tellGap(what, typeof category === 'string') } : {}),
  };
}
