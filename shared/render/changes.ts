import { z } from 'zod';
import type { ReportDiff } from '../model/diff.ts';

/** Findings of which the same became. */
export type ChangeList = {
  readonly words: string;
  /** What it is shown as: green is for what was looked at and holds. */
  readonly tone: 'pass' | 'high' | 'medium' | 'low' | 'info';
  /** What a terminal puts before each. */
  readonly mark: string;
  readonly items: readonly { readonly code: string; readonly title: string; readonly severity: string }[];
};

/** What became of the findings, list by list, without those that are empty. What only was not seen is in `changeWords`. */
export function changeLists({ findings }: Pick<ReportDiff, 'findings'>): readonly ChangeList[] {
  const { added, newlyTested, fixed, noLongerTested, noLongerApplies, noLongerJudged, changed } = findings;
  const lists: readonly ChangeList[] = [
    { words: 'Fixed', tone: 'pass', mark: '-', items: readable(fixed) },
    { words: 'New', tone: 'high', mark: '+', items: readable(added) },
    { words: 'Found, and not tested before', tone: 'medium', mark: '?', items: readable(newlyTested) },
    { words: 'Not tested this time', tone: 'info', mark: '?', items: readable(noLongerTested) },
    { words: 'No longer applies', tone: 'info', mark: '.', items: readable(noLongerApplies) },
    { words: 'No longer judged', tone: 'info', mark: '.', items: readable(noLongerJudged) },
    { words: 'Different', tone: 'low', mark: '~', items: readable(changed.map(({ after }) => after)) },
  ];
  return lists.filter(({ items }) => items.length > 0);
}

// A service of an earlier release does not tell all of them, and a strange one may tell anything.
function readable(items: unknown): ChangeList['items'] {
  return itemShape.safeParse(items).data ?? [];
}

const itemShape = z.array(z.looseObject({ code: z.string(), title: z.string(), severity: z.string() }));
const toldShape = z.looseObject({ notes: z.array(z.string()), isScoreComparable: z.boolean() });

/** What became of the score, and why it says nothing where that is so; what was not seen; that nothing changed. */
export function changeWords(diff: ReportDiff): string {
  const { notes, isScoreComparable } = toldShape.safeParse(diff).data ?? {
    notes: [],
    isScoreComparable: true,
  };
  const rules = diff.rulesChanged ? ['Our rules have changed since.'] : [];
  const figures = isScoreComparable ? scoreWords(diff) : apartWords(diff);
  const same = changeLists(diff).length === 0 && notes.length === 0 ? ['No finding has changed.'] : [];
  return [figures, ...notes, ...rules, ...same].filter((words) => words !== '').join(' ');
}

function scoreWords({ scoreDelta, from, to }: ReportDiff): string {
  if (scoreDelta === null) return 'One of the two checks has no score.';
  if (scoreDelta === 0) return `The score is the same, ${String(to.score)}.`;
  const way = scoreDelta > 0 ? 'better' : 'worse';
  return `The score is ${way}: ${String(from.score)} before, ${String(to.score)} now.`;
}

function apartWords({ from, to }: ReportDiff): string {
  if (from.score === null || to.score === null) return '';
  return `The scores, ${from.score} and ${to.score}, cannot be compared.`;
}
