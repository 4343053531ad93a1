import type { Rules } from './verdict.ts';

/** Why each broken rule matters: two plain sentences that say what can happen and to whom. Rules of severity "info" have none. */
export type Whys = { readonly [code: string]: string };

type CodeAboveInfo<Table extends Rules> = {
  [Code in keyof Table & string]: Table[Code]['severity'] extends 'info' ? never : Code;
}[keyof Table & string];

type Families<Code extends string = string> = { readonly [why: string]: readonly Code[] };

type Listed<Known extends Families> = Known[keyof Known][number];

type ListedTwice<Known extends Families> = {
  [Why in keyof Known]: Known[Why][number] & Listed<Omit<Known, Why>>;
}[keyof Known];

type Missing<Table extends Rules, Known extends Families> = Exclude<CodeAboveInfo<Table>, Listed<Known>>;

// Reads as an error of the compiler where a rule is left out or listed under two texts.
type Complete<Table extends Rules, Known extends Families> = [Missing<Table, Known>] extends [never]
  ? [ListedTwice<Known>] extends [never]
    ? unknown
    : { readonly listedTwice: ListedTwice<Known> }
  : { readonly missing: Missing<Table, Known> };

/**
 * The texts of a check's rules by code, in the order of the rules. The compiler refuses a rule above "info" without a text, one with two texts,
 * and a code that is no such rule.
 * @param families the text, then the codes of all rules for which it is exactly true
 */
export function whysOf<Table extends Rules, const Known extends Families<CodeAboveInfo<Table>>>(
  rules: Table,
  families: Known & Complete<Table, Known>,
): Whys {
  const texts = new Map(
    Object.entries<readonly string[]>(families).flatMap(([why, codes]) =>
      codes.map((code) => [code, why] as const),
    ),
  );
  const codes = Object.keys(rules);
  return Object.fromEntries(
    codes.flatMap((code) => {
      const why = texts.get(code);
      return why === undefined ? [] : [[code, why]];
    }),
  );
}
