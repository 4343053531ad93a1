import { asksWeb } from '../../catalogue/domain-health/parts.ts';
import { type HealthCode, rules } from '../../catalogue/domain-health/rules.ts';
import type { CategoryName } from '../../catalogue/domain-health/weights.ts';
import type { Assessment } from '../../model/report.ts';
import {
  type BlindSpot,
  codesOf,
  isBroken,
  notTested,
  type Verdict,
  type Verdicts,
  withBlindSpots,
} from '../../model/verdict.ts';
import { type Category, whyLeftOut } from '../facts/categories.ts';
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
  const all: Record<HealthCode, Verdict> = {
    ...judgeCategories(facts),
    ...judgeRegistration(facts.registration),
    ...judgeEntryPoints({ domain, webHost, entries, web, categories, failedHost, hasWildcard }),
  };
  const judged = withBlindSpots(all, blindSpotsOf(facts));
  return Object.fromEntries(
    codesOf(rules).map((code) => [
      code,
      exists || code === 'domain-not-found' ? judgeAsked(code, facts.parts, judged[code]) : 'not-applicable',
    ]),
  ) as Verdicts<HealthCode>;
}

const ofWaysIn = codesOf(rules).filter((code) => rules[code].part === 'entryPoints');

/** What was not seen of the site, and what would speak of it. */
function blindSpotsOf({ entries, web, categories }: HealthFacts): readonly BlindSpot<HealthCode>[] {
  const isWeb = web.kind !== 'absent' && web.kind !== 'closed';
  const way = isWeb ? entries.find(({ end }) => end === 'unknown') : undefined;
  const page = categories.find(({ name, state }) => name === 'performance' && state === 'unavailable');
  return [
    { why: way?.why, codes: [...ofWaysIn, 'category-failed', 'category-poor'], holdsStay: true },
    // By script a page sends its visitor on in a browser alone.
    { why: page?.reason, codes: ['https-downgrade', 'http-not-upgraded', 'entry-point-sends-on'] },
  ];
}

/** What is not asked for is not tested. That a domain does not exist is reported by whatever part sees it, and https-missing by the entry points. */
function judgeAsked(code: HealthCode, parts: readonly CategoryName[], judged: Verdict): Verdict {
  const { part } = rules[code];
  if (part === 'categories' || code === 'domain-not-found') return judged;
  const isAsked = part === 'entryPoints' || code === 'https-missing' ? asksWeb(parts) : parts.includes(part);
  return isAsked ? judged : notTested(whyLeftOut);
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
 * so. partial: something that was asked for and applies was not seen, or not all of it; such a report is fresh for a shorter time. complete: everything else,
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
  const coverage = verdicts['coverage-incomplete'];
  // What nobody asked for is no reason to look again soon.
  const isPartial = isBroken(coverage) && coverage.broken.some(({ cause }) => cause !== 'left-out');
  return isPartial ? 'partial' : 'complete';
}
