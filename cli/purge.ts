import type { Command } from 'commander';

/** Adds `diag purge`: deletes all that is kept of one account or one target, or what is too old. */
export function addPurgeCommand(program: Command): void {
  program
    .command('purge')
    .description(
      'delete reports, grants and evidence of an account, of a target or of a time, on the machine that has the store',
    )
    .option('--account <id>', 'delete what only this account has; see diag token list')
    .option('--target <name>', 'a domain with all names and URLs below it, or one URL')
    .option('--older-than <days>', 'delete what was made more than this many days ago')
    .action(async (options: { account?: string; target?: string; olderThan?: string }) =>
      (await import('./purge-actions.ts')).purge(options),
    );
}
