import { bogusCap, bogusCodes, criticalCap } from '#shared/catalogue/dns-check/caps';
import { type DnsCheckCode, rules } from '#shared/catalogue/dns-check/rules';

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
