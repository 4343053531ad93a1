import { type Command, Option } from 'commander';

/** Adds `diag access`: answers "what hit us from your address?" from what is kept of each run. */
export function addAccessCommand(program: Command): void {
  program
    .command('access')
    .description(
      'who asked for the runs that sent something to a host or address, on the machine that has the store',
    )
    .option('--host <name>', 'a host with all names below it')
    .option('--address <ip>', 'an address')
    .option('--caller <id>', 'what this account or network asked for')
    .option('--since <when>', 'a date and time such as 2026-11-21T14:00Z, or 2h; a day ago where left out')
    .option('--until <when>', 'the same; now where left out')
    .addOption(new Option('-o, --output <form>').choices(['table', 'json']).default('table'))
    .action(async (options: Readonly<Record<string, string>>) =>
      (await import('./access-actions.ts')).showAccess(options),
    );
}
