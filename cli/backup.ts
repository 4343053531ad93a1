import type { Command } from 'commander';

/** Adds `diag backup` and `diag restore`: all that one machine keeps, as files. */
export function addBackupCommands(program: Command): void {
  program
    .command('backup <folder>')
    .description('copy every database of DATA_DIR into a new folder, beside a running service')
    .action(async (folder: string) => (await import('./backup-actions.ts')).backup(folder));
  program
    .command('restore <folder>')
    .description('put the databases of a backup into DATA_DIR, while no service uses it')
    .action(async (folder: string) => (await import('./backup-actions.ts')).restore(folder));
}
