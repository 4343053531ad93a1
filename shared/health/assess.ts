import type { HealthFields } from '../catalogue/domain-health/report.ts';
import type { HealthCode } from '../catalogue/domain-health/rules.ts';
import type { Assessment } from '../model/report.ts';
import { gradeOf } from '../model/score.ts';
import { isOfVantage } from '../model/vantage.ts';
import { codesBroken, type Verdicts } from '../model/verdict.ts';
import type { HealthEvidence, Source } from './evidence.ts';
import { listExpiries } from './expiries/list.ts';
import type { Category } from './facts/categories.ts';
import { failedHostOf, type HealthFacts, readHealth } from './facts/health.ts';
import { judgeCaps } from './judge/caps.ts';
import { isWarned, judgeHealth, judgeState } from './judge/health.ts';
import { combine, limitGrade } from './judge/score.ts';
import { reportRaise } from './raise/raise.ts';
import { reportCategory } from './report/categories.ts';
import { reportEntryPoint } from './report/entry-points.ts';
import { listPartFindings } from './report/part-findings.ts';
import { reportTrend } from './report/trend.ts';
import { reportWorstFindings } from './report/worst-findings.ts';

/** An assessment whose grade is not only the letter of its score: `caps` say what lies between. */
export type HealthAssessment = Assessment<HealthCode, HealthFields> &
  Required<Pick<Assessment, 'score' | 'grade'>>;

/**
 * Judges a domain by the reports of its sources. Pure: the same reports always give the same report, and fixing anything in one of them never
 * lowers its score or its grade. Without the time of the run, days are counted from when its last source was checked.
 */
export function assessHealth(
  evidence: HealthEvidence,
  { checkedAtMs }: { readonly checkedAtMs: number } = { checkedAtMs: lastSeenAt(evidence) },
): HealthAssessment {
  const facts = readHealth(evidence, checkedAtMs);
  const { categories, entries } = facts;
  const verdicts = judgeHealth(facts);
  const { score, grade, gradeBeforeCaps, caps, coverage, usedWeight } = gradeHealth(facts, verdicts);
  const parts = listPartFindings(facts, usedWeight);
  const missing = missingOf(evidence);
  // A trend is of two reports that saw everything that they looked for.
  const previous = missing.length > 0 ? null : evidence.previous;
  const trend = reportTrend(previous, { score, coverage, categories, verdicts });
  return {
    state: judgeState(facts, verdicts),
    verdicts,
    missing,
    score,
    grade,
    fields: {
      categories: Object.fromEntries(
        categories.map((category) => [category.name, reportCategory(category, evidence.publicPath)]),
      ) as HealthFields['categories'],
      coverage,
      gradeBeforeCaps,
      caps,
      entryPoints: entries.map((entry) =>
        reportEntryPoint(entry, evidence.publicPath ?? '', failedHostOf(facts)),
      ),
      addressFamilies: facts.families.map(({ family, state, reason }) => ({
        family,
        state,
        ...(reason === '' ? {} : { reason }),
      })),
      worstFindings: reportWorstFindings(categories, usedWeight),
      partFindings: parts,
      ...reportRaise(facts, parts, verdicts),
      ...(evidence.registration ? { registration: evidence.registration } : {}),
      expiries: listExpiries(facts, checkedAtMs),
      ...(trend ? { trend } : {}),
    },
  };
}

/** How a domain is by the reports that are there so far. */
export type HealthSoFar = Pick<HealthAssessment, 'score' | 'grade'> & {
  readonly coverage: number;
  readonly categories: readonly Category[];
};

/** Judges a domain of which some parts are still under way, as the whole is judged: no score below half of what was asked for. */
export function judgeSoFar(evidence: HealthEvidence): HealthSoFar {
  const facts = readHealth(evidence, lastSeenAt(evidence));
  const { score, grade, coverage } = gradeHealth(facts, judgeHealth(facts));
  return { score, grade, coverage, categories: facts.categories };
}

/** The score is the weighted mean, never capped, so that it stays comparable; the grade is its letter under the limits of the broken rules. */
function gradeHealth({ categories }: HealthFacts, verdicts: Verdicts<HealthCode>) {
  const combined = combine(categories);
  // What our own network keeps from us may be the worst of it: the mean of the rest would be better than the truth.
  const score = categories.some(isUnseenFromHere) ? null : combined.score;
  const gradeBeforeCaps = gradeOf(score, isWarned(categories, codesBroken(verdicts)));
  const caps = judgeCaps(verdicts);
  const limits = caps.map(({ limit }) => limit);
  return { ...combined, score, grade: limitGrade(gradeBeforeCaps, limits), gradeBeforeCaps, caps };
}

function isUnseenFromHere({ state, reason }: Category): boolean {
  return state === 'unavailable' && isOfVantage(reason);
}

/** What the places of its sources could not do. */
function missingOf(evidence: HealthEvidence): readonly string[] {
  return sourcesOf(evidence).flatMap((source) =>
    'report' in source ? (source.report.vantage?.missing ?? []) : [],
  );
}

function sourcesOf({ dns, ssl, headers, performance, smtp, redirects }: HealthEvidence): readonly Source[] {
  return [dns, ssl, headers, performance, ...(smtp ? [smtp] : []), ...redirects.map(({ part }) => part)];
}

function lastSeenAt(evidence: HealthEvidence): number {
  return Math.max(
    0,
    ...sourcesOf(evidence).map((source) => ('report' in source ? Date.parse(source.report.checkedAt) : 0)),
  );
}
