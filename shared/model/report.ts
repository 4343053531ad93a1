import { z } from 'zod';
import { cutReport, reportLimitBytes } from './cut-report.ts';
import { type Finding, findingSchema, listVerdicts, notTestedSchema } from './finding.ts';
import { type Grade, gradeNames, gradeOf, score } from './score.ts';
import { freshForWithGapsS, fullVantage, orderKinds, type Vantage, vantageSchema } from './vantage.ts';
import { type Rule, type Rules, severities, type Verdicts } from './verdict.ts';

/** Raised when the shape of the envelope changes. `shared/stores/reports` upgrades stored reports when it reads them. */
export const schemaVersion = 1;

export const reportStates = ['complete', 'partial', 'unreachable', 'failed'] as const;
export type ReportState = (typeof reportStates)[number];

const count = z.int().min(0);

/** The fields that every check's report has. A check adds its own beside these. */
export const envelopeShape = {
  schemaVersion: z.int(),
  reportId: z
    .string()
    .optional()
    .meta({ description: 'Absent where the operator has switched report ids off.' }),
  check: z.string(),
  state: z.enum(reportStates),
  checkedAt: z.iso.datetime(),
  freshUntil: z.iso.datetime().meta({ description: 'Until then an equal GET is answered from this report.' }),
  expiresAt: z.iso.datetime().meta({ description: 'When the stored report is deleted.' }),
  durationMs: z.int().min(0),
  score: z
    .number()
    .min(0)
    .max(100)
    .nullable()
    .meta({ description: 'null when it could not be computed; never 0 for "could not look".' }),
  grade: z.enum(gradeNames).nullable(),
  rulesVersion: z.int(),
  summary: z.object({
    ...(Object.fromEntries(severities.map((severity) => [severity, count])) as Record<
      (typeof severities)[number],
      typeof count
    >),
    passed: count,
    notTested: count,
  }),
  findings: z.array(findingSchema),
  passed: z.array(z.string()).meta({ description: 'Codes of the rules that were looked at and hold.' }),
  notTested: z.array(notTestedSchema),
  vantage: vantageSchema
    .optional()
    .meta({ description: 'From where it was looked. Absent in reports of earlier versions.' }),
  budgetSpent: z
    .array(z.object({ what: z.string(), of: z.string(), limit: z.int().nullable() }))
    .optional()
    .meta({
      description:
        'What was not asked because this run, or all runs together (`limit` is null), had asked that host enough.',
    }),
  truncated: z
    .array(z.object({ field: z.string(), kept: z.int(), of: z.int() }))
    .optional()
    .meta({
      description:
        'Lists and texts that were cut to keep the report below 512 KiB: their field, and how many items or characters were kept of how many. Absent where the report is whole.',
    }),
};

/** A report of any check. The schema covers the envelope and accepts a check's own fields as they are. */
export const reportSchema = z.looseObject({ ...envelopeShape, target: z.record(z.string(), z.unknown()) });
export type Report = z.infer<typeof reportSchema>;

/** The fields that a check adds to its report. */
export type ReportFields = { readonly [name: string]: unknown };

/** What judgement gives: a verdict for every rule of the check, and the check's own fields. */
export type Assessment<Code extends string = string, Fields extends ReportFields = ReportFields> = {
  readonly state: Exclude<ReportState, 'failed'>;
  readonly verdicts: Verdicts<Code>;
  readonly fields: Fields;
  /** Set where the score is not 100 minus the points; null if it could not be computed. */
  readonly score?: number | null;
  /** Set where the grade does not follow from the score. */
  readonly grade?: Grade | null;
  /** What the places of the reports that it was made of could not do, beside its own. */
  readonly missing?: readonly string[];
  /** Set where a finding changes the score by something else than its rule's points: code → 0 or below. */
  readonly scoreEffects?: { readonly [code: string]: number };
};

export type ReportFacts = {
  readonly check: string;
  readonly target: { readonly [key: string]: unknown };
  readonly rules: Rules;
  readonly rulesVersion: number;
  /** Undefined if the operator has switched ids off. */
  readonly reportId: string | undefined;
  readonly checkedAtMs: number;
  readonly durationMs: number;
  readonly freshForS: number;
  readonly keepForS: number;
  /** Left out: nothing was missing, and the place has no name. */
  readonly vantage?: Vantage;
};

/** Makes the report of an assessment, and cuts one that is too long. Pure: the time comes from `facts`. */
export function makeReport(facts: ReportFacts, assessment: Assessment): Report {
  const { findings, passed, notTested } = listVerdicts(facts.rules, assessment.verdicts);
  for (const finding of findings)
    finding.scoreEffect = assessment.scoreEffects?.[finding.code] ?? finding.scoreEffect;
  const points = scoreOf(facts.rules, assessment);
  const vantage = addMissing(facts.vantage, assessment.missing);
  const report: Report = {
    schemaVersion,
    ...(facts.reportId === undefined ? {} : { reportId: facts.reportId }),
    check: facts.check,
    target: facts.target,
    state: assessment.state,
    ...reportTimes({ ...facts, vantage }),
    score: points,
    grade:
      assessment.grade === undefined
        ? gradeOf(
            points,
            findings.some(({ severity }) => severity !== 'info'),
          )
        : assessment.grade,
    rulesVersion: facts.rulesVersion,
    summary: { ...countSeverities(findings), passed: passed.length, notTested: notTested.length },
    findings,
    passed,
    notTested,
    vantage,
    ...assessment.fields,
  };
  return cutReport(report, reportLimitBytes);
}

/** The only finding of a failed report. No check has it in its table. */
export const checkFailed = {
  code: 'check-failed',
  severity: 'info',
  points: 0,
  title: 'The check did not finish',
  detail: '{reason}',
  fix: 'Nothing is known to be wrong with the target. Ask again after freshUntil. If it fails again, tell the operator.',
  references: [],
} as const satisfies Rule & { readonly code: string };

/**
 * Makes the report of a run that failed through us: it lost its worker twice, or reached its run limit.
 * @param reason a sentence for the caller, e.g. "The run hit its limit of 20 s."
 */
export function makeFailedReport(facts: ReportFacts, reason: string): Report {
  const finding: Finding = {
    code: checkFailed.code,
    severity: checkFailed.severity,
    title: checkFailed.title,
    detail: reason,
    scoreEffect: 0,
    evidence: [],
    fix: { text: checkFailed.fix },
    references: [],
  };
  const notTested = Object.keys(facts.rules).map((code) => ({
    code,
    reason: 'the check could not be finished',
  }));
  return {
    schemaVersion,
    ...(facts.reportId === undefined ? {} : { reportId: facts.reportId }),
    check: facts.check,
    target: facts.target,
    state: 'failed',
    ...reportTimes(facts),
    score: null,
    grade: null,
    rulesVersion: facts.rulesVersion,
    summary: { ...countSeverities([finding]), passed: 0, notTested: notTested.length },
    findings: [finding],
    passed: [],
    notTested,
    vantage: facts.vantage ?? fullVantage,
  };
}

function scoreOf(rules: Rules, { score: own, state, verdicts }: Assessment): number | null {
  if (own !== undefined) return own;
  return state === 'unreachable' ? null : score(rules, verdicts);
}

function addMissing({ id, missing, untried }: Vantage = fullVantage, more: readonly string[] = []): Vantage {
  return { id, missing: [...orderKinds([...missing, ...more])], ...(untried ? { untried } : {}) };
}

function reportTimes({
  checkedAtMs,
  durationMs,
  freshForS: usualS,
  keepForS,
  vantage = fullVantage,
}: ReportFacts) {
  const freshForS = vantage.missing.length > 0 ? Math.min(usualS, freshForWithGapsS) : usualS;
  const at = (ms: number) => new Date(ms).toISOString();
  return {
    checkedAt: at(checkedAtMs),
    freshUntil: at(checkedAtMs + freshForS * 1000),
    expiresAt: at(checkedAtMs + keepForS * 1000),
    durationMs: Math.round(durationMs),
  };
}

function countSeverities(findings: readonly Finding[]): Record<(typeof severities)[number], number> {
  const counts = { critical: 0, high: 0, medium: 0, low: 0, info: 0 };
  for (const { severity } of findings) counts[severity] += 1;
  return counts;
}
