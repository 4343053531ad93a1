import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { runnerPidOf } from '../kit/runner-process.ts';
import { startService } from '../kit/service-process.ts';
import { openLab } from '../lab/kit/lab.ts';

// What a target sends may end or freeze the process that reads it. It ends that run alone.

const poisons = ['loop', 'regex', 'memory', 'abort', 'fault', 'exit', 'assertion', 'stop'];
const slowMs = 1500;
const lab = await openLab({
  sites: {
    ...Object.fromEntries(
      poisons.map((poison) => [
        `http://${poison}.test`,
        (_request, response) => void response.end(`<html>POISON-${poison}!`),
      ]),
    ),
    ...Object.fromEntries(
      [...poisons, 'known'].map((name) => [
        `http://beside-${name}.test`,
        (_request, response) =>
          void setTimeout(() => response.end('<html>well'), name === 'known' ? 0 : slowMs),
      ]),
    ),
  },
});
const poison = fileURLToPath(new URL('../kit/poison.mjs', import.meta.url));
const start = () =>
  startService({
    program: process.execPath,
    args: ['cli/diag.js', 'serve'],
    environment: lab.settings({ LOG_LEVEL: 'info', RATE_LIMIT: 'off', NODE_OPTIONS: `--import ${poison}` }),
  });
const service = await start();
afterAll(async () => {
  service.kill('SIGTERM');
  expect(await service.closed).toBe(0);
  await lab.close();
});

type Report = {
  readonly state: string;
  readonly findings: readonly { readonly code: string; readonly detail: string }[];
};

async function check(host: string, more = ''): Promise<{ report: Report; ms: number }> {
  const start = performance.now();
  const url = encodeURIComponent(`http://${host}.test/`);
  const response = await fetch(`${service.url}/api/tools/redirect-check?url=${url}&wait=40${more}`);
  return { report: (await response.json()) as Report, ms: performance.now() - start };
}

const runnerPid = () => runnerPidOf(service.child.pid);

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false; // ESRCH: there is no such process
  }
}

test.for(poisons.filter((name) => name !== 'stop'))(
  'a target whose bytes do this to the process fails alone: %s',
  { timeout: 60_000 },
  async (name) => {
    await check('beside-known');
    const before = runnerPid();
    const beside = check(`beside-${name}`);
    const poisoned = check(name);
    await new Promise((resolve) => setTimeout(resolve, 300));
    // What is known is answered meanwhile.
    const known = await check('beside-known');
    expect(known.report.state).toBe('complete');
    expect(known.ms).toBeLessThan(5000);
    const { report } = await poisoned;
    expect(report.state).toBe('failed');
    expect(report.findings.map(({ code }) => code)).toEqual(['check-failed']);
    expect(report.findings[0]?.detail).toMatch(/ended the process/);
    expect((await beside).report.state).toBe('complete');
    expect(runnerPid()).not.toBe(before);
  },
);

test(
  'a process that is stopped from outside is replaced, and its run begins anew',
  { timeout: 60_000 },
  async () => {
    const beside = check('beside-stop');
    await new Promise((resolve) => setTimeout(resolve, 300));
    process.kill(runnerPid(), 'SIGSTOP');
    expect((await beside).report.state).toBe('complete');
  },
);

test.for(['', 'frozen'])(
  'a process whose worker is killed ends as well: %s',
  { timeout: 60_000 },
  async (state) => {
    const other = await start();
    const pid = runnerPidOf(other.child.pid);
    expect(isAlive(pid)).toBe(true);
    if (state === 'frozen') process.kill(pid, 'SIGSTOP');
    other.kill('SIGKILL');
    await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false);
  },
);
