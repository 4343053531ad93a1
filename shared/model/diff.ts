import { z } from 'zod';
import type { Finding } from './finding.ts';
import type { Report } from './report.ts';
import { gradeNames } from './score.ts';
import { severities } from './verdict.ts';

const side = z.looseObject({
  reportId: z.string().optional(),
  checkedAt: z.string(),
  state: z.string(),
  score: z.number().nullable(),
  grade: z.enum(gradeNames).nullable(),
  rulesVersion: z.int(),
});
const found = z.looseObject({
  code: z.string(),
  severity: z.enum(severities),
  title: z.string(),
  scoreEffect: z.number(),
});

/** What changed between two reports of one check and target. */
export const diffSchema = z
  .looseObject({
    check: z.string(),
    target: z.record(z.string(), z.unknown()),
    from: side,
    to: side,
    rulesChanged: z.boolean().meta({
      description: 'The two were judged by different rules: a difference may be ours, not the target’s.',
    }),
    scoreDelta: z.number().nullable().meta({ description: 'null when one of them has no score.' }),
    findings: z.object({
      added: z.array(found).meta({ description: 'In the second, and looked at in the first without it.' }),
      newlyTested: z
        .array(found)
        .meta({ description: 'In the second; the first could not look, or had no such rule.' }),
      fixed: z.array(found).meta({ description: 'In the first; the second looked, and it is mended.' }),
      noLongerTested: z.array(found).meta({ description: 'In the first; the second could not look.' }),
      changed: z
        .array(z.looseObject({ code: z.string(), before: found, after: found }))
        .meta({ description: 'In both, with another severity, effect or evidence.' }),
      unchanged: z.int(),
    }),
  })
  .meta({ id: 'ReportDiff' });
export type ReportDiff = z.infer<typeof diffSchema>;

/** Compares two reports of one check and target. Pure. What the second could not look at is not called fixed. */
export function diffReports(from: Report, to: Report): ReportDiff {
  const before = byCode(from);
  const after = byCode(to);
  const both = from.findings.filter(({ code }) => after.has(code)).map(({ code }) => code);
  const changed = both.flatMap((code) => {
    const [first, second] = [before.get(code), after.get(code)];
    return first && second && JSON.stringify(first) !== JSON.stringify(second)
      ? [{ code, before: brief(first), after: brief(second) }]
      : [];
  });
  const appeared = to.findings.filter(({ code }) => !before.has(code));
  const gone = from.findings.filter(({ code }) => !after.has(code));
  const wasLookedAt = (report: Report) => {
    const blind = new Set(report.notTested.map(({ code }) => code));
    return ({ code }: Finding) => report.state !== 'failed' && !blind.has(code);
  };
  const wasKnown = ({ code }: Finding) => from.rulesVersion === to.rulesVersion || from.passed.includes(code);
  const isAdded = (finding: Finding) => wasLookedAt(from)(finding) && wasKnown(finding);
  return {
    check: to.check,
    target: to.target,
    from: sideOf(from),
    to: sideOf(to),
    rulesChanged: from.rulesVersion !== to.rulesVersion,
    scoreDelta: from.score === null || to.score === null ? null : round(to.score - from.score),
    findings: {
      added: appeared.filter(isAdded).map(brief),
      newlyTested: appeared.filter((finding) => !isAdded(finding)).map(brief),
      fixed: gone.filter(wasLookedAt(to)).map(brief),
      noLongerTested: gone.filter((finding) => !wasLookedAt(to)(finding)).map(brief),
      changed,
      unchanged: both.length - changed.length,
    },
  };
}

function byCode({ findings }: Report): ReadonlyMap<string, Finding> {
  return new Map(findings.map((finding) => [finding.code, finding]));
}

function brief({ code, severity, title, scoreEffect }: Finding) {
  return { code, severity, title, scoreEffect };
}

function sideOf({ reportId, checkedAt, state, score, grade, rulesVersion }: Report): ReportDiff['from'] {
  return { ...(reportId === undefined ? {} : { reportId }), checkedAt, state, score, grade, rulesVersion };
}

function round(number: number): number {
  return Math.round(number * 10) / 10;
}
