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

const differing = ['severity', 'title', 'scoreEffect', 'detail', 'fix', 'evidence'] as const;
const pieces = z.array(z.record(z.string(), z.unknown()));
const changedFinding = z.looseObject({
  code: z.string(),
  differs: z.array(z.enum(differing)).meta({ description: 'What of the finding is another.' }),
  before: found,
  after: found,
  evidence: z
    .object({ added: pieces, gone: pieces, addedCount: z.int(), goneCount: z.int() })
    .optional()
    .meta({
      description: 'Where the evidence differs: the first ten pieces of each, and how many there are.',
    }),
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
      fixed: z
        .array(found)
        .meta({ description: 'In the first; the second report tested it, and it is fixed.' }),
      noLongerTested: z.array(found).meta({ description: 'In the first; the second could not look.' }),
      changed: z
        .array(changedFinding)
        .meta({ description: 'In both, with another severity, effect, text or evidence.' }),
      unchanged: z.int(),
    }),
  })
  .meta({ id: 'ReportDiff' });
export type ReportDiff = z.infer<typeof diffSchema>;

/** The fields of a report that are compared. */
export type DiffSide = Pick<
  Report,
  | 'reportId'
  | 'check'
  | 'target'
  | 'state'
  | 'checkedAt'
  | 'score'
  | 'grade'
  | 'rulesVersion'
  | 'findings'
  | 'passed'
  | 'notTested'
>;

/** Compares two reports of one check and target. Pure. A rule that the second report could not test does not count as fixed. */
export function diffReports(from: DiffSide, to: DiffSide): ReportDiff {
  const before = byCode(from);
  const after = byCode(to);
  const both = from.findings.filter(({ code }) => after.has(code)).map(({ code }) => code);
  const changed = both.flatMap((code) => {
    const [first, second] = [before.get(code), after.get(code)];
    const change = first && second && findChange(first, second);
    return change ? [change] : [];
  });
  const appeared = to.findings.filter(({ code }) => !before.has(code));
  const gone = from.findings.filter(({ code }) => !after.has(code));
  const wasLookedAt = (report: DiffSide) => {
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

function byCode({ findings }: Pick<Report, 'findings'>): ReadonlyMap<string, Finding> {
  return new Map(findings.map((finding) => [finding.code, finding]));
}

type Change = z.infer<typeof changedFinding>;

/**
 * What changed in a finding; undefined if only the order of its evidence did. Detail and fix are not compared, since they are filled from
 * the first piece of evidence.
 */
function findChange(before: Finding, after: Finding): Change | undefined {
  const isSameOrder = canonical(before.evidence) === canonical(after.evidence);
  const evidence = compareEvidence(before.evidence, after.evidence);
  const differs = differing.filter((field) => {
    if (field === 'evidence') return evidence !== undefined;
    if ((field === 'detail' || field === 'fix') && !isSameOrder) return false;
    return canonical(before[field]) !== canonical(after[field]);
  });
  if (differs.length === 0) return undefined;
  const shown = (finding: Finding) => ({
    ...brief(finding),
    ...(before.detail === after.detail ? {} : { detail: finding.detail }),
    ...(differs.includes('fix') ? { fix: finding.fix } : {}),
  });
  return {
    code: before.code,
    differs,
    before: shown(before),
    after: shown(after),
    ...(evidence === undefined ? {} : { evidence }),
  };
}

const shownPieces = 10;

function compareEvidence(before: Finding['evidence'], after: Finding['evidence']): Change['evidence'] {
  const added = without(after, before);
  const gone = without(before, after);
  if (added.length + gone.length === 0) return undefined;
  return {
    added: added.slice(0, shownPieces),
    gone: gone.slice(0, shownPieces),
    addedCount: added.length,
    goneCount: gone.length,
  };
}

/** The pieces of the first list that the second lacks. A piece that is in the first list twice needs two in the second. */
function without(list: Finding['evidence'], other: Finding['evidence']): Finding['evidence'] {
  const left = new Map<string, number>();
  for (const piece of other) left.set(canonical(piece), (left.get(canonical(piece)) ?? 0) + 1);
  return list.filter((piece) => {
    const count = left.get(canonical(piece)) ?? 0;
    left.set(canonical(piece), count - 1);
    return count <= 0;
  });
}

/** JSON with the keys of every object in order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

function brief({ code, severity, title, scoreEffect }: Finding) {
  return { code, severity, title, scoreEffect };
}

function sideOf({ reportId, checkedAt, state, score, grade, rulesVersion }: DiffSide): ReportDiff['from'] {
  return { ...(reportId === undefined ? {} : { reportId }), checkedAt, state, score, grade, rulesVersion };
}

function round(number: number): number {
  return Math.round(number * 10) / 10;
}
