import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { tryBrowser } from '../../../worker/probes/browser/try-browser.ts';

/** Browsers as systems install them: they have a ProcessSingleton, which the bundled one has not. */
const ofSystem = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find(canExecute);

function canExecute(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function tryOnce(path: string | undefined) {
  const start = performance.now();
  const fault = await tryBrowser(
    { path, folder: 'data' },
    { noSandbox: false, startMs: 20_000, signal: new AbortController().signal },
  );
  return { fault, tookMs: performance.now() - start };
}

test('the browser that loads pages is found to work, in a few seconds', { timeout: 60_000 }, async () => {
  const { fault, tookMs } = await tryOnce(process.env['BROWSER_PATH']);
  expect(fault).toBeUndefined();
  expect(tookMs).toBeLessThan(15_000);
});

test.skipIf(ofSystem === undefined)(
  'a browser that the system installed works as well',
  { timeout: 60_000 },
  async () => {
    const { fault } = await tryOnce(ofSystem);
    expect(fault).toBeUndefined();
  },
);

test.for([
  { path: undefined, words: /^ok\s+browser\s+\d+ ms {2}\S+ starts \(/m, codes: [0, 5] },
  { path: '/bin/false', words: /^broken\s+browser .*the browser did not start/m, codes: [5] },
])(
  'diag doctor starts the browser $path as a worker does',
  { timeout: 60_000 },
  async ({ path, words, codes }) => {
    const environment = { ...process.env, DATA_DIR: ':memory:', ...(path ? { BROWSER_PATH: path } : {}) };
    const run = promisify(execFile)(process.execPath, ['cli/diag.js', 'doctor'], { env: environment });
    const ended = await run.then(
      ({ stdout }) => ({ stdout, code: 0 }),
      (error: { stdout: string; code: number }) => error,
    );
    expect(ended.stdout).toMatch(words);
    expect(codes).toContain(ended.code);
  },
);
