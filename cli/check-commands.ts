import { type Command, Option } from 'commander';
import { catalogue } from '#shared/catalogue/registry';
import type { CheckSpec } from '#shared/catalogue/spec';
import { severities } from '#shared/model/verdict';
import type { CheckOptions } from './check-options.ts';
import { outputNames } from './printers.ts';

/** Adds the options that say which service is asked, and as whom. */
export function addServerOptions(command: Command): Command {
  return command
    .option('--server <url>', 'the service to ask (DIAG_SERVER; http://127.0.0.1:3000)')
    .option('--token-file <file>', 'a file that holds the token (or set DIAG_TOKEN)');
}

/** Adds a command for each check. */
export function addCheckCommands(program: Command): void {
  for (const spec of catalogue) addCheckCommand(program, spec);
}

function addCheckCommand(program: Command, spec: CheckSpec): void {
  const target = spec.targetKind === 'url' ? 'url' : 'domain';
  const command = program.command(`${spec.name} [${target}s...]`).description(spec.summary);
  command
    .option(
      '-f, --file <file>',
      'a list of targets, one per line, or the first column of a CSV file; - is stdin',
    )
    .addOption(new Option('-o, --output <form>', 'how to print').choices(outputNames).default('table'));
  addServerOptions(command)
    .option('--local', 'check from this machine, without a service')
    .option('--cache <folder>', 'keep answers here, and reuse them while they are fresh')
    .option('--fresh', 'check again, even if a report is fresh')
    .option('--max-age <time>', 'accept a report up to this age, such as 90, 30m, 1h, 7d')
    .option('--recheck <code>', 'check again only what found this, and say whether it is fixed')
    .option('--explain', 'say of each finding what can happen, and to whom')
    .option('--cached-only', 'use only stored reports, start nothing')
    .option('--concurrency <count>', 'targets at once; auto finds the most the service takes', 'auto')
    .option('--resume <file>', 'keep the progress in this file, and continue from it')
    .option('--batch', 'let the service go through the list by itself; needs a token')
    .option('--label <text>', 'with --batch: a name for it')
    .option('--summary <file>', 'write a page with a table over all targets')
    .addOption(
      new Option('--fail-on <severity>', 'exit with 1 for a finding of this severity or worse').choices(
        severities,
      ),
    )
    .option('--min-score <score>', 'exit with 1 for a score below this')
    .option('-q, --quiet', 'no progress and no summary on stderr');
  if (spec.queue === 'network')
    command.option('--evidence <file>', 'with --local: keep what was seen, for diag assess');
  addOwnOptions(command, spec);
  command.addHelpText('after', examplesOf(spec));
  command.action(async (targets: readonly string[], options: CheckOptions) => {
    if (options.evidence !== undefined) {
      const { checkLocally } = await import('./local-check.ts');
      return checkLocally(spec, targets, options);
    }
    const { runCheck } = await import('./run-check.ts');
    process.exitCode = await runCheck(spec, targets, options);
  });
}

/** The options of the check itself, by their names in an address and as commands write them. */
function addOwnOptions(command: Command, spec: CheckSpec): void {
  for (const [name, schema] of Object.entries(spec.options.shape)) {
    const isMany = spec.repeatable.includes(name);
    const about = aboutOption(schema, isMany);
    const flag = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    for (const one of new Set([flag, name])) {
      const option = new Option(`--${one} <value>`, about);
      if (isMany) option.argParser(collect);
      // The name in an address is taken too.
      command.addOption(one === flag ? option : option.hideHelp());
    }
  }
}

/** The first sentence of what the documentation says of an option: it names what may be chosen. */
function aboutOption(
  { description = '' }: { readonly description?: string | undefined },
  isMany: boolean,
): string {
  const [first = ''] = description.split(/\.(?: (?=[A-Z])|$)/, 1);
  return [first, isMany ? 'may be given more than once' : ''].filter((text) => text !== '').join('; ');
}

/** Collects the values of an option that is given more than once. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function examplesOf({ name, targetKind }: CheckSpec): string {
  const target = targetKind === 'url' ? 'https://example.com/' : 'example.com';
  return `
Examples:
  $ diag ${name} ${target}
  $ diag ${name} ${target} --local -o json
  $ diag ${name} -f list.txt -o ndjson --resume state.ndjson > reports.ndjson
  $ diag ${name} -f list.txt --batch --resume batch.json -o ndjson > reports.ndjson
  $ diag ${name} -f list.csv --summary summary.html --fail-on high
  $ cut -f2 hosts.tsv | diag ${name} -f - -o csv

Exit status: 0 fine, 1 a threshold was missed, 2 wrong use, 3 some targets were not checked,
4 no access, 5 the service is away or full, 130 interrupted.`;
}
