import { afterEach, expect, test } from 'vitest';
import { type KeptProcess, keepProcess, type RunnerEnd } from '../../../worker/supervise/keep-process.ts';
import { runnerPidOf } from '../../kit/runner-process.ts';

// A process that shows that its event loop turns is kept, whether it has runs or not.

const limits = { cpuMs: 1000, silentMs: 2000, lookEveryMs: 100 };
const quiet = { error() {}, warn() {}, info() {}, debug() {} };
let kept: KeptProcess | undefined;
afterEach(() => kept?.close());

/** Keeps a process, and counts those that were ready and those that ended. */
function keep() {
  const ends: RunnerEnd[] = [];
  let ready = 0;
  kept = keepProcess({
    log: quiet,
    limits,
    onMessage() {},
    onReady: () => void (ready += 1),
    onEnded: (cause) => void ends.push(cause),
    onLoss() {},
  });
  return { ends, ready: () => ready };
}

test('a process without runs is kept', { timeout: 60_000 }, async () => {
  const { ends, ready } = keep();
  await expect.poll(ready, { timeout: 30_000 }).toBe(1);
  const pid = runnerPidOf(process.pid);
  await new Promise((resolve) => setTimeout(resolve, 3 * limits.silentMs));
  expect({ ends, pid: runnerPidOf(process.pid) }).toEqual({ ends: [], pid });
});

test('one that was stopped without runs is replaced', { timeout: 60_000 }, async () => {
  const { ends, ready } = keep();
  await expect.poll(ready, { timeout: 30_000 }).toBe(1);
  process.kill(runnerPidOf(process.pid), 'SIGSTOP');
  await expect.poll(ready, { timeout: 30_000 }).toBe(2);
  expect(ends).toEqual(['silent']);
});
