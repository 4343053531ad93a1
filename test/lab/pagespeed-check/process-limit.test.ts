import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { Report } from '#shared/model/report';

const diag = fileURLToPath(new URL('../../../cli/diag.js', import.meta.url));

/** The limit is that of the user whom Chromium becomes; another user's would keep Node itself from starting. */
const isRoot = process.getuid?.() === 0;

test.skipIf(!isRoot)('a browser that may have too few processes is ours to mend, and named', () => {
  const run = (...args: readonly string[]) =>
    spawnSync('prlimit', ['--nproc=100', process.execPath, diag, ...args], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], DATA_DIR: ':memory:', TARGET_ALLOW_CIDRS: '127.0.0.0/8' },
    }).stdout;
  const report: Report = JSON.parse(
    run('pagespeed-check', 'http://127.0.0.1:8080/', '--local', '-q', '-o', 'ndjson'),
  );
  expect(report.findings.map(({ code, severity }) => ({ code, severity }))).toEqual([
    { code: 'browser-unavailable', severity: 'info' },
  ]);
  expect(report.score).toBeNull();
  expect(run('doctor')).toMatch(/browser .*at most 100 processes and threads/);
});
