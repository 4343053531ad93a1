import { writeFileSync } from 'node:fs';
import type { Report } from '#shared/model/report';
import { type FormatName, renderReport } from '#shared/render/formats';
import { visible } from '#shared/render/visible-text';
import { openServer, type ServerOptions } from './connection.ts';
import { exitStatus } from './exit-status.ts';
import { openStdout } from './stdout.ts';
import { tellReport } from './table.ts';
import { UsageError } from './usage-error.ts';

type ListForm = 'table' | 'json' | 'ndjson';
export type ExportOptions = ServerOptions & {
  readonly output?: 'table' | FormatName;
  readonly format?: FormatName;
  readonly out?: string;
};
export type DiffOptions = ServerOptions & { readonly output: 'table' | 'json' };
export type HistoryOptions = ServerOptions & {
  readonly output: ListForm;
  readonly target?: string;
  readonly check?: string;
  readonly limit: string;
};
export type FindingsOptions = ServerOptions & { readonly output: ListForm; readonly check?: string };

const write = openStdout(() => process.exit(exitStatus.ok));

/** Prints a stored report. */
export async function printReport(
  reportId: string,
  { output = 'table', ...options }: ExportOptions,
): Promise<void> {
  const report = (await openServer(options).report(reportId)) as unknown as Report;
  await write(output === 'table' ? tellReport(report) : renderReport(report, output).text);
}

/** Prints a stored report in an export format, or writes it to a file. */
export async function exportReport(
  reportId: string,
  { format = 'html', out, ...options }: ExportOptions,
): Promise<void> {
  const text = await openServer(options).exportReport(reportId, format);
  if (out === undefined) return write(text);
  try {
    writeFileSync(out, text);
  } catch (error) {
    throw new UsageError(`--out: ${(error as Error).message}`);
  }
}

/** Prints what changed between two reports; gives 1 where the second has findings that the first had not. */
export async function printDiff(
  from: string,
  to: string,
  { output, ...options }: DiffOptions,
): Promise<number> {
  const diff = await openServer(options).diff(from, to);
  const { added, fixed, changed, unchanged } = diff.findings;
  if (output === 'json') await write(`${JSON.stringify(diff, null, 2)}\n`);
  else {
    const line = (mark: string, list: readonly { readonly severity: string; readonly title: string }[]) =>
      list.map(({ severity, title }) => `${mark} ${severity.padEnd(8)} ${visible(title)}\n`).join('');
    const scores = `${diff.from.score ?? '-'} → ${diff.to.score ?? '-'}`;
    const notes = diff.rulesChanged ? ', judged by different rules' : '';
    await write(
      `${diff.check}  score ${scores}${notes}\n${line('+', added)}${line('-', fixed)}${changed
        .map(({ code, differs }) => `~ ${code}: ${differs.join(', ')}\n`)
        .join('')}${unchanged} unchanged\n`,
    );
  }
  return added.length > 0 ? exitStatus.missed : exitStatus.ok;
}

/** Prints the reports of the caller's account. */
export async function printHistory({
  output,
  target,
  check,
  limit,
  ...options
}: HistoryOptions): Promise<void> {
  const most = /^[1-9]\d{0,6}$/.test(limit) ? Number(limit) : undefined;
  if (most === undefined) throw new UsageError(`--limit: "${limit}" is not a whole number above 0.`);
  const filter = { ...(target === undefined ? {} : { target }), ...(check === undefined ? {} : { check }) };
  const reports = [];
  for await (const report of openServer(options).history(filter)) {
    reports.push(report);
    if (reports.length === most) break;
  }
  await printList(output, reports, ({ checkedAt, grade, score, check: name, target: of, reportId }) =>
    [
      checkedAt,
      (grade ?? '-').padEnd(2),
      String(score ?? '-').padStart(3),
      name.padEnd(21),
      reportId,
      visible(of),
    ].join('  '),
  );
}

/** Prints every rule. */
export async function printFindings({ output, check, ...options }: FindingsOptions): Promise<void> {
  const rules = (await openServer(options).findings()).filter(
    (rule) => check === undefined || rule.check === check,
  );
  if (rules.length === 0) throw new UsageError(`--check: there is no check "${check}".`);
  await printList(output, rules, ({ severity, points, check: name, code, title }) =>
    [severity.padEnd(8), String(points).padStart(3), name.padEnd(21), code.padEnd(36), visible(title)].join(
      '  ',
    ),
  );
}

async function printList<T>(output: ListForm, items: readonly T[], row: (item: T) => string): Promise<void> {
  if (output === 'json') return write(`${JSON.stringify(items, null, 2)}\n`);
  for (const item of items) await write(`${output === 'ndjson' ? JSON.stringify(item) : row(item)}\n`);
}
