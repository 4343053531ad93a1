// One of the servers of the cached-get bench: the service, or Express sending the bytes that it is told to send.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { openBare } from './cached-get-bare.ts';
import { openOurs } from './cached-get-ours.ts';

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();

/** What this process has used, and how late its event loop was, since it was last asked. */
export type Usage = { readonly cpuUs: number; readonly p99Ms: number };

let before = process.cpuUsage();
process.on('SIGINT', () => process.exit(0));
process.on('message', (message) => {
  if (message !== 'usage') return;
  const { user, system } = process.cpuUsage(before);
  const usage: Usage = { cpuUs: user + system, p99Ms: delay.percentile(99) / 1e6 };
  process.send?.(usage);
  before = process.cpuUsage();
  delay.reset();
});

const [, , kind] = process.argv;
if (kind === 'bare') await openBare();
else process.send?.(await openOurs());
