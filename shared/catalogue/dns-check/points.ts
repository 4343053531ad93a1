import { bogusCap, bogusCodes, criticalCap, type DnsCheckCode, rules } from './rules.ts';

type Effects = { readonly [code: string]: number };

/** The most that a score can be with these rules broken. */
export function capOf(broken: readonly string[]): number {
  if (broken.some((code) => bogusCodes.includes(code))) return bogusCap;
  return broken.some(isCritical) ? criticalCap : 100;
}

/** A score under the cap of what is broken. What the cap takes beyond the points is taken by the first critical finding, the bogus ones before others. */
export function capScore(
  score: number,
  broken: readonly string[],
  effects: Effects,
): { readonly score: number; readonly effects: Effects } {
  const cap = capOf(broken);
  if (score <= cap) return { score, effects };
  const code = broken.find((one) => bogusCodes.includes(one)) ?? broken.find(isCritical) ?? '';
  const taken = (effects[code] ?? 0) - (score - cap);
  return { score: cap, effects: { ...effects, [code]: Math.round(taken * 10) / 10 } };
}

function isCritical(code: string): boolean {
  return rules[code as DnsCheckCode].severity === 'critical';
}

/** Points that a broken rule takes, by its own measure. */
export type Loss = { readonly code: string; readonly points: number };

/** What each loss really takes of `most` points: its own, or, where all together are more than there is, its share of it. */
export function shareOut(losses: readonly Loss[], most: number): readonly Loss[] {
  const sum = losses.reduce((points, loss) => points + loss.points, 0);
  const share = sum > most ? most / sum : 1;
  return losses.map(({ code, points }) => ({ code, points: points * share }));
}
