import { type Command, Option } from 'commander';

/** Adds `diag queue`: what an operator of a scaled deployment sees of its queues, and does with them. */
export function addQueueCommands(program: Command): void {
  const queue = program.command('queue').description('the queues of a scaled deployment, with REDIS_URL set');
  const actions = () => import('./queue-actions.ts');
  queue
    .command('list')
    .description('counts, the lines of hosts, pauses, and the oldest jobs')
    .option('--most <count>', 'how many hosts, and jobs of each queue and state, to show', '50')
    .addOption(new Option('-o, --output <form>').choices(['table', 'json']).default('table'))
    .action(async (options: { most: string; output: 'table' | 'json' }) =>
      (await actions()).listQueues(options),
    );
  queue
    .command('why <jobId>')
    .description('why a job waits, or what became of it')
    .action(async (jobId: string) => (await actions()).tellWhy(jobId));
  queue
    .command('retry <jobId>')
    .description('wake a waiting job, or start one again that has ended')
    .action(async (jobId: string) => (await actions()).retryJob(jobId));
  queue
    .command('drop <jobId>')
    .description('remove a waiting job; its callers get the answer that it expired')
    .action(async (jobId: string) => (await actions()).dropJob(jobId));
  queue
    .command('drain')
    .description('remove every waiting job; running jobs continue')
    .addOption(new Option('--queue <name>', 'only this queue').choices(['network', 'browser', 'composite']))
    .action(async (options: { queue?: string }) => (await actions()).drainQueues(options));
  queue
    .command('pause <check>')
    .description('keep workers from starting jobs of a check, such as ssl-check')
    .option('--for <time>', 'such as 30m; 24h at most', '1h')
    .action(async (name: string, options: { for: string }) => (await actions()).pauseJobs(name, options.for));
  queue
    .command('resume <check>')
    .description('end a pause')
    .action(async (name: string) => (await actions()).resumeJobs(name));
}
