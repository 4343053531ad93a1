import { categoryNameOf } from '../catalogue/domain-health/category-words.ts';
import { enumerate } from '../health/facts/source.ts';
import type { Finding } from '../model/finding.ts';
import type { Grade } from '../model/score.ts';
import type { PartProgress } from '../ports/job-queue.ts';

/** A part of a run, with what is known of it once it is judged. */
export type PartSoFar = PartProgress & {
  readonly grade?: Grade | null;
  readonly score?: number | null;
  /** Absent where reports have no ids, and for callers who may not read them. */
  readonly reportId?: string;
  readonly worst?: Pick<Finding, 'code' | 'severity' | 'title' | 'fix'>;
};

/** The whole by the parts that are judged. */
export type SoFar = { readonly score: number; readonly grade: Grade; readonly coverage: number };

/** What is known of a run while it goes on. */
export type KnownSoFar = {
  readonly parts?: readonly PartSoFar[];
  /** Left out below half of what was asked for. */
  readonly soFar?: SoFar;
};

/** "B so far, speed is being measured"; "" where no part is told of. */
export function soFarText({
  parts = [],
  soFar,
}: {
  readonly parts?: readonly PartProgress[];
  readonly soFar?: SoFar;
}): string {
  const open = parts.filter(({ state }) => state === 'waiting' || state === 'running');
  const what = openText(open.map(({ name }) => name));
  return [...(soFar ? [`${soFar.grade} so far`] : []), ...(what === '' ? [] : [what])].join(', ');
}

function openText(names: readonly string[]): string {
  if (names.length === 0) return '';
  if (names.length === 1 && names[0] === 'performance') return 'speed is being measured';
  return `${enumerate(names.map(categoryNameOf))} ${names.length === 1 ? 'is' : 'are'} being checked`;
}
