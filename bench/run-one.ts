// One bench in a process group of its own: run-all.ts starts it with the file of a table of benches and a name, and gets its section as a message.
import { setTimeout as after } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { listGroup } from './process-cpu.ts';
import type { Benches, BenchOutcome } from './run-all.ts';

const endWithinMs = 2000;
const [, , file = '', name = ''] = process.argv;

// Whoever started it is gone: nobody else would end what it has started.
process.once('disconnect', () => process.kill(-process.pid, 'SIGKILL'));
const { benches } = (await import(pathToFileURL(file).href)) as { readonly benches: Benches };
const outcome = await run();
await untilAlone();
process.send?.(outcome, () => process.exit());

async function run(): Promise<BenchOutcome> {
  try {
    const { bench } = (await benches[name]?.load()) ?? {};
    const section = await bench?.();
    return section ? { section } : { failure: 'it gave no section' };
  } catch (error) {
    const { code, stack } = error as NodeJS.ErrnoException;
    if (code === 'ERR_MODULE_NOT_FOUND')
      return {
        failure: `it needs the packages for development, run npm ci without --omit=dev: ${String(error)}`,
      };
    return { failure: stack ?? String(error) };
  }
}

/** Waits until the processes of the bench have ended: their CPU is counted as the bench's once they have. */
async function untilAlone(): Promise<void> {
  const until = performance.now() + endWithinMs;
  while (performance.now() < until && listGroup().length > 0) await after(20);
  const left = listGroup();
  if (left.length > 0) console.error(`${name} left ${left.length} processes behind; they are killed.`);
}
