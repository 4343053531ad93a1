import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServiceProcess, startService } from '../../kit/service-process.ts';
import { type Lab, openLab } from '../kit/lab.ts';

const folder = mkdtempSync(join(tmpdir(), 'diag-lock-'));
let lab: Lab;
const started: ServiceProcess[] = [];
beforeAll(async () => {
  lab = await openLab({ sites: {} });
});
afterAll(async () => {
  for (const service of started) service.kill('SIGKILL');
  await lab.close();
  rmSync(folder, { recursive: true });
});

test('of two services on one data folder the second ends with 78, names it, and starts once the first is killed; commands go on beside it', async () => {
  const environment = lab.settings({ DATA_DIR: folder, LOG_LEVEL: 'info' });
  const start = async () => {
    const service = await startService({
      program: process.execPath,
      args: ['cli/diag.js', 'serve'],
      environment,
    });
    started.push(service);
    return service;
  };
  const diag = (...args: string[]) =>
    promisify(execFile)(process.execPath, ['cli/diag.js', ...args], {
      env: { PATH: process.env['PATH'] ?? '', ...environment },
    });
  const first = await start();
  const second = await diag('serve').catch((error: unknown) => error as { code: number; stderr: string });
  expect(second).toMatchObject({
    code: 78,
    stderr: expect.stringContaining(`another service uses ${folder}`),
  });
  expect((await diag('token', 'create', '--name', 'beside')).stdout).toContain('dtk_');
  expect((await diag('token', 'list')).stdout).toContain('beside');
  await diag('purge', '--older-than', '1');
  expect((await fetch(`${first.url}/api/me`)).status).toBe(200);
  first.kill('SIGKILL');
  await first.closed;
  const third = await start();
  third.kill('SIGTERM');
  expect(await third.closed).toBe(0);
}, 60_000);
