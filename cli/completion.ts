import type { Command } from 'commander';
import { sayForProgram } from './door.ts';
import { UsageError } from './outcome.ts';

/** Prints what makes a shell complete commands and options. Names of files are left to the shell. */
export function printCompletion(program: Command, shell: string): void {
  const commands = program.commands.map((command) => ({
    name: command.name(),
    about: command.description().replace(/['"`$\\]/g, ''),
    words: [
      ...command.commands.map((one) => one.name()),
      ...command.options.flatMap(({ long }) => (typeof long === 'string' ? [long] : [])),
    ],
  }));
  const scripts: { readonly [name: string]: () => string } = {
    bash: () => bash(commands),
    zsh: () => `autoload -U +X bashcompinit && bashcompinit\n${bash(commands)}`,
    fish: () => fish(commands),
  };
  const make = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
  if (!make) throw new UsageError(`There is completion for bash, zsh and fish, not for "${shell}".`);
  sayForProgram(make().trimEnd());
}

type Word = { readonly name: string; readonly about: string; readonly words: readonly string[] };

function bash(commands: readonly Word[]): string {
  const cases = commands.map(({ name, words }) => `    ${name}) words="${words.join(' ')}" ;;`).join('\n');
  return `_diag() {
  local words
  case "\${COMP_WORDS[1]}" in
${cases}
    *) words="" ;;
  esac
  [ "$COMP_CWORD" -eq 1 ] && words="${commands.map(({ name }) => name).join(' ')}"
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _diag diag
`;
}

function fish(commands: readonly Word[]): string {
  return commands
    .flatMap(({ name, about, words }) => [
      `complete -c diag -n __fish_use_subcommand -a ${name} -d '${about}'`,
      ...words
        .filter((word) => word.startsWith('--'))
        .map((word) => `complete -c diag -n '__fish_seen_subcommand_from ${name}' -l ${word.slice(2)}`),
    ])
    .join('\n')
    .concat('\n');
}
