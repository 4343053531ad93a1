import { readFileSync } from 'node:fs';
import { Command, CommanderError, Option } from 'commander';
import { catalogue } from '../shared/catalogue/registry.ts';
import { ConfigError } from '../shared/config.ts';
import { Problem } from '../shared/model/problem.ts';
import type { LocalOptions } from './local-check.ts';
import { addPurgeCommand } from './purge.ts';
import { addQueueCommands } from './queue.ts';
import type { CreateOptions } from './token.ts';
import { UsageError } from './usage-error.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
const program = new Command('diag')
  .description('Examines domains and URLs.')
  .version(version, '-V, --version', 'print the version')
  .exitOverride()
  .hook('preAction', (_program, command) => keepFilesPrivate(command.name()));

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
  .action(async () => (await import('../worker/start/main.ts')).main());
program
  .command('assess <file>')
  .description('judge a file of evidence again, without the network ("-" reads stdin)')
  .action(async (file: string) => (await import('./local-check.ts')).assessFile(file));
program
  .command('evidence <reportId>')
  .description('print the evidence of a stored report, on the machine that has the store')
  .action(async (reportId: string) => (await import('./stored-evidence.ts')).printEvidence(reportId));

addQueueCommands(program);
addPurgeCommand(program);

const token = program
  .command('token')
  .description('tokens of API callers, on the machine that has the store');
const output = () => new Option('-o, --output <form>').choices(['table', 'json']).default('table');
token
  .command('create')
  .description('draw a token and print it, this once')
  .requiredOption('--name <name>', 'what it is for')
  .option('--scopes <list>', 'tools, reports:read', 'tools,reports:read')
  .option('--expires <when>', 'such as 90d, or a date; else it never does')
  .option('--requests <points/seconds>', 'a limit of its own, such as 6000/60')
  .option('--scans <points/seconds>', 'a limit of its own, such as 600/60')
  .option('--account <id>', 'share the reports of an account that is there')
  .addOption(output())
  .action(async (options: CreateOptions) => (await import('./token.ts')).createToken(options));
token
  .command('list')
  .description('all tokens, without their texts')
  .addOption(output())
  .action(async (options: { output: 'table' | 'json' }) => (await import('./token.ts')).listTokens(options));
token
  .command('revoke <tokenId>')
  .description('end a token at once')
  .action(async (tokenId: string) => (await import('./token.ts')).revokeToken(tokenId));
token
  .command('rotate <tokenId>')
  .description('a new token of the same account, scopes and limits in place of an old one')
  .option('--keep-for <time>', 'let the old one work on for so long, such as 24h')
  .addOption(output())
  .action(async (tokenId: string, options: { keepFor?: string; output: 'table' | 'json' }) =>
    (await import('./token.ts')).rotateToken(tokenId, options),
  );

for (const spec of catalogue.filter(({ queue }) => queue === 'network')) {
  const command = program.command(`${spec.name} <target>`).description(spec.summary);
  command.option('--local', 'run in this process, without a server: the only way so far');
  command.option('--evidence <file>', 'keep what was seen, for diag assess');
  for (const name of Object.keys(spec.options.shape)) {
    if (spec.repeatable.includes(name)) command.option(`--${name} <value...>`);
    else command.option(`--${name} <value>`);
  }
  command.action(async (target: string, options: LocalOptions) =>
    (await import('./local-check.ts')).checkLocally(spec, target, options),
  );
}

// Databases and evidence are for this user alone. Documents belong to the project, and a process of the service decides by itself.
function keepFilesPrivate(command: string): void {
  if (!['docs', 'serve', 'api', 'worker'].includes(command)) process.umask(0o077);
}

// Exit status: 2 for the command line (commander has told of it already), 3 for a check that did not end, 5 for a store
// that is away, 78 for bad settings. Anything else is a defect, and keeps its stack.
function exitStatusOf(error: unknown): number | undefined {
  if (error instanceof UsageError) return 2;
  if (error instanceof ConfigError) return 78;
  if (error instanceof Problem) return 5;
  return error instanceof DOMException && error.name === 'TimeoutError' ? 3 : undefined;
}

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : 2);
  const status = exitStatusOf(error);
  if (status === undefined) throw error;
  console.error(status === 3 ? 'The check did not end within its time.' : (error as Error).message);
  process.exit(status);
}
