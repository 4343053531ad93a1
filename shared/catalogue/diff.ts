import { z } from 'zod';
import { type changedFindingSchema, differing, fates, type ReportDiff } from '../model/diff.ts';
import { type Finding, findingSchema } from '../model/finding.ts';
import type { Report } from '../model/report.ts';
import { areFiguresAlike, changesBetween, isOfLooking } from './change.ts';
import { haveOtherParts, notesBetween, partsOfReport, sawTheSame } from './health-parts.ts';

/** Compares two reports of one check and target: what of the target changed, and what only was not seen. Pure. */
export function diffReports(from: Report, to: Report): ReportDiff {
  const [before, after] = [partsOfReport(from), partsOfReport(to)];
  const areOurs = haveOtherParts(before, after);
  const { both, ...changes } = changesBetween(from, to, areOurs);
  const changed = both.flatMap(([first, second]) => {
    // Of another name it is another rule's text.
    const isSame = isOfLooking(second.code) || first.code !== second.code;
    return (isSame ? undefined : findChange(first, second)) ?? [];
  });
  const rechecked = fixedByRecheck(from, to);
  const lists = Object.entries({ ...changes, fixed: [...changes.fixed, ...rechecked] }).map(
    ([name, found]) => [name, found.map(brief)] as const,
  );
  const notes = notesBetween(before, after);
  return {
    check: to.check,
    target: to.target,
    from: sideOf(from),
    to: sideOf(to),
    rulesChanged: areOurs || from.rulesVersion !== to.rulesVersion,
    scoreDelta: from.score === null || to.score === null ? null : round(to.score - from.score),
    isScoreComparable: !areOurs && sawTheSame(before, after) && areFiguresAlike(from, to),
    notes: notes.length > 0 ? [...notes] : changes.notSeen.map(({ title }) => `${title}.`),
    findings: {
      ...(Object.fromEntries(lists) as Omit<ReportDiff['findings'], 'changed' | 'unchanged'>),
      changed,
      unchanged: both.length - changed.length,
    },
  };
}

const recheckShape = z.looseObject({
  recheck: z.looseObject({ check: z.string(), code: z.string(), state: z.enum(fates) }),
});
const partsShape = z.looseObject({ partFindings: z.array(findingSchema.extend({ check: z.string() })) });

/** Of a domain-health that was judged again because one check was made again: what that check does not find any more. */
function fixedByRecheck(from: Report, to: Report): readonly Finding[] {
  const { recheck } = recheckShape.safeParse(to).data ?? {};
  if (recheck?.state !== 'fixed') return [];
  const { partFindings = [] } = partsShape.safeParse(from).data ?? {};
  return partFindings
    .filter(({ check, code }) => check === recheck.check && code === recheck.code)
    .slice(0, 1);
}

type Change = z.infer<typeof changedFindingSchema>;

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

function sideOf({ reportId, checkedAt, state, score, grade, rulesVersion }: Report): ReportDiff['from'] {
  return { ...(reportId === undefined ? {} : { reportId }), checkedAt, state, score, grade, rulesVersion };
}

function round(number: number): number {
  return Math.round(number * 10) / 10;
}
