import { codesOf, isBroken, type Verdicts } from '../../model/verdict.ts';
import { type Group, groupPoints } from './groups.ts';
import { type HeaderCode, rules } from './rules.ts';

export type GroupScore = {
  readonly points: number;
  readonly lost: number;
  /** The worst finding of the group, which took what is lost; the others of the group take nothing. */
  readonly by?: string;
  readonly state: 'ok' | 'lost' | 'not-applicable' | 'not-tested';
};

export type OwnScore = {
  /** 100 minus what the groups have lost, rounded to a whole number (half a point up), never below 0. The letter is that of this number. */
  readonly score: number;
  /** Code → its effect: the worst finding of each group takes its points, the others none. */
  readonly scoreEffects: { readonly [code: string]: number };
  readonly groups: { readonly [group: string]: GroupScore };
};

const codesByGroup = new Map(
  (Object.keys(groupPoints) as Group[]).map((group) => [
    group,
    codesOf(rules).filter((code) => rules[code].part === group),
  ]),
);

/** Scores by protection: each group loses its worst finding once, however many there are. */
export function scoreGroups(verdicts: Verdicts<HeaderCode>): OwnScore {
  const scoreEffects: Record<string, number> = {};
  const groups: Record<string, GroupScore> = {};
  for (const [group, codes] of codesByGroup) {
    const broken = codes.filter((code) => isBroken(verdicts[code]));
    for (const code of broken) scoreEffects[code] = 0;
    const [worst] = broken.toSorted((one, other) => rules[other].points - rules[one].points);
    const lost = worst ? rules[worst].points : 0;
    if (worst && lost > 0) scoreEffects[worst] = -lost;
    groups[group] = {
      points: groupPoints[group],
      lost,
      ...(worst && lost > 0 ? { by: worst } : {}),
      state: stateOf(
        codes.map((code) => verdicts[code]),
        lost,
      ),
    };
  }
  const lost = Object.values(groups).reduce((sum, group) => sum + group.lost, 0);
  return { score: Math.max(0, Math.round(100 - lost)), scoreEffects, groups };
}

function stateOf(verdicts: readonly Verdicts[string][], lost: number): GroupScore['state'] {
  if (lost > 0) return 'lost';
  if (verdicts.some((verdict) => verdict === 'holds' || isBroken(verdict))) return 'ok';
  return verdicts.every((verdict) => verdict === 'not-applicable') ? 'not-applicable' : 'not-tested';
}
