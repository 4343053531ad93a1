import { type Command, Option } from 'commander';
import { exportNames, formatNames, pdf } from '#shared/render/formats';
import { addServerOptions } from './check-commands.ts';
import type { ServerOptions } from './connection.ts';
import type { CompareOptions } from './over-time.ts';
import type { DiffOptions, ExportOptions, FindingsOptions, HistoryOptions } from './stored.ts';

const output = () => new Option('-o, --output <form>', 'how to print').choices(listForms).default('table');
const listForms = ['table', 'json', 'ndjson'] as const;

/** Adds the commands that read what the service has stored, and what it knows. */
export function addStoredCommands(program: Command): void {
  addServerOptions(program.command('report <reportId>'))
    .description('a stored report')
    .addOption(
      new Option('-o, --output <form>', 'how to print').choices(['table', ...formatNames]).default('table'),
    )
    .action(async (id: string, options: ExportOptions) =>
      (await import('./stored.ts')).printReport(id, options),
    );
  addServerOptions(program.command('export <reportId>'))
    .description('a stored report as a file')
    .addOption(new Option('--format <format>', 'which').choices([...exportNames, pdf.name]).default('html'))
    .option('--out <file>', 'write to this file instead of stdout')
    .action(async (id: string, options: ExportOptions) =>
      (await import('./stored.ts')).exportReport(id, options),
    );
  addServerOptions(program.command('diff <from> <to>'))
    .description(
      'what changed between two stored reports, or two files of reports (-o ndjson); exits with 1 for new findings',
    )
    .addOption(output())
    .action(async (from: string, to: string, options: DiffOptions) => {
      const { areFiles, printDiffOfFiles } = await import('./diff-files.ts');
      if (await areFiles([from, to])) {
        process.exitCode = await printDiffOfFiles(from, to, options.output);
        return;
      }
      process.exitCode = await (await import('./stored.ts')).printDiff(from, to, options);
    });
  addHistoryCommands(program);
  addServerOptions(program.command('findings'))
    .description('every rule: what it finds, how severe it is, how to fix it')
    .option('--check <check>', 'only of this check')
    .addOption(output())
    .action(async (options: FindingsOptions) => (await import('./stored.ts')).printFindings(options));
}

/** Adds the commands about this machine and its shell. */
export function addServiceCommands(program: Command): void {
  addServerOptions(program.command('doctor'))
    .description('test what works on this machine, and how long each part takes')
    .action(async (options: FindingsOptions) => {
      process.exitCode = await (await import('./doctor.ts')).examine(options);
      // What did not answer in time may hang for good.
      setTimeout(() => process.exit(), 500).unref();
    });
  addServerOptions(program.command('mcp'))
    .description(
      'serve agents over stdin and stdout (Model Context Protocol); without --server this machine checks',
    )
    .action(async (options: ServerOptions) => (await import('./mcp.ts')).serveAgents(options));
  program
    .command('completion <shell>')
    .description('completion for bash, zsh or fish: source <(diag completion bash)')
    .action(async (shell: string) => (await import('./completion.ts')).printCompletion(program, shell));
}

function addHistoryCommands(program: Command): void {
  addServerOptions(program.command('history [domain]'))
    .description('the reports of this token, newest first; of a domain with what changed each time')
    .option('--target <target>', 'only of this domain or URL')
    .option('--check <check>', 'only of this check')
    .option('--since <when>', 'of a domain: a date, a UTC time, or so many days back, such as 30d')
    .option('--limit <count>', 'the most reports to list', '20')
    .addOption(output())
    .action(async (domain: string | undefined, options: HistoryOptions) => {
      if (domain === undefined) return (await import('./stored.ts')).printHistory(options);
      return (await import('./over-time.ts')).printDomainHistory(domain, options);
    });
  addServerOptions(program.command('compare <domains...>'))
    .description('two to ten domains side by side, by their newest reports; starts no check')
    .addOption(
      new Option('-o, --output <form>', 'how to print').choices(['table', 'json', 'csv']).default('table'),
    )
    .action(async (domains: string[], options: CompareOptions) =>
      (await import('./over-time.ts')).printComparison(domains, options),
    );
}
