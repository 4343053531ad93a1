import { codesOf, isBroken, notTested, type Verdict, type Verdicts } from '#shared/model/verdict';

/** What was found at another address of the name. Rules that it says nothing about are left out. */
export type VerdictsAt<Code extends string> = {
  readonly address: string;
  readonly verdicts: { readonly [C in Code]?: Verdict };
};

/**
 * The verdicts on a name: a rule that is broken at any address is broken, since some client gets there.
 * What only another address breaks carries that address; what could not be tested there does not hold for the name.
 */
export function joinEndpoints<Code extends string>(
  first: Verdicts<Code>,
  others: readonly VerdictsAt<Code>[],
): Verdicts<Code> {
  const join = (code: Code): Verdict =>
    others.reduce((sum, { address, verdicts }) => joinTwo(sum, verdicts[code], address), first[code]);
  return Object.fromEntries(codesOf(first).map((code) => [code, join(code)])) as Verdicts<Code>;
}

function joinTwo(one: Verdict, other: Verdict | undefined, address: string): Verdict {
  if (other === undefined || isBroken(one)) return one;
  if (isBroken(other)) return { ...other, broken: other.broken.map((each) => ({ ...each, address })) };
  if (typeof other === 'object')
    return typeof one === 'object' ? one : notTested(`at ${address}: ${other.notTested}`);
  return one === 'not-applicable' ? other : one;
}
