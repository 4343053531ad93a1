import { type Command, Option } from 'commander';
import { catalogue } from '#shared/catalogue/registry';
import { severities } from '#shared/model/verdict';
import { addServerOptions, collect } from './check-commands.ts';
import type { CreateOptions, ListOptions } from './watch.ts';

const checks = catalogue.map(({ name }) => name).join(', ');
const withOutput = (command: Command) =>
  addServerOptions(command).addOption(
    new Option('-o, --output <form>', 'how to print').choices(['table', 'json']).default('table'),
  );

/** Adds the commands for targets that are checked on a schedule. */
export function addWatchCommands(program: Command): void {
  const watch = program
    .command('watch')
    .description('targets that the service checks on a schedule; needs a token with the scope watch');
  addCreate(watch);
  withOutput(watch.command('list'))
    .description('all watches, newest first')
    .action(async (options: ListOptions) => (await import('./watch.ts')).printWatches(options));
  withOutput(watch.command('show <watchId>'))
    .description('a watch and its targets')
    .action(async (id: string, options: ListOptions) => (await import('./watch.ts')).printWatch(id, options));
  for (const [name, isPaused] of [['pause', true] as const, ['resume', false] as const])
    withOutput(watch.command(`${name} <watchId>`))
      .description(isPaused ? 'check nothing until it is resumed' : 'go on with a paused watch')
      .action(async (id: string, options: ListOptions) =>
        (await import('./watch.ts')).pauseWatch(id, isPaused, options),
      );
  addServerOptions(watch.command('delete <watchId>'))
    .description('delete a watch with its targets and deliveries')
    .action(async (id: string, options: ListOptions) =>
      (await import('./watch.ts')).deleteWatch(id, options),
    );
  addDeliveries(watch);
}

function addCreate(watch: Command): void {
  withOutput(watch.command('create <check> [targets...]'))
    .description(`begin to watch targets; the check is one of: ${checks}`)
    .requiredOption('--every <time>', 'how often each target is checked, such as 1h or 7d')
    .option('-f, --file <file>', 'a list of targets, one per line; - is stdin')
    .option('--label <text>', 'a name for it')
    .option('--webhook <url>', 'an https address that gets the events; its secret is printed once')
    .option('--email <address>', 'an e-mail address that gets the events, once it was confirmed')
    .addOption(
      new Option('--min-severity <severity>', 'tell news of this severity or worse').choices(severities),
    )
    .option('--days-before <list>', 'tell what expires so many days before, such as 30,7,1')
    .addOption(
      new Option('--option <name=value>', 'an option of the check; may be given more than once').argParser(
        collect,
      ),
    )
    .action(async (check: string, targets: readonly string[], options: CreateOptions) =>
      (await import('./watch.ts')).createWatch(check, targets, options),
    );
}

function addDeliveries(watch: Command): void {
  withOutput(watch.command('test <watchId>'))
    .description('send a test event')
    .action(async (id: string, options: ListOptions) => (await import('./watch.ts')).testWatch(id, options));
  withOutput(watch.command('deliveries <watchId>'))
    .description('what it told in the last 30 days, newest first')
    .action(async (id: string, options: ListOptions) =>
      (await import('./watch.ts')).printDeliveries(id, options),
    );
  withOutput(watch.command('secret <watchId>'))
    .description('draw a new secret of its webhook, and print it once; the old one signs beside it for a day')
    .action(async (id: string, options: ListOptions) => (await import('./watch.ts')).drawSecret(id, options));
  withOutput(watch.command('links'))
    .description('draw new addresses of the feed and the calendar of all watches; the old ones end')
    .action(async (options: ListOptions) => (await import('./watch.ts')).drawLinks(options));
  withOutput(watch.command('replay <watchId> <deliveryId>'))
    .description('send an event again, under the same id')
    .action(async (id: string, deliveryId: string, options: ListOptions) =>
      (await import('./watch.ts')).replayDelivery(id, deliveryId, options),
    );
}
