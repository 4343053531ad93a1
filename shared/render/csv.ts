import { stringify } from 'csv-stringify/sync';
import type { Comparison } from '../model/comparison.ts';
import type { Finding } from '../model/finding.ts';
import type { Report } from '../model/report.ts';
import { partFindingsOf, type ToldFinding } from './health.ts';
import { targetOf } from './report-words.ts';
import { cut, jsonText, linkTo, visible } from './visible-text.ts';
import { zoneLine } from './zone.ts';

const columns = [
  'check',
  'target',
  'checkedAt',
  'state',
  'score',
  'grade',
  'severity',
  'code',
  'part',
  'title',
  'detail',
  'scoreEffect',
  'fix',
  'record',
  'references',
  'evidenceCount',
  'evidence',
  'reportId',
  'category',
  'partCheck',
  'partTarget',
  'domainEffect',
] as const;
type Row = { readonly [column in (typeof columns)[number]]: string | number };

/** Spreadsheets take 32,767 characters in a cell; with room for quotes and the guard. */
const longestCell = 32_000;

/** A header row, then a row for each finding, and of domain-health for each finding of its parts (RFC 4180). Formulas are guarded by `'`; each row is one line. */
export function renderCsv(report: Report): string {
  const own = report.findings.map((finding) => rowOf(report, finding));
  const parts = partFindingsOf(report).map((finding) => rowOfPart(report, finding));
  // A target without findings has a row too: else it would be missing from a list of many.
  const all = own.length + parts.length > 0 ? [...own, ...parts] : [bareRow(report)];
  const rows = all.map((row) => columns.map((column) => row[column]));
  return stringify([[...columns], ...rows], { record_delimiter: 'windows', quoted_string: true });
}

const emptyRow = Object.fromEntries(columns.map((column) => [column, ''])) as Row;

/** What a report says of itself. */
function bareRow(report: Report): Row {
  return {
    ...emptyRow,
    check: csvCell(report.check),
    target: csvCell(targetOf(report)),
    checkedAt: csvCell(report.checkedAt),
    state: csvCell(report.state),
    score: report.score ?? '',
    grade: csvCell(report.grade ?? ''),
    reportId: csvCell(report.reportId ?? ''),
  };
}

/** A line for a target that has no report, in the columns of those that have one; with the head where it is the first. */
export function csvOfMissing(target: string, why: string, isFirst: boolean): string {
  const row = { ...emptyRow, target: csvCell(target), state: 'not checked', detail: csvCell(why) };
  const rows = [...(isFirst ? [[...columns]] : []), columns.map((column) => row[column])];
  return stringify(rows, { record_delimiter: 'windows', quoted_string: true });
}

/** What a line of a batch tells beside the report. */
type BatchColumns = {
  readonly index: number;
  readonly outcome: string;
  /** The code of a problem; "" where there is none. */
  readonly problem: string;
  readonly cursor: number;
};

/** The rows of one target of a batch, with the columns of a batch behind those of a report; with the head where it is the first. */
export function csvOfBatch(
  ended: { readonly report: Report } | { readonly target: string; readonly why: string },
  { index, outcome, problem, cursor }: BatchColumns,
  isFirst: boolean,
): string {
  const own = 'report' in ended ? renderCsv(ended.report) : csvOfMissing(ended.target, ended.why, true);
  const [head = '', ...rows] = own.split('\r\n').filter((line) => line !== '');
  const cells = `,${index},"${outcome}","${problem}","${cursor}"`;
  const lines = rows.map((row) => `${row}${cells}`);
  if (isFirst) lines.unshift(`${head},"index","outcome","problem","cursor"`);
  return lines.map((line) => `${line}\r\n`).join('');
}

function rowOf(report: Report, finding: Finding): Row {
  const { fix } = finding;
  return {
    ...bareRow(report),
    severity: csvCell(finding.severity),
    code: csvCell(finding.code),
    part: csvCell(finding.part ?? ''),
    title: csvCell(finding.title),
    detail: csvCell(finding.detail),
    scoreEffect: finding.scoreEffect,
    fix: csvCell(fix.text),
    record: csvCell(fix.record ? zoneLine(fix.record) : ''),
    references: csvCell(finding.references.map(({ title, url }) => linkTo(url) ?? title).join(' ')),
    evidenceCount: finding.evidence.length,
    evidence: csvCell(evidenceText(finding.evidence)),
  };
}

/** Of a part's finding also which report it stands in, and what it costs the domain. */
function rowOfPart(report: Report, finding: ToldFinding): Row {
  return {
    ...rowOf(report, finding),
    category: finding.category ?? '',
    partCheck: csvCell(finding.check),
    partTarget: csvCell(finding.target),
    domainEffect: finding.domainEffect,
  };
}

/** JSON of as many pieces as fit a cell, so that what is there can be parsed. */
function evidenceText(evidence: Finding['evidence']): string {
  const pieces: string[] = [];
  let room = longestCell - 2;
  for (const piece of evidence) {
    const text = jsonText(piece);
    room -= text.length + 1;
    if (room < 0) break;
    pieces.push(text);
  }
  return `[${pieces.join(',')}]`;
}

/** A text as a cell may have it: visible, not too long, and no formula. */
function csvCell(text: string): string {
  return guardFormula(cut(visible(text), longestCell));
}

/**
 * Puts `'` before what a spreadsheet would take for a formula (OWASP, CSV injection): `= + - @` and their full-width forms,
 * also after spaces, which some programs drop. Tab and carriage return are pictures by then.
 */
function guardFormula(text: string): string {
  return /^\s*[=+\-@＝＋－＠]/.test(text) ? `'${text}` : text;
}

/** A comparison as csv (RFC 4180): a column for each domain, under its name. */
export function renderComparisonCsv({ domains, rows }: Comparison): string {
  const own = ['category', 'check', 'code', 'name', 'kind', 'consequenceOf'];
  const head = [...own, ...domains.map(({ domain }) => csvCell(domain))];
  const lines = rows.map(({ category, check, code, name, kind, consequenceOf: cause, cells }) => [
    ...[category ?? '', check, code ?? '', name, kind, cause ? `${cause.check} ${cause.code}` : ''].map(
      csvCell,
    ),
    ...cells.map(({ text }) => csvCell(text)),
  ]);
  return stringify([head, ...lines], { record_delimiter: 'windows', quoted_string: true });
}
