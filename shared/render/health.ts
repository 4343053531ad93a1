import { z } from 'zod';
import { categoryNameOf, categoryWords } from '../catalogue/domain-health/category-words.ts';
import {
  costOf,
  type FixGroup,
  groupByFix,
  type DomainFinding,
} from '../catalogue/domain-health/fix-groups.ts';
import { domainHealthReportShape } from '../catalogue/domain-health/report.ts';
import { type CategoryName, categoryNames } from '../catalogue/domain-health/weights.ts';
import { countOf } from '../model/counts.ts';
import { type Finding, findingSchema } from '../model/finding.ts';
import type { Report } from '../model/report.ts';
import { isMissing } from './report-words.ts';

/** A finding of a part of domain-health, or one of its own. */
export type ToldFinding = DomainFinding & Finding;

/** A fault of a domain: it stands once, in whatever reports it was met. */
export type DomainFixGroup = FixGroup<ToldFinding> & {
  /** Points that it takes from the domain's score, in all parts together: 0 or below. */
  readonly cost: number;
};

/** The faults of one category, of the entry points, or of the domain as a whole; the dearest first. */
export type CategoryFixes = { readonly name: string; readonly faults: readonly DomainFixGroup[] };

const { raise, raisedTo, caps, gradeBeforeCaps } = domainHealthReportShape;
const adviceShape = z.looseObject({ raise: raise.unwrap(), raisedTo: raisedTo.unwrap() });
const capShape = z.looseObject({ caps, gradeBeforeCaps });
const scoresShape = z.looseObject({
  categories: z.record(z.string(), z.looseObject({ score: z.number().nullable() })),
});
const partsShape = z.looseObject({ partFindings: z.array(z.unknown()) });
const partShape = findingSchema.extend({
  check: z.string(),
  target: z.string(),
  category: z.enum(categoryNames as [CategoryName, ...CategoryName[]]).nullable(),
  domainEffect: z.number(),
});

/** The findings of the parts; none in a report of another check, or of a release that did not keep them. */
export function partFindingsOf(report: Report): readonly ToldFinding[] {
  if (report.check !== 'domain-health') return [];
  const { partFindings } = partsShape.safeParse(report).data ?? { partFindings: [] };
  return partFindings.flatMap((one) => partShape.safeParse(one).data ?? []);
}

/** Every fault of the domain, the dearest first; undefined where the report does not tell the findings of its parts. */
export function faultsOf(report: Report): readonly DomainFixGroup[] | undefined {
  if (report.check !== 'domain-health' || !partsShape.safeParse(report).success) return undefined;
  const target = String(report.target['domain']);
  const own = report.findings.map((finding): ToldFinding => ({
    ...finding,
    check: report.check,
    target,
    category: categoryNames.find((name) => name === finding.part) ?? null,
    domainEffect: 0,
  }));
  return groupByFix([...partFindingsOf(report), ...own]).map((fault) => ({ ...fault, cost: costOf(fault) }));
}

/** The faults under the names that a reader knows; first the group with the dearest. */
export function groupByCategory(faults: readonly DomainFixGroup[]): readonly CategoryFixes[] {
  return [...Map.groupBy(faults, groupNameOf)].map(([name, of]) => ({ name, faults: of }));
}

/** What a reader calls the part where a finding stands. */
export function groupNameOf({ main }: Pick<DomainFixGroup, 'main'>): string {
  if (main.category !== null) return categoryWords[main.category];
  return main.check === 'domain-health' && main.part === 'categories' ? 'The whole domain' : 'Entry points';
}

/** What would raise the domain most; undefined where the report does not tell. */
export function adviceOf(report: Report): z.infer<typeof adviceShape> | undefined {
  return report.check === 'domain-health' && !isMissing(report)
    ? adviceShape.safeParse(report).data
    : undefined;
}

/** Why the letter is not that of the score: two sentences; undefined where it is. */
export function capWords(report: Report): string | undefined {
  const { caps: all, gradeBeforeCaps: letter } = capShape.safeParse(report).data ?? {};
  const [first] = all ?? [];
  if (!first || !letter || report.grade === null || letter === report.grade) return undefined;
  const { score, grade } = report;
  const would = `${score} points would be ${articleOf(letter)} ${letter}`;
  const only = isOfGrade(first.code) ? scoreOf(report, first.category) : null;
  return only === null
    ? `${would}, but the grade is ${grade}. ${first.reason}`
    : `${would}. ${categoryNameOf(first.category ?? '')} has only ${only}, so the grade is ${grade}.`;
}

/** The rules that limit the grade by nothing but the letter of a category. */
function isOfGrade(code: string): boolean {
  return code === 'category-failed' || code === 'category-poor';
}

function scoreOf(report: Report, category: string | null): number | null {
  const { categories = {} } = scoresShape.safeParse(report).data ?? {};
  return (category === null ? undefined : categories[category]?.score) ?? null;
}

function articleOf(letter: string): string {
  return /^[AF]/.test(letter) ? 'an' : 'a';
}

type Raise = z.infer<typeof adviceShape>['raise'][number];

/** "+12 points: grade C"; undefined where nobody knows before it is fixed. */
export function gainWords({ points, scoreAfter, gradeAfter }: Raise, { grade }: Report): string | undefined {
  if (points === null || scoreAfter === null) return undefined;
  if (points > 0) return `+${countOf(points, 'point')}${gradeAfter === grade ? '' : `: grade ${gradeAfter}`}`;
  return gradeAfter === grade
    ? `The grade stays ${grade} as long as this is not fixed.`
    : `Grade ${gradeAfter} instead of ${grade}`;
}

/** Said once of all for which there is no figure. */
export function unknownGainWords({ raise: all }: z.infer<typeof adviceShape>): string | undefined {
  return all.some(({ points }) => points === null)
    ? 'Where no points stand, what it gives is known only after the fix.'
    : undefined;
}

/** "With all of these fixed: 97 of 100, grade A."; undefined where nobody knows. */
export function togetherWords({ raise: all, raisedTo: to }: z.infer<typeof adviceShape>): string | undefined {
  return all.length < 2 || to.score === null
    ? undefined
    : `With all of these fixed: ${to.score} of 100, grade ${to.grade}.`;
}

/** The fault that an entry of `raise` fixes. */
export function faultOf(entry: Raise, faults: readonly DomainFixGroup[]): DomainFixGroup | undefined {
  const [first] = entry.findings;
  return faults.find(({ main, others }) =>
    [main, ...others].some(
      ({ check, code, target }) => check === first?.check && code === first.code && target === first.target,
    ),
  );
}

/** "TLS: The certificate has expired", for each other finding that the same fix ends; what says the same of several addresses stands once. */
export function alsoEnds({
  main,
  others,
}: DomainFixGroup): readonly { readonly text: string; readonly code: string }[] {
  const lines = others.map((other) => ({
    text: `${groupNameOf({ main: other })}: ${other.title}`,
    code: other.code,
  }));
  const own = `${groupNameOf({ main })}: ${main.title}`;
  return [...new Map(lines.map((line) => [line.text, line])).values()].filter(({ text }) => text !== own);
}
