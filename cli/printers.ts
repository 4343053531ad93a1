import type { Report } from '#shared/model/report';
import { csvOfMissing } from '#shared/render/csv';
import { type FormatName, renderReport } from '#shared/render/formats';
import { junitOfUnchecked } from '#shared/render/junit';
import { markdownOfUnchecked } from '#shared/render/markdown';
import type { Unchecked } from '#shared/render/report-words';
import { sarifOfUnchecked } from '#shared/render/sarif';
import { jsonText } from '#shared/render/visible-text';
import { ServerUnreachable } from '../client/diagnostics.ts';
import { block, type Output, type Shown, show } from './door.ts';
import type { TargetOutcome } from './outcome.ts';
import { openTally, summaryPage } from './summary.ts';
import { tableHead, tableRow, tellReport } from './table.ts';

/** Prints outcomes as they come. */
export type Printer = {
  add(outcome: TargetOutcome): Promise<void>;
  end(): Promise<void>;
};

type Write = Output['pass'];

export const outputNames = ['table', 'json', 'ndjson', 'csv', 'md', 'sarif', 'junit', 'html'] as const;
export type OutputName = (typeof outputNames)[number];

/** The run that is printed. `isSingle`: it has exactly one target, and its output is that of one report. */
type PrintedRun = {
  readonly check: string;
  readonly isSingle: boolean;
  /** The finding that was asked about again. */
  readonly recheck?: string | undefined;
  /** Say why each finding matters. */
  readonly explain?: boolean | undefined;
};

/** Opens what prints in a form. */
export function openPrinter(
  output: OutputName,
  door: Output,
  { check, isSingle, recheck, explain }: PrintedRun,
): Printer {
  if (output === 'table') return isSingle ? tellOne(door.print, { recheck, explain }) : table(door.print);
  // Markdown is read by people too.
  const write: Write = output === 'md' ? (text) => door.print(block(text)) : door.pass;
  if (output === 'ndjson') return each(write, (outcome) => `${jsonText(lineOf(outcome))}\n`);
  if (isSingle) return single(write, (report) => render(report, output));
  if (output === 'html') return html(write);
  return many[output](write, check);
}

/** A report in a form. Its own fields were not looked at when it was read; where they are not those of its check, no form shows them. */
export function render(report: Report, format: FormatName): string {
  try {
    return renderReport(report, format).text;
  } catch (cause) {
    throw new ServerUnreachable(
      `The ${report.check} report that came cannot be shown as ${format}: it is not made as this version expects.`,
      { cause },
    );
  }
}

function tellOne(print: Output['print'], telling: Parameters<typeof tellReport>[1]): Printer {
  return {
    add: async ({ report }) => (report ? print(tellReport(report, telling)) : undefined),
    end: async () => undefined,
  };
}

// A refused target has no report; it is told on stderr and by the exit status.
function single(write: Write, text: (report: Report) => string): Printer {
  return each(write, ({ report }) => (report ? text(report) : ''));
}

function each(write: Write, render: (outcome: TargetOutcome) => string): Printer {
  return { add: (outcome) => write(render(outcome)), end: async () => undefined };
}

function lineOf({ target, report, problem }: TargetOutcome): object {
  return report ?? { target, problem };
}

function table(print: Output['print']): Printer {
  let isFirst = true;
  return {
    async add(outcome) {
      const row = show`${tableRow(outcome)}\n`;
      await print(isFirst ? show`${tableHead()}\n${row}` : row);
      isFirst = false;
    },
    end: async () => undefined,
  };
}

type Many = (write: Write, check: string) => Printer;

// A target without a report stands in every form: what is left out of a list looks like one without faults.
const many: { readonly [output in 'json' | 'csv' | 'md' | 'sarif' | 'junit']: Many } = {
  json: (write) => joined(write, ['[\n', ',\n', '\n]\n'], (outcome) => jsonText(lineOf(outcome))),
  // The head of the first report stands for all.
  csv: (write) => {
    let isFirst = true;
    return each(write, ({ target, report, problem }) => {
      const isHead = isFirst;
      isFirst = false;
      if (!report) return csvOfMissing(target, problem?.detail ?? 'no report', isHead);
      const text = render(report, 'csv');
      return isHead ? text : text.slice(text.indexOf('\r\n') + 2);
    });
  },
  md: (write, check) =>
    joined(write, ['', '\n---\n\n', ''], (outcome) =>
      outcome.report ? render(outcome.report, 'md') : markdownOfUnchecked(uncheckedOf(outcome, check)),
    ),
  sarif: (write, check) =>
    joined(
      write,
      [
        '{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[\n',
        ',\n',
        '\n]}\n',
      ],
      (outcome) =>
        runsOf(
          outcome.report ? render(outcome.report, 'sarif') : sarifOfUnchecked(uncheckedOf(outcome, check)),
        ),
    ),
  junit: (write, check) =>
    joined(
      write,
      [
        '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="Diagnostic Tools">\n',
        '',
        '</testsuites>\n',
      ],
      (outcome) =>
        suitesOf(
          outcome.report ? render(outcome.report, 'junit') : junitOfUnchecked(uncheckedOf(outcome, check)),
        ),
    ),
};

function uncheckedOf({ target, problem }: TargetOutcome, check: string): Unchecked {
  return { check, target, code: problem?.code ?? 'unknown', why: problem?.detail ?? 'no report' };
}

/** Pieces between a beginning and an end. */
function joined(
  write: Write,
  [begin, between, end]: readonly [string, string, string],
  render: (outcome: TargetOutcome) => string,
): Printer {
  let count = 0;
  return {
    async add(outcome) {
      await write(`${count === 0 ? begin : between}${render(outcome)}`);
      count += 1;
    },
    end: () => write(`${count === 0 ? begin : ''}${end}`),
  };
}

function runsOf(sarif: string): string {
  const { runs } = JSON.parse(sarif) as { readonly runs: readonly unknown[] };
  return runs.map((run) => jsonText(run)).join(',\n');
}

function suitesOf(junit: string): string {
  const [, inner = ''] = /<testsuites[^>]*>\n([\s\S]*)<\/testsuites>/.exec(junit) ?? [];
  return inner;
}

function html(write: Write): Printer {
  const tally = openTally(true);
  return {
    add: async (outcome) => tally.add(outcome),
    end: () => write(summaryPage(tally.summary())),
  };
}

/** Why a target has no report, as a line for stderr. */
export function tellProblem({ target, problem }: TargetOutcome): Shown {
  return show`${target}: ${problem?.detail ?? 'no report'}`;
}
