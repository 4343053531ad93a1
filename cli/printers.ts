import type { Report } from '#shared/model/report';
import { renderReport } from '#shared/render/formats';
import { visible } from '#shared/render/visible-text';
import type { Outcome } from './outcome.ts';
import { openTally, summaryPage } from './summary.ts';
import { tableHead, tableRow, tellReport } from './table.ts';

/** Prints outcomes as they come. `write` waits until the reader has room. */
export type Printer = {
  add(outcome: Outcome): Promise<void>;
  end(): Promise<void>;
};

export type Write = (text: string) => Promise<void>;

export const outputNames = ['table', 'json', 'ndjson', 'csv', 'md', 'sarif', 'junit', 'html'] as const;
export type OutputName = (typeof outputNames)[number];

/** Opens what prints in a form. @param isSingle the run has exactly one target, and its output is that of one report */
export function openPrinter(output: OutputName, write: Write, isSingle: boolean): Printer {
  if (output === 'table') return isSingle ? single(write, tellReport) : table(write);
  if (output === 'ndjson') return each(write, (outcome) => `${JSON.stringify(lineOf(outcome))}\n`);
  if (isSingle) return single(write, (report) => renderReport(report, output).text);
  if (output === 'html') return html(write);
  return many[output](write);
}

// A refused target has no report; it is told on stderr and by the exit status.
function single(write: Write, render: (report: Report) => string): Printer {
  return each(write, ({ report }) => (report ? render(report) : ''));
}

function each(write: Write, render: (outcome: Outcome) => string): Printer {
  return { add: (outcome) => write(render(outcome)), end: async () => undefined };
}

function lineOf({ target, report, problem }: Outcome): object {
  return report ?? { target, problem };
}

function table(write: Write): Printer {
  let isFirst = true;
  return {
    async add(outcome) {
      await write(isFirst ? `${tableHead()}\n${tableRow(outcome)}\n` : `${tableRow(outcome)}\n`);
      isFirst = false;
    },
    end: async () => undefined,
  };
}

const many: { readonly [output in 'json' | 'csv' | 'md' | 'sarif' | 'junit']: (write: Write) => Printer } = {
  json: (write) => joined(write, ['[\n', ',\n', '\n]\n'], (outcome) => JSON.stringify(lineOf(outcome))),
  // The head of the first report stands for all.
  csv: (write) =>
    joined(write, ['', '', ''], ({ report }, isFirst) => {
      const text = report ? renderReport(report, 'csv').text : '';
      return isFirst ? text : text.slice(text.indexOf('\r\n') + 2);
    }),
  md: (write) =>
    joined(write, ['', '\n---\n\n', ''], ({ report }) => report && renderReport(report, 'md').text),
  sarif: (write) =>
    joined(
      write,
      [
        '{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[\n',
        ',\n',
        '\n]}\n',
      ],
      ({ report }) => report && runsOf(renderReport(report, 'sarif').text),
    ),
  junit: (write) =>
    joined(
      write,
      [
        '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="Diagnostic Tools">\n',
        '',
        '</testsuites>\n',
      ],
      ({ report }) => report && suitesOf(renderReport(report, 'junit').text),
    ),
};

/** Pieces between a beginning and an end; what has no piece is left out. */
function joined(
  write: Write,
  [begin, between, end]: readonly [string, string, string],
  render: (outcome: Outcome, isFirst: boolean) => string | undefined,
): Printer {
  let count = 0;
  return {
    async add(outcome) {
      const piece = outcome.report || begin === '[\n' ? render(outcome, count === 0) : undefined;
      if (piece === undefined) return;
      await write(`${count === 0 ? begin : between}${piece}`);
      count += 1;
    },
    end: () => write(`${count === 0 ? begin : ''}${end}`),
  };
}

function runsOf(sarif: string): string {
  const { runs } = JSON.parse(sarif) as { readonly runs: readonly unknown[] };
  return runs.map((run) => JSON.stringify(run)).join(',\n');
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
export function tellProblem({ target, problem }: Outcome): string {
  return visible(`${target}: ${problem?.detail ?? 'no report'}`);
}
