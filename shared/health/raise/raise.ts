import type { HealthFields } from '../../catalogue/domain-health/report.ts';
import type { HealthCode } from '../../catalogue/domain-health/rules.ts';
import { type Grade, gradeNames, gradeOf } from '../../model/score.ts';
import { codesBroken, type Fix, type Verdicts } from '../../model/verdict.ts';
import { type HealthFacts, joinSources, type SourcesRead } from '../facts/health.ts';
import { fixOf as fixOfSource } from '../facts/source.ts';
import { judgeCaps } from '../judge/caps.ts';
import { isWarned, judgeHealth } from '../judge/health.ts';
import { combine, limitGrade } from '../judge/score.ts';
import type { PartFinding } from '../report/part-findings.ts';
import { type Candidate, listCandidates, placeOf } from './candidates.ts';
import { fixSources } from './fix-sources.ts';
import { revealing } from './reveals.ts';

type Raise = NonNullable<HealthFields['raise']>[number];
type Raised = Pick<HealthFields, 'raise' | 'raisedTo' | 'raiseLeftOut'>;

/** How the domain stands: what a fix is compared with. */
export type DomainScore = { readonly score: number | null; readonly grade: Grade | null };

/** Faults that are judged again; a hostile site may have many more, and each takes time. */
const mostJudged = 20;
const mostShown = 10;

/**
 * What would raise the domain most. Each fault is judged again as if it were fixed: its findings hold in every report where they stand, and the
 * rest follows by the same rules. Nothing is promised of a fix that would let more of the site be seen.
 */
export function reportRaise(
  facts: HealthFacts,
  parts: readonly PartFinding[],
  verdicts: Verdicts<HealthCode>,
): Raised {
  const now = standingOf(facts, verdicts);
  const candidates = listCandidates(facts.domain, parts, verdicts);
  const binding = candidates.slice(0, mostJudged).map((candidate) => ({
    ...candidate,
    limit: isBinding(candidate.limit, now.gradeBeforeCaps) ? candidate.limit : null,
  }));
  const weighed = binding
    .map((candidate) => ({ candidate, after: judgeWithout(facts, [candidate]) }))
    .filter((one) => isRaising(one, now))
    .toSorted(
      (a, b) => placeOf(b.candidate.limit) - placeOf(a.candidate.limit) || gainOf(b, now) - gainOf(a, now),
    )
    .slice(0, mostShown);
  const left = candidates.length - mostJudged;
  return {
    raise: weighed.map(({ candidate, after }) => showRaise(candidate, after, now)),
    raisedTo: judgeAll(facts, weighed) ?? { score: null, grade: null },
    ...(left > 0 ? { raiseLeftOut: left } : {}),
  };
}

type Weighed = { readonly candidate: Candidate; readonly after: DomainScore | undefined };

function standingOf(facts: HealthFacts, verdicts: Verdicts<HealthCode>) {
  const { score } = combine(facts.categories);
  const gradeBeforeCaps = gradeOf(score, isWarned(facts.categories, codesBroken(verdicts)));
  const limits = judgeCaps(verdicts).map(({ limit }) => limit);
  return { score, gradeBeforeCaps, grade: limitGrade(gradeBeforeCaps, limits) };
}

function isBinding(limit: Grade | null, grade: Grade | null): boolean {
  return limit !== null && grade !== null && placeOf(limit) > placeOf(grade);
}

/** How the domain would stand with these faults fixed; undefined where that is not known. */
function judgeWithout(facts: HealthFacts, faults: readonly Candidate[]): DomainScore | undefined {
  if (faults.some((fault) => isRevealing(fault, facts))) return undefined;
  const fixed = faults.flatMap(({ main, others }) => [main, ...others]);
  const sources: SourcesRead | undefined = fixSources(facts, fixed);
  if (sources === undefined) return undefined;
  const joined = joinSources(sources);
  const own = fixed
    .filter(({ check }) => check === 'domain-health')
    .map(({ code }) => [code, 'holds'] as const);
  const verdicts = { ...judgeHealth(joined), ...Object.fromEntries(own) };
  const { score, grade } = standingOf(joined, verdicts);
  return { score, grade };
}

/** Whether more would be seen once it is fixed: a page, a record, or a category that has no score because of it. */
function isRevealing({ main, others }: Candidate, { categories }: HealthFacts): boolean {
  const unscored = new Set<string | null>(
    categories.filter((category) => category.score === null).map(({ name }) => name),
  );
  return [main, ...others].some(
    ({ code, category, fix }) =>
      revealing.has(code) ||
      (category !== null && unscored.has(category)) ||
      // A record that nobody could write yet may have faults of its own.
      (code === 'spf-missing' && fix.record === undefined),
  );
}

function judgeAll(facts: HealthFacts, weighed: readonly Weighed[]): DomainScore | undefined {
  const isKnown = weighed.every(({ after }) => after !== undefined);
  return isKnown
    ? judgeWithout(
        facts,
        weighed.map(({ candidate }) => candidate),
      )
    : undefined;
}

function isRaising({ candidate, after }: Weighed, now: DomainScore): boolean {
  if (after === undefined || candidate.limit !== null) return true;
  const isBetter = gradeIndex(after.grade) < gradeIndex(now.grade);
  return isBetter || (after.score ?? 0) > (now.score ?? 0);
}

function gradeIndex(grade: Grade | null): number {
  return grade === null ? gradeNames.length : gradeNames.indexOf(grade);
}

// What nobody knows stands where its findings' own points would put it.
function gainOf({ candidate, after }: Weighed, now: DomainScore): number {
  return after === undefined ? -candidate.cost : (after.score ?? 0) - (now.score ?? 0);
}

function showRaise(candidate: Candidate, after: DomainScore | undefined, now: DomainScore): Raise {
  const { main, others } = candidate;
  const isKnown = after !== undefined && after.score !== null && now.score !== null;
  return {
    findings: [main, ...others].map(({ check, target, category, code }) => ({
      check,
      target,
      category,
      code,
    })),
    fix: fixOf(candidate),
    points: isKnown ? Math.max(0, (after.score ?? 0) - (now.score ?? 0)) : null,
    scoreAfter: isKnown ? after.score : null,
    gradeAfter: isKnown ? after.grade : null,
  };
}

const mostTexts = 3;

/** The fix of the finding that speaks, with what the others of the same report ask for beside it. */
function fixOf({ main, others }: Candidate): Fix {
  const beside = others.filter(({ check }) => check === main.check).map(({ fix }) => fix.text);
  const texts = [...new Set([main.fix.text, ...beside])].slice(0, mostTexts);
  return { ...fixOfSource(main), text: texts.join(' ') };
}
