import { z } from 'zod';
import { categoryWords } from '#shared/catalogue/domain-health/category-words';
import { type CategoryName, categoryNames } from '#shared/catalogue/domain-health/weights';
import type { Outline, OutlinedReport } from '#shared/catalogue/outline';
import type { Comparison, ComparisonCell, ComparisonRow } from '#shared/model/comparison';
import type { Report } from '#shared/model/report';
import { type Severity, severities } from '#shared/model/verdict';
import { faultsOf, type ToldFinding } from '#shared/render/health';

/** A domain of a comparison, with its newest report where there is one. */
export type ComparedReport = {
  readonly domain: string;
  readonly href: string;
  readonly report?: Report;
  readonly reportId?: string;
  readonly outline?: Outline | undefined;
};

/** Puts reports side by side: scores and grades, then each rule that at least one of the domains breaks, the gravest first. Pure. */
export function compareReports(all: readonly ComparedReport[]): Comparison {
  const causes = all.map(({ report }) => (report ? causesIn(report) : new Map<string, Cause>()));
  const rows = [
    ...figureRows(all, null, ({ report }) => report),
    rowOf({ code: null, name: 'Checked', kind: 'text' }, all, ({ report }) => plain(report?.checkedAt ?? '')),
    ...categoryNames.flatMap((name) =>
      figureRows(all, name, ({ report }) => report && categoryOf(report, name)),
    ),
    ...rulesBroken(all).map((rule) => verdictRow(all, rule, causes)),
  ];
  return { domains: all.map(describe), rows };
}

function describe({ domain, href, report, reportId }: ComparedReport): Comparison['domains'][number] {
  if (!report)
    return { domain, state: 'no-report', reportId: null, checkedAt: null, score: null, grade: null, href };
  const { checkedAt, score, grade } = report;
  return { domain, state: 'ok', reportId: reportId ?? null, checkedAt, score, grade, href };
}

type Figures = { readonly score: number | null; readonly grade: string | null };
type Row = Pick<ComparisonRow, 'code' | 'name' | 'kind'> & {
  readonly consequenceOf?: Cause | null;
  readonly category?: string;
  readonly check?: string;
};

function rowOf(
  { category, check = 'domain-health', ...row }: Row,
  all: readonly ComparedReport[],
  cellOf: (one: ComparedReport) => ComparisonCell,
): ComparisonRow {
  return { category: category ?? null, check, consequenceOf: null, ...row, cells: all.map(cellOf) };
}

function plain(text: string): ComparisonCell {
  return { text, verdict: null, severity: null };
}

function figureRows(
  all: readonly ComparedReport[],
  category: CategoryName | null,
  figuresOf: (one: ComparedReport) => Figures | undefined,
): readonly ComparisonRow[] {
  const name = category === null ? 'Domain' : categoryWords[category];
  const row = { code: null, ...(category === null ? {} : { category }) };
  return [
    rowOf({ ...row, name: `${name}: score`, kind: 'score' }, all, (one) =>
      plain(String(figuresOf(one)?.score ?? '')),
    ),
    rowOf({ ...row, name: `${name}: grade`, kind: 'grade' }, all, (one) =>
      plain(figuresOf(one)?.grade ?? ''),
    ),
  ];
}

const categoryShape = z.looseObject({
  categories: z.record(
    z.string(),
    z.looseObject({ score: z.number().nullable(), grade: z.string().nullable() }),
  ),
});

function categoryOf(report: Report, name: CategoryName): Figures | undefined {
  return categoryShape.safeParse(report).data?.categories[name];
}

type BrokenRule = {
  readonly check: string;
  readonly code: string;
  readonly category: string | null;
  readonly title: string;
  readonly severity: Severity;
  /** Of the report that breaks it: a report by the same rules that does not name the rule had no use for it. */
  readonly rulesVersion: number;
};

/** Every rule that a domain breaks, once, at the gravest that was met. */
function rulesBroken(all: readonly ComparedReport[]): readonly BrokenRule[] {
  const broken = all
    .flatMap(({ outline }) => outline?.reports ?? [])
    .flatMap((report) =>
      report.findings.map(({ code, severity, title }): BrokenRule => ({
        check: report.check,
        code,
        category: categoryOfCode(report, code),
        title,
        severity,
        rulesVersion: report.rulesVersion,
      })),
    );
  const gravestFirst = broken.toSorted((a, b) => rankOf(a) - rankOf(b));
  return [...Map.groupBy(gravestFirst, ({ check, code }) => `${check} ${code}`).values()].flatMap(
    ([gravest]) => gravest ?? [],
  );
}

function rankOf({ severity, category }: BrokenRule): number {
  return severities.indexOf(severity) * 10 + categoryNames.indexOf(category as CategoryName);
}

function categoryOfCode({ categories = {} }: OutlinedReport, code: string): string | null {
  const found = Object.entries(categories).find(([, codes]) => codes.includes(code));
  return found?.[0] ?? Object.keys(categories)[0] ?? null;
}

type Cause = NonNullable<ComparisonRow['consequenceOf']>;

const nameOf = ({ check, code }: { readonly check: string; readonly code: string }) => `${check} ${code}`;

/** What of a domain ends with another finding, by its check and code. */
function causesIn(report: Report): ReadonlyMap<string, Cause> {
  const causes = new Map<string, Cause>();
  const faults = faultsOf(report) ?? [];
  const note = (one: { readonly check: string; readonly code: string }, { check, code }: ToldFinding) => {
    if (nameOf(one) !== nameOf({ check, code })) causes.set(nameOf(one), { check, code });
  };
  for (const { main, others } of faults) for (const other of others) note(other, main);
  const isIn = ({ main, others }: (typeof faults)[number], check: unknown, code: unknown) =>
    [main, ...others].some((one) => one.code === code && (check === undefined || one.check === check));
  // Of its own, what only sums up or repeats stands in no fault.
  for (const { code, evidence } of report.findings) {
    if (faults.some((fault) => isIn(fault, report.check, code))) continue;
    const cause =
      faults.find((fault) => evidence.some((piece) => isIn(fault, piece['check'], piece['code']))) ??
      faults.find(({ main, others }) =>
        [main, ...others].some((one) => evidence.some(({ category }) => category === one.category)),
      );
    if (cause) note({ check: report.check, code }, cause.main);
  }
  return causes;
}

function verdictRow(
  all: readonly ComparedReport[],
  rule: BrokenRule,
  causes: readonly ReadonlyMap<string, Cause>[],
): ComparisonRow {
  const { category, check, code, title } = rule;
  const cells = all.map((one) => cellOf(one, rule));
  const found = cells.flatMap(({ verdict }, at) =>
    verdict === 'broken' ? [causes[at]?.get(nameOf(rule))] : [],
  );
  const row = {
    ...(category === null ? {} : { category }),
    check,
    code,
    name: title,
    kind: 'verdict',
    consequenceOf: found.every((cause) => cause !== undefined) ? (found[0] ?? null) : null,
  } as const;
  return { ...rowOf(row, [], () => plain('')), cells };
}

function cellOf({ report: whole, outline }: ComparedReport, rule: BrokenRule): ComparisonCell {
  const report = outline?.reports.find((one) => one.check === rule.check);
  if (!whole) return unknownCell('no report');
  if (!report || report.state === 'failed') return unknownCell('not tested');
  const finding = report.findings.find(({ code }) => code === rule.code);
  if (finding) return { text: `✗ ${finding.severity}`, verdict: 'broken', severity: finding.severity };
  // The row is named after the fault, so a rule that holds is a fault that was not found.
  if (report.passed.includes(rule.code)) return { text: '✓ not found', verdict: 'holds', severity: null };
  if (report.notTested.includes(rule.code))
    return { text: '– not tested', verdict: 'not-tested', severity: null };
  // A rule that a report does not name does not apply, or is of a later release.
  return unknownCell(report.rulesVersion >= rule.rulesVersion ? 'not applicable' : 'not tested');
}

function unknownCell(words: string): ComparisonCell {
  return { text: `– ${words}`, verdict: 'unknown', severity: null };
}
