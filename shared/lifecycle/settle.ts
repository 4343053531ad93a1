import { flushCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const lookEveryMs = 1000;
/** A process that is busy for so long collects by itself. */
const mostLooks = 60;
const idleShare = 0.05;

/**
 * Once the process has nothing to do, keeps what was compiled for the next start and gives back the memory that starting took. Until then V8
 * keeps a young generation as large as the start needed: 25 MB of an idle API.
 */
export function settleWhenIdle(): void {
  let looks = 0;
  let before = performance.eventLoopUtilization();
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization();
    const isIdle = performance.eventLoopUtilization(now, before).utilization < idleShare;
    before = now;
    looks += 1;
    if (!isIdle && looks < mostLooks) return;
    clearInterval(timer);
    if (isIdle) settle();
  }, lookEveryMs).unref();
}

// Once, and when nobody waits: it holds the event loop for a tenth of a second.
function settle(): void {
  // Otherwise only the end of the process writes it, and a process that is killed has compiled for nothing.
  flushCompileCache();
  collectorOf()?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

/** V8's collector, without a flag on each command line: contexts that are made after the flag have it. */
function collectorOf(): NodeJS.GCFunction | undefined {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as NodeJS.GCFunction | undefined;
  setFlagsFromString('--no-expose-gc');
  return collect;
}
