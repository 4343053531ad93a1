import { codesBroken, type Verdicts } from '../../../model/verdict.ts';
import type { PartState } from '../part-state.ts';
import { capScore, shareOut } from '../points.ts';
import { type MailCode, type MailPart, mailRules, mailWeights } from './rules.ts';

/** How one part came to its points. */
export type PartScore = {
  readonly part: MailPart;
  readonly weight: number;
  readonly state: PartState;
  /** 0 to weight; null when the part does not count. */
  readonly score: number | null;
  readonly lost: readonly { readonly code: string; readonly points: number }[];
};

/**
 * The points of each part: its weight less those of its broken rules, never below 0. A part that could not be seen, or does not apply,
 * has none and leaves the sum.
 */
export function scoreParts(
  verdicts: Verdicts<MailCode>,
  states: { readonly [P in MailPart]: PartState },
): PartScore[] {
  const broken = codesBroken(verdicts);
  return mailWeights.map(({ part, weight, rules }) => {
    const state = states[part];
    const own: readonly string[] = rules;
    const lost = broken
      .filter((code) => own.includes(mailRules[code].part) && mailRules[code].points > 0)
      .map((code) => ({ code, points: mailRules[code].points }));
    // A part that was not seen costs nothing, but for what was seen to be wrong with it.
    const counts = state === 'unknown' ? lost.length > 0 : state !== 'not-applicable';
    const kept = Math.max(0, weight - lost.reduce((sum, { points }) => sum + points, 0));
    return { part, weight, state, score: counts ? round(kept) : null, lost: counts ? lost : [] };
  });
}

/** 0 to 100: what the parts kept, as a share of their weights; null where no part counts. */
function sumParts(parts: readonly PartScore[]): number | null {
  const counted = parts.filter(({ score }) => score !== null);
  const weight = counted.reduce((sum, part) => sum + part.weight, 0);
  const kept = counted.reduce((sum, part) => sum + (part.score ?? 0), 0);
  return weight === 0 ? null : Math.round((100 * kept) / weight);
}

// What is over when a part is down to 0 takes nothing.
function effectsOf(verdicts: Verdicts<MailCode>, parts: readonly PartScore[]): { [code: string]: number } {
  const weight = parts.reduce((sum, part) => sum + (part.score === null ? 0 : part.weight), 0);
  const effects = new Map<string, number>(codesBroken(verdicts).map((code) => [code, 0]));
  for (const { lost, weight: most } of parts)
    for (const { code, points } of shareOut(lost, most)) effects.set(code, -round((points * 100) / weight));
  return Object.fromEntries(effects);
}

/** The score of mail, under the cap of what is broken, and what each broken rule took from it. */
export function scoreMail(
  verdicts: Verdicts<MailCode>,
  parts: readonly PartScore[],
): { readonly score: number | null; readonly effects: { readonly [code: string]: number } } {
  const score = sumParts(parts);
  const effects = effectsOf(verdicts, parts);
  return score === null ? { score, effects } : capScore(score, codesBroken(verdicts), effects);
}

function round(points: number): number {
  return Math.round(points * 100) / 100;
}
