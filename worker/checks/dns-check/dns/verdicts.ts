import { codesOf, type Verdict, type Verdicts } from '../../../../shared/model/verdict.ts';

/** The same verdict for every rule of a table. */
export function forAll<Code extends string>(
  rules: { readonly [C in Code]: unknown },
  verdict: Verdict,
): Verdicts<Code> {
  return Object.fromEntries(codesOf(rules).map((code) => [code, verdict])) as Verdicts<Code>;
}
