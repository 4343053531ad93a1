import type { Rule, Severity } from '../../model/verdict.ts';

/** What a page is protected from, and how many points of 100 each protection is worth; groups of 0 only inform. */
export const groupPoints = {
  transport: 25,
  'script-injection': 20,
  cors: 20,
  cookies: 15,
  framing: 10,
  subresources: 10,
  sniffing: 5,
  referrer: 5,
  permissions: 5,
  isolation: 5,
  leakage: 5,
  hygiene: 0,
  'site-files': 0,
  target: 0,
} as const satisfies Record<string, number>;

export type Group = keyof typeof groupPoints;

/** How much of its group a broken rule takes; docs/scoring.md says how this was calibrated. */
export const severityShare = {
  critical: 1,
  high: 0.75,
  medium: 0.5,
  low: 0.1,
  info: 0,
} as const satisfies Record<Severity, number>;

/**
 * The fewest and most points of each severity, whatever the group: severity and points tell the same order everywhere. Groups of 0 points
 * stay out of it, as they only inform.
 */
export const pointsBySeverity = {
  critical: [18.75, 25],
  high: [7.5, 18.75],
  medium: [2.5, 7.5],
  low: [0.5, 2.5],
  info: [0, 0],
} as const satisfies Record<Severity, readonly [fewest: number, most: number]>;

type GroupedRule = Omit<Rule, 'part' | 'points'> & {
  /** The share of its group that the rule takes where it is less than what its severity takes. */
  readonly share?: number;
};

/** Each keeps its severity in its type: the compiler asks for a reason (`why.ts`) by it. */
type RulesOf<Table extends { readonly [code: string]: GroupedRule }> = {
  readonly [Code in keyof Table & string]: Rule & Pick<Table[Code], 'severity'>;
};

/** The rules of one group, with their part and points filled in: a share of the group's points, by severity unless the rule names its own, within the bounds of the severity. */
export function inGroup<const Table extends { readonly [code: string]: GroupedRule }>(
  group: Group,
  table: Table,
): RulesOf<Table> {
  const rules = Object.entries<GroupedRule>(table).map(([code, { share, ...rule }]) => [
    code,
    { ...rule, part: group, points: pointsOf(group, rule.severity, share) },
  ]);
  return Object.fromEntries(rules) as RulesOf<Table>;
}

function pointsOf(group: Group, severity: Severity, share: number = severityShare[severity]): number {
  const [fewest, most] = groupPoints[group] === 0 ? [0, 0] : pointsBySeverity[severity];
  return Math.min(most, Math.max(fewest, groupPoints[group] * share));
}
