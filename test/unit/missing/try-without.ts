import { findingNow, type Verdicted } from '#shared/catalogue/change';
import { findSpec } from '#shared/catalogue/registry';
import { listVerdicts } from '#shared/model/finding';
import { codesBroken, type Verdicts } from '#shared/model/verdict';
import type { Sight } from './lost.ts';

export type Judge = (evidence: never) => { readonly verdicts: Verdicts; readonly state: Verdicted['state'] };

export type Tried = {
  readonly rules: number;
  /** Of so many broken rules beside something that was not seen. */
  readonly pairs: number;
  /** What became of them that cannot be known. */
  readonly untrue: readonly string[];
};

/**
 * What becomes of each broken rule with each source of its evidence missing in turn: it is found or not tested, and never passed, gone or fixed.
 * @param rows in so many domains or pages each rule is tried
 */
export function tryWithout(
  check: string,
  judge: Judge,
  sights: readonly Sight<unknown>[],
  rows: number,
): Tried {
  const tried = new Map<string, number>();
  const untrue: string[] = [];
  let pairs = 0;
  for (const { name, evidence, lost } of sights) {
    const seen = judge(evidence as never);
    const before = reportOf(check, seen);
    const broken = openRules(codesBroken(seen.verdicts), tried, rows);
    for (const [what, without] of broken.length === 0 ? [] : lost()) {
      const after = reportOf(check, judge(without as never));
      const states = broken.map((code) => [code, findingNow(after, code, before).state] as const);
      const wrong = states.filter(([, state]) => state !== 'found' && state !== 'not-tested');
      untrue.push(...wrong.map(([code, state]) => `${code} is ${state} (${name}) without ${what}`));
      pairs += states.length;
    }
  }
  console.log(`${check}: ${tried.size} rules, ${pairs} with something missing`);
  return { rules: tried.size, pairs, untrue };
}

function reportOf(check: string, { verdicts, state }: ReturnType<Judge>): Verdicted {
  const { rules = {}, rulesVersion = 0 } = findSpec(check) ?? {};
  return { check, state, rulesVersion, ...listVerdicts(rules, verdicts) };
}

/** Of the rules that a row breaks, those that have been tried in fewer rows than wanted. */
function openRules(codes: readonly string[], tried: Map<string, number>, rows: number): readonly string[] {
  const open = codes.filter((code) => (tried.get(code) ?? 0) < rows);
  for (const code of open) tried.set(code, (tried.get(code) ?? 0) + 1);
  return open;
}
