import type { HealthFields } from '../../catalogue/domain-health/report.ts';
import { type HealthCode, rules } from '../../catalogue/domain-health/rules.ts';
import { type CategoryName, categoryNames } from '../../catalogue/domain-health/weights.ts';
import { fillDetail } from '../../model/finding.ts';
import { type Grade, gradeNames } from '../../model/score.ts';
import { codesOf, type Evidence, isBroken, type Verdicts } from '../../model/verdict.ts';
import { tellGap } from './gaps.ts';
import { standingOf } from './several.ts';

export type Cap = HealthFields['caps'][number];

type CategoryCap = { readonly limit: Grade; readonly category: CategoryName | null };

/**
 * The best grade that a broken rule allows. A mean of five categories would let four good ones hide a fault that makes the domain unusable.
 * The limits, by what a visitor or a sender of mail meets:
 * - F: all current clients are rejected: browsers refuse TLS or its certificate, validating resolvers refuse the DNS.
 * - D: everything is sent unencrypted, or no page was seen: what has no score must not raise what has one.
 * - C: a service does not work or depends on one server (web, mail, delegation, a single name server), the registry takes the domain away, a
 *   protection has no effect (http that
 *   is not upgraded, https that leads to http, SPF that allows everyone), browsers warn at an address that people type, or a category is F.
 *   The same for every other finding that its check calls critical: no domain with one is better than C.
 * - B: some visitors do not arrive (an entry point that leads to no page, or to an address that is not public), anyone can forge mail
 *   because no DMARC policy applies, the registration has ended, or a category is D.
 * - A: not everything was tested.
 * There is no limit where the fault may affect only us (an error status) or no visitor at all (hosts that differ). What a check calls high
 * costs its category points, and limits by the D or F of the category. `category` null: the evidence names it, or none is meant.
 */
export const limits: { readonly [C in HealthCode]?: CategoryCap } = {
  'ssl-failed': { limit: 'F', category: 'ssl' },
  'dnssec-bogus': { limit: 'F', category: 'dns' },
  'https-missing': { limit: 'D', category: 'ssl' },
  'web-server-missing': { limit: 'C', category: null },
  'entry-points-all-broken': { limit: 'D', category: null },
  'page-not-seen': { limit: 'D', category: null },
  'http-not-upgraded': { limit: 'C', category: 'ssl' },
  'https-downgrade': { limit: 'C', category: 'ssl' },
  'delegation-broken': { limit: 'C', category: 'dns' },
  'name-server-alone': { limit: 'C', category: 'dns' },
  'mail-lost': { limit: 'C', category: 'mail' },
  'registration-on-hold': { limit: 'C', category: 'dns' },
  'registration-redemption': { limit: 'C', category: 'dns' },
  'registration-pending-delete': { limit: 'C', category: 'dns' },
  'finding-critical': { limit: 'C', category: null },
  'entry-point-certificate-not-trusted': { limit: 'C', category: 'ssl' },
  'category-failed': { limit: 'C', category: null },
  'spf-all-pass': { limit: 'C', category: 'mail' },
  'dmarc-missing': { limit: 'B', category: 'mail' },
  'entry-point-broken': { limit: 'B', category: null },
  'target-address-not-allowed': { limit: 'B', category: null },
  'registration-expired': { limit: 'B', category: 'dns' },
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

function toCap(code: HealthCode, { limit, category }: CategoryCap, evidence: Evidence): Cap {
  const named = categoryNames.find((name) => name === evidence['category']);
  return {
    code,
    limit,
    category: category ?? named ?? null,
    reason: fillDetail(rules[code].detail, { ...evidence, ...wordsAlone(evidence) }),
  };
}

/** The words of a finding about several things, for one of them. */
function wordsAlone({ category, score, what }: Evidence): Evidence {
  const isScored = typeof category === 'string' && typeof score === 'number';
  return {
    more: '',
    ...(isScored ? { standing: standingOf(category, score) } : {}),
    ...(typeof what === 'string' ? { unseen: tellGap(what, typeof category === 'string') } : {}),
  };
}
