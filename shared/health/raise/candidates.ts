import {
  costOf,
  type FixGroup,
  groupByFix,
  type DomainFinding,
} from '../../catalogue/domain-health/fix-groups.ts';
import { type HealthCode, rules } from '../../catalogue/domain-health/rules.ts';
import type { Finding } from '../../model/finding.ts';
import { listVerdicts } from '../../model/finding.ts';
import { type Grade, gradeNames } from '../../model/score.ts';
import { codesOf, type Evidence, isBroken, type Verdicts } from '../../model/verdict.ts';
import { limits } from '../judge/caps.ts';
import type { PartFinding } from '../report/part-findings.ts';

/** A finding of a part or of domain-health itself, with what it says. */
export type ToldFinding = DomainFinding & Finding;

/** Something that can be fixed: a fault, and the strictest limit of the grade that goes with it. */
export type Candidate = FixGroup<ToldFinding> & {
  /** Points that it takes from the domain's score, in all parts together: 0 or below. */
  readonly cost: number;
  readonly limit: Grade | null;
};

/** Findings of our own means and of nothing that the domain could fix. */
const ours: ReadonlySet<string> = new Set([
  'coverage-incomplete',
  'browser-failed',
  'browser-unavailable',
  'measurement-uncertain',
]);

/** All that could be fixed, what limits the grade first, then what costs most. */
export function listCandidates(
  domain: string,
  parts: readonly PartFinding[],
  verdicts: Verdicts<HealthCode>,
): readonly Candidate[] {
  const own = listVerdicts(rules, verdicts).findings.map((finding) => ({
    ...finding,
    check: 'domain-health',
    target: domain,
    category: null,
    domainEffect: 0,
  }));
  const told: readonly ToldFinding[] = [...(parts as readonly ToldFinding[]), ...own];
  const caps = listLimits(verdicts);
  return groupByFix(told)
    .map((fault) => ({ ...fault, cost: costOf(fault), limit: limitOf(fault, caps) }))
    .filter(isWorthFixing)
    .toSorted((a, b) => placeOf(b.limit) - placeOf(a.limit) || a.cost - b.cost);
}

/** Where a limit stands: the stricter, the higher. */
export function placeOf(limit: Grade | null): number {
  return limit === null ? -1 : gradeNames.indexOf(limit);
}

function isWorthFixing({ main, cost, limit }: Candidate): boolean {
  if (ours.has(main.code)) return false;
  return cost < 0 || limit !== null || (main.severity !== 'info' && main.severity !== 'low');
}

type LimitOf = { readonly code: HealthCode; readonly limit: Grade; readonly evidence: Evidence };

function listLimits(verdicts: Verdicts<HealthCode>): readonly LimitOf[] {
  return codesOf(verdicts).flatMap((code) => {
    const verdict = verdicts[code];
    const limit = limits[code]?.limit;
    if (limit === undefined || !isBroken(verdict)) return [];
    return verdict.broken.map((evidence) => ({ code, limit, evidence }));
  });
}

/** The strictest limit that a finding of the fault sets: as an own finding, or as what an own finding tells of. */
function limitOf({ main, others }: FixGroup<ToldFinding>, caps: readonly LimitOf[]): Grade | null {
  const members = [main, ...others];
  const own = caps.filter(({ code, evidence }) =>
    members.some(
      (member) =>
        (member.check === 'domain-health' && member.code === code) ||
        (member.code === evidence['code'] &&
          (member.check === evidence['check'] || member.category === evidence['category'])),
    ),
  );
  const [strictest] = own.toSorted((a, b) => placeOf(b.limit) - placeOf(a.limit));
  return strictest?.limit ?? null;
}
