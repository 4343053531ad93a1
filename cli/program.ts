import { Command, CommanderError, Option } from 'commander';
import { domainHealth } from '#shared/catalogue/domain-health/spec';
import { version } from '#shared/model/version';
import { addAccessCommand } from './access.ts';
import { addBackupCommands } from './backup.ts';
import { addBatchCommands } from './batch-commands.ts';
import { addCheckCommands } from './check-commands.ts';
import { block, say, warn } from './door.ts';
import { addExamples } from './examples.ts';
import { exitOf } from './exit-status.ts';
import { addPurgeCommand } from './purge.ts';
import { addQueueCommands } from './queue.ts';
import { addServiceCommands, addStoredCommands } from './stored-commands.ts';
import type { CreateOptions } from './token.ts';
import { addWatchCommands } from './watch-commands.ts';

const program = new Command('diag')
  .description('Examines domains and URLs.')
  .version(version, '-V, --version', 'print the version')
  .exitOverride()
  .configureOutput({
    writeOut: (text) => say(block(text.trimEnd())),
    writeErr: (text) => warn(block(text.trimEnd())),
  })
  .hook('preAction', (_program, command) => keepFilesPrivate(command.name()));

program.commandsGroup('Check:');
addCheckCommands(program);
program
  .command('assess <file>')
  .description('judge a file of evidence again, without the network ("-" reads stdin)')
  .action(async (file: string) => (await import('./local-check.ts')).assessFile(file));

program.commandsGroup('Lists and schedules:');
addBatchCommands(program);
addWatchCommands(program);

program.commandsGroup('Stored reports:');
addStoredCommands(program);

program.commandsGroup('Service:');
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
addServiceCommands(program);
program.helpCommand('help [command]', 'how a command is used');

program.commandsGroup('Operate:');
program
  .command('evidence <reportId>')
  .description('print the evidence of a stored report, on the machine that has the store')
  .action(async (reportId: string) => (await import('./stored-evidence.ts')).printEvidence(reportId));

addQueueCommands(program);
addPurgeCommand(program);
addAccessCommand(program);
addBackupCommands(program);

const token = program
  .command('token')
  .description('tokens of API callers, on the machine that has the store');
const output = () => new Option('-o, --output <form>').choices(['table', 'json']).default('table');
token
  .command('create')
  .description('create a token, and print it this one time')
  .requiredOption('--name <name>', 'what it is for')
  .option('--scopes <list>', 'tools, reports:read, watch', 'tools,reports:read')
  .option('--expires <when>', 'such as 90d, or a date; without it the token never expires')
  .option('--requests <points/seconds>', 'a limit of its own, such as 6000/60')
  .option('--scans <points/seconds>', 'a limit of its own, such as 600/60')
  .option('--pages <count>', 'page loads that may wait for it')
  .option('--account <id>', 'use an existing account, and share its reports')
  .addOption(output())
  .action(async (options: CreateOptions) => (await import('./token.ts')).createToken(options));
token
  .command('list')
  .description('all tokens, without their secrets')
  .addOption(output())
  .action(async (options: { output: 'table' | 'json' }) => (await import('./token.ts')).listTokens(options));
token
  .command('revoke <tokenId>')
  .description('revoke a token immediately')
  .action(async (tokenId: string) => (await import('./token.ts')).revokeToken(tokenId));
token
  .command('rotate <tokenId>')
  .description('a new token of the same account, scopes and limits in place of an old one')
  .option('--keep-for <time>', 'keep the old one valid for this long, such as 24h')
  .addOption(output())
  .action(async (tokenId: string, options: { keepFor?: string; output: 'table' | 'json' }) =>
    (await import('./token.ts')).rotateToken(tokenId, options),
  );

addExamples(program);

// Databases and evidence are for this user alone. Documents belong to the project, and a process of the service decides by itself.
function keepFilesPrivate(command: string): void {
  if (!['docs', 'serve', 'api', 'worker'].includes(command)) process.umask(0o077);
}

// A domain needs no command: no command's name has a dot.
const given = process.argv.slice(2);
const isTarget = /^[^-].*\./.test(given[0] ?? '');

try {
  await program.parseAsync(isTarget ? [domainHealth.name, ...given] : given, { from: 'user' });
} catch (error) {
  if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : 2);
  const foreseen = exitOf(error);
  if (!foreseen) throw error;
  warn(block(foreseen.message));
  process.exit(foreseen.status);
}
