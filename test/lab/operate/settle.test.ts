import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { startService } from '../../kit/service-process.ts';

/** The largest share of what the process ever held that it may hold once it is idle; measured: 0.84. */
const mostHeld = 0.93;

test('a process that has nothing to do gives back what its start took, and goes on', async () => {
  const { child, url, kill, closed } = await startService({
    program: process.execPath,
    args: ['--max-semi-space-size=8', 'cli/diag.js', 'serve'],
    environment: { DATA_DIR: ':memory:', PORT: '0', ADMIN_PORT: '0', WORKER_QUEUES: 'network' },
  });
  const held = () => {
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
    const kB = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
    return kB('VmRSS') / kB('VmHWM');
  };
  // A busy machine looks later whether the process is idle.
  await expect.poll(held, { timeout: 30_000, interval: 250 }).toBeLessThan(mostHeld);
  // Express and the pages are loaded only now.
  expect((await fetch(`${url}/`)).status).toBe(200);
  kill('SIGTERM');
  expect(await closed).toBe(0);
});
