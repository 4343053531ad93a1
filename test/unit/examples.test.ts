import { Command } from 'commander';
import { expect, test } from 'vitest';
import { addAccessCommand } from '../../cli/access.ts';
import { addCheckCommands } from '../../cli/check-commands.ts';
import { addExamples } from '../../cli/examples.ts';
import { addPurgeCommand } from '../../cli/purge.ts';
import { addQueueCommands } from '../../cli/queue.ts';
import { addStoredCommands } from '../../cli/stored-commands.ts';
import { addWatchCommands } from '../../cli/watch-commands.ts';

const program = new Command('diag');
for (const add of [
  addCheckCommands,
  addStoredCommands,
  addQueueCommands,
  addPurgeCommand,
  addAccessCommand,
  addWatchCommands,
])
  add(program);
addExamples(program);

function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (piece) => void (text += piece) }).outputHelp();
  return text;
}

const leaves = (command: Command): readonly Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leaves);

test('the help of every command shows how it is called', () => {
  const without = leaves(program).filter((command) => !/\nExamples?:\n {2}\$ .*diag /.test(helpOf(command)));
  expect(without.map((command) => command.name())).toEqual([]);
  expect(helpOf(program)).toContain('Examples:');
});

test('options of a check have the names of its parameters, in the words of a shell', () => {
  const dns = program.commands.find((command) => command.name() === 'dns-check') ?? program;
  expect(helpOf(dns)).toContain('--dkim-selector <value>');
});
