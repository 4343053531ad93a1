import { Command, CommanderError } from 'commander';
import { catalogue } from '../shared/catalogue/registry.ts';
import { ConfigError } from '../shared/config.ts';
import { UsageError } from './usage-error.ts';

const program = new Command('diag').description('Examines domains and URLs.').exitOverride();

program
  .command('serve')
  .description('API and workers in one process')
  .action(async () => (await import('./serve.ts')).serve());
program
  .command('api')
  .description('an API process of a scaled deployment')
  .action(async () => (await import('../api/main.ts')).main());
program
  .command('worker')
  .description('a worker process of a scaled deployment')
  .action(async () => (await import('../worker/main.ts')).main());
program
  .command('docs')
  .description('write the generated documents')
  .action(async () => (await import('./docs.ts')).writeDocs());
program
  .command('assess <file>')
  .description('judge a file of evidence again, without the network ("-" reads stdin)')
  .action(async (file: string) => (await import('./local-check.ts')).assessFile(file));
program
  .command('evidence <reportId>')
  .description('print the evidence of a stored report, on the machine that has the store')
  .action(async (reportId: string) => (await import('./stored-evidence.ts')).printEvidence(reportId));

for (const spec of catalogue.filter(({ queue }) => queue === 'network')) {
  const command = program.command(`${spec.name} <target>`).description(spec.summary);
  command.requiredOption('--local', 'run in this process, without a server');
  command.option('--evidence <file>', 'keep what was seen, for diag assess');
  for (const name of Object.keys(spec.options.shape)) {
    if (spec.repeatable.includes(name)) command.option(`--${name} <value...>`);
    else command.option(`--${name} <value>`);
  }
  command.action(async (target: string, options: Record<string, string>) =>
    (await import('./local-check.ts')).checkLocally(spec, target, options),
  );
}

// Exit status: 2 for the command line (commander has told of it already), 78 for bad settings.
try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : 2);
  if (!(error instanceof UsageError) && !(error instanceof ConfigError)) throw error;
  console.error(error.message);
  process.exit(error instanceof UsageError ? 2 : 78);
}
