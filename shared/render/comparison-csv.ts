import { stringify } from 'csv-stringify/sync';
import type { Comparison, ComparisonCell } from '../model/comparison.ts';
import { csvCell } from './csv.ts';

/** A comparison as csv (RFC 4180): a column for each domain, under its name. */
export function renderComparisonCsv({ domains, rows }: Comparison): string {
  const head = ['category', 'check', 'code', 'name', 'kind', ...domains.map(({ domain }) => csvCell(domain))];
  const lines = rows.map(({ category, check, code, name, kind, cells }) => [
    ...[category ?? '', check, code ?? '', name, kind].map(csvCell),
    ...cells.map((cell) => csvCell(wordsOf(cell))),
  ]);
  return stringify([head, ...lines], { record_delimiter: 'windows', quoted_string: true });
}

function wordsOf({ text, verdict, severity }: ComparisonCell): string {
  return verdict === 'broken' ? `${severity}: ${text}` : text;
}
