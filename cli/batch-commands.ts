import { type Command, Option } from 'commander';
import { addServerOptions } from './check-commands.ts';
import type { ServerOptions } from './connection.ts';

type ListOptions = ServerOptions & { readonly output: 'table' | 'json' };

/** Adds the commands for batches that were started. */
export function addBatchCommands(program: Command): void {
  const batch = program
    .command('batch')
    .description('batches of this token: diag CHECK -f LIST --batch starts one');
  const output = () =>
    new Option('-o, --output <form>', 'how to print').choices(['table', 'json']).default('table');
  addServerOptions(batch.command('list'))
    .description('all batches, newest first')
    .addOption(output())
    .action(async (options: ListOptions) => (await import('./batch.ts')).printBatches(options));
  addServerOptions(batch.command('show <batchId>'))
    .description('where a batch stands')
    .option('--wait', 'until it has ended')
    .addOption(output())
    .action(async (batchId: string, options: ListOptions & { readonly wait?: true }) =>
      (await import('./batch.ts')).printBatch(batchId, options),
    );
  addServerOptions(batch.command('results <batchId>'))
    .description('a line of JSON for each target that has ended, until all have')
    .option('--after <cursor>', 'only what ended after the line with this cursor')
    .action(async (batchId: string, options: ServerOptions & { readonly after?: string }) => {
      process.exitCode = await (await import('./batch.ts')).printResults(batchId, options);
    });
  addServerOptions(batch.command('cancel <batchId>'))
    .description('cancel what waits; what has ended stays readable')
    .action(async (batchId: string, options: ServerOptions) =>
      (await import('./batch.ts')).cancelBatch(batchId, options),
    );
}
