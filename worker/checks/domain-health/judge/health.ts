import { type HealthCode, rules } from '#shared/catalogue/domain-health/rules';
import type { Assessment } from '#shared/model/report';
import { codesOf, isBroken, type Verdict, type Verdicts } from '#shared/model/verdict';
import type { Category } from '../facts/categories.ts';
import { failedHostOf, type HealthFacts } from '../facts/health.ts';
import { findingIn } from '../facts/source.ts';
import { judgeRegistration } from '../registration/judge.ts';
import { judgeCategories } from './categories.ts';
import { judgeEntryPoints } from './entry-points.ts';

/** A verdict for every rule, in the order of the table; of a domain that does not exist nothing else is said. */
export function judgeHealth(facts: HealthFacts): Verdicts<HealthCode> {
  const { domain, webHost, entries, web, exists, dns, categories } = facts;
  const failedHost = failedHostOf(facts);
  const hasWildcard = findingIn(dns, 'wildcard-present') !== undefined;
  const judged: Record<HealthCode, Verdict> = {
    ...judgeCategories(facts),
    ...judgeRegistration(facts.registration),
    ...judgeEntryPoints({ domain, webHost, entries, web, categories, failedHost, hasWildcard }),
  };
  return Object.fromEntries(
    codesOf(rules).map((code) => [
      code,
      exists || code === 'domain-not-found' ? judged[code] : 'not-applicable',
    ]),
  ) as Verdicts<HealthCode>;
}

/** Whether something is to be fixed anywhere: then the grade is no A+. */
export function isWarned(categories: readonly Category[], broken: readonly HealthCode[]): boolean {
  const isFlawed = categories.some(
    ({ score, findings }) => score !== null && findings.some(({ severity }) => severity !== 'info'),
  );
  return isFlawed || broken.some((code) => rules[code].severity !== 'info');
}

/**
 * The report's state. unreachable: the domain does not exist, leads to an address that is not public, or every source with a report says
 * so. partial: something that applies was not seen, or not all of it; such a report is fresh for a shorter time. complete: everything else,
 * whatever the findings, and a domain that nobody answers for: that is proven, and nothing behind it could be seen.
 */
export function judgeState(
  { exists, dns, web, all, categories }: HealthFacts,
  verdicts: Verdicts<HealthCode>,
): Assessment['state'] {
  const seen = all.flatMap(({ report }) => report ?? []);
  const isGone = seen.length > 0 && seen.every(({ state }) => state === 'unreachable');
  const isDead = findingIn(dns, 'ns-none-answers') !== undefined;
  const isUnscored = categories.every(({ score, name }) => score === null || name === 'dns');
  const isHidden = web.kind !== 'present' && isBroken(verdicts['target-address-not-allowed']);
  if (!exists || isGone || isHidden) return 'unreachable';
  if (isDead && isUnscored) return 'complete';
  return isBroken(verdicts['coverage-incomplete']) ? 'partial' : 'complete';
}
