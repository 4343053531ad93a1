import type { Reference, Rule, Severity } from '../../../model/verdict.ts';
import type { CategoryName } from '../categories.ts';

/** A rule that one of Lighthouse's audits decides. */
export type AuditRule<Level extends Severity = Severity> = {
  /** Lighthouse's id of the audit. */
  readonly audit: string;
  /** The categories whose score it is part of; the first one is the rule's part. */
  readonly categories: readonly [CategoryName, ...CategoryName[]];
  readonly severity: Level;
  readonly title: string;
  /** What it means, as a sentence behind the places that were found. */
  readonly meaning: string;
  readonly fix: string;
  readonly references: readonly Reference[];
};

/** What a rule says to people. */
export type AuditText = Pick<AuditRule, 'title' | 'meaning' | 'fix'>;

/** Each keeps its severity in its type: the compiler asks for a reason (`why.ts`) by it. */
type RulesOf<Table extends { readonly [code: string]: AuditRule }> = {
  readonly [Code in keyof Table & string]: Rule & Pick<Table[Code], 'severity'>;
};

/** The rules of a table of audits. They take no points: the score of the report is that of performance. */
export function rulesOfAudits<const Table extends { readonly [code: string]: AuditRule }>(
  table: Table,
): RulesOf<Table> {
  const rules = Object.entries<AuditRule>(table).map(([code, told]): [string, Rule] => {
    const { categories, severity, title, meaning, fix, references } = told;
    return [
      code,
      { part: categories[0], severity, points: 0, title, detail: `{found} ${meaning}`, fix, references },
    ];
  });
  return Object.fromEntries(rules) as RulesOf<Table>;
}
