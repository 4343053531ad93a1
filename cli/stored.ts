import { writeFileSync } from 'node:fs';
import type { ReportDiff } from '#shared/model/diff';
import type { Report } from '#shared/model/report';
import { changeLists, changeWords } from '#shared/render/changes';
import type { CheckFormatName } from '#shared/render/check-formats';
import { type FormatName, pdf } from '#shared/render/formats';
import { jsonText } from '#shared/render/visible-text';
import { openServer, type ServerOptions } from './connection.ts';
import { block, isForPerson, join, openOutput, type Shown, show } from './door.ts';
import { exitStatus } from './exit-status.ts';
import { UsageError } from './outcome.ts';
import { render } from './printers.ts';
import { tellReport } from './table.ts';

type ListForm = 'table' | 'json' | 'ndjson';
export type ExportOptions = ServerOptions & {
  readonly output?: 'table' | FormatName;
  readonly format?: FormatName | CheckFormatName | typeof pdf.name;
  readonly out?: string;
};
export type DiffForm = 'table' | 'json' | 'ndjson';
export type DiffOptions = ServerOptions & { readonly output: DiffForm };
export type HistoryOptions = ServerOptions & {
  readonly output: ListForm;
  readonly target?: string;
  readonly check?: string;
  readonly since?: string;
  readonly limit: string;
};
export type FindingsOptions = ServerOptions & { readonly output: ListForm; readonly check?: string };

const { print, pass, passBytes } = openOutput(() => process.exit(exitStatus.ok));

/** Prints a stored report. */
export async function printReport(
  reportId: string,
  { output = 'table', ...options }: ExportOptions,
): Promise<void> {
  const report = (await openServer(options).report(reportId)) as unknown as Report;
  if (output === 'table') return print(tellReport(report));
  const text = render(report, output);
  await (output === 'md' ? print(block(text)) : pass(text));
}

/** Prints a stored report in an export format, or writes it to a file. */
export async function exportReport(
  reportId: string,
  { format = 'html', out, ...options }: ExportOptions,
): Promise<void> {
  if (format === pdf.name && out === undefined && isForPerson())
    throw new UsageError('A PDF is not for a terminal: give --out FILE, or send it to one with >.');
  const server = openServer(options);
  const written = await (format === pdf.name
    ? server.exportFile(reportId, format)
    : server.exportReport(reportId, format));
  if (out === undefined)
    // The server wrote it: a person gets what can be read of it, and a file every byte.
    return typeof written === 'string' ? print(block(written)) : passBytes(written);
  try {
    writeFileSync(out, written);
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
  const diff = (await openServer(options).diff(from, to)) as ReportDiff;
  if (output !== 'table') await pass(`${jsonText(diff, output === 'json' ? 2 : 0)}\n`);
  else
    await print(
      show`${diff.check}  ${changeWords(diff)}\n${tellChanges(diff)}${diff.findings.unchanged} unchanged\n`,
    );
  return diff.findings.added.length > 0 ? exitStatus.missed : exitStatus.ok;
}

/** The findings of which something became, a line each. */
export function tellChanges(diff: Pick<ReportDiff, 'findings'>): Shown {
  return join(
    changeLists(diff).map(
      ({ words, mark, items }) =>
        show`${words}:\n${join(items.map(({ severity, title }) => show`${mark} ${severity.padEnd(8)} ${title}\n`))}`,
    ),
  );
}

/** Prints the reports of the caller's account. */
export async function printHistory({
  output,
  target,
  check,
  since,
  limit,
  ...options
}: HistoryOptions): Promise<void> {
  const most = readLimit(limit);
  if (since !== undefined) throw new UsageError('--since: name a domain as well: diag history example.com');
  const filter = { ...(target === undefined ? {} : { target }), ...(check === undefined ? {} : { check }) };
  const reports = [];
  for await (const report of openServer(options).history(filter)) {
    reports.push(report);
    if (reports.length === most) break;
  }
  await printList(output, reports, ({ checkedAt, grade, score, check: name, target: of, reportId }) =>
    cells([
      checkedAt,
      (grade ?? '-').padEnd(2),
      String(score ?? '-').padStart(3),
      name.padEnd(21),
      reportId,
      of,
    ]),
  );
}

/** Prints every rule. */
export async function printFindings({ output, check, ...options }: FindingsOptions): Promise<void> {
  const rules = (await openServer(options).findings()).filter(
    (rule) => check === undefined || rule.check === check,
  );
  if (rules.length === 0) throw new UsageError(`--check: there is no check "${check}".`);
  await printList(output, rules, ({ severity, points, check: name, code, title }) =>
    cells([severity.padEnd(8), String(points).padStart(3), name.padEnd(21), code.padEnd(36), title]),
  );
}

/** How many rows are wanted. Throws UsageError for what is no such number. */
export function readLimit(limit: string): number {
  if (/^[1-9]\d{0,6}$/.test(limit)) return Number(limit);
  throw new UsageError(`--limit: "${limit}" is not a whole number above 0.`);
}

function cells(texts: readonly string[]): Shown {
  return join(
    texts.map((text) => show`${text}`),
    '  ',
  );
}

async function printList<T>(output: ListForm, items: readonly T[], row: (item: T) => Shown): Promise<void> {
  if (output === 'json') return pass(`${jsonText(items, 2)}\n`);
  for (const item of items)
    await (output === 'ndjson' ? pass(`${jsonText(item)}\n`) : print(show`${row(item)}\n`));
}
