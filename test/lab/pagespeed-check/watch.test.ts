import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { Logger } from '#shared/telemetry/logger';
import { tryBrowser } from '../../../worker/probes/browser/try-browser.ts';
import { type BrowserWatch, watchBrowser } from '../../../worker/start/watch-browser.ts';

const closers: (() => void)[] = [];
afterEach(() => closers.splice(0).forEach((close) => close()));

/** A script in a browser's place. Started as root, it runs as somebody else, who may write in its folder. */
function scriptBrowser(lines: string): { readonly path: string; readonly folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'diag-'));
  chmodSync(folder, 0o777);
  const path = join(folder, 'chrome');
  writeFileSync(path, `#!/bin/sh\ncd ${folder}\n${lines}\n`, { mode: 0o755 });
  closers.push(() => rmSync(folder, { recursive: true }));
  return { path, folder };
}

const soon = { timeout: 10_000 };
const noise = 'echo "Exiting GPU process due to errors during initialization" >&2';
/** Answers every question over the pipe once it was asked, as a browser does. */
const answers = `exec sed -zuE 's/.*"id":([0-9]+).*/{"id":\\1,"result":{}}/' <&3 >&4`;

function openTestLog() {
  const lines: string[] = [];
  const keep = (level: string) => (fields: object, message: string) => {
    // Of other tests, whose workers were killed on this machine.
    if (message.includes('profiles of killed workers')) return;
    lines.push(`${level}: ${message} ${JSON.stringify(fields)}`);
  };
  const log: Logger = {
    error: keep('error'),
    warn: keep('warn'),
    info: keep('info'),
    debug: () => undefined,
  };
  return { log, lines };
}

/** Watches a script, with short times; gives every turn that was told. */
function watch(path: string, times = { startMs: 1000, againMs: 50 }) {
  const { log, lines } = openTestLog();
  const turns: string[] = [];
  const browser: BrowserWatch = watchBrowser(
    { browser: { path, folder: tmpdir() }, noSandbox: false, psi: undefined },
    log,
    { ...times, onTurn: (fault) => void turns.push(fault?.reason ?? 'works') },
  );
  closers.push(() => browser.close());
  return { browser, lines, turns };
}

const late = 'the browser did not answer within 1 s';

test('a browser that hangs is said to hang, whatever it wrote before', async () => {
  const { path, folder } = scriptBrowser(`${noise}\nexec sleep 60`);
  const fault = await tryBrowser(
    { path, folder },
    { noSandbox: false, startMs: 1000, signal: new AbortController().signal },
  );
  expect(fault).toMatchObject({ reason: late });
});

test('what is no browser at all, and says anything, does not answer', async () => {
  const { path, folder } = scriptBrowser("printf 'hello\\0null\\0[]\\0' >&4; exec sleep 60");
  const trial = { noSandbox: false, startMs: 1000, signal: new AbortController().signal };
  expect(await tryBrowser({ path, folder }, trial)).toMatchObject({ reason: late });
});

test('a browser that hangs once is tried again, and serves when it works', async () => {
  const { path } = scriptBrowser(
    `if [ -e seen ]; then ${answers}; else touch seen; ${noise}; exec sleep 60; fi`,
  );
  const { browser, lines, turns } = watch(path);
  await expect.poll(() => turns, soon).toEqual([late, 'works']);
  expect(browser.readiness()).toEqual({ browser: true });
  expect(browser.about()).toMatchObject({ product: 'unknown', source: 'configured', ageDays: 0 });
  expect(lines.map((line) => line.replace(/ \{.*/, ''))).toEqual([
    'error: no browser: pagespeed-check is off',
    'info: browser works: pagespeed-check is on',
  ]);
  expect(lines[0]).toContain(late);
});

test('a browser that stays away is told of once, and again for another reason', async () => {
  const { path, folder } = scriptBrowser(
    'echo x >> tries\nif [ "$(wc -l < tries)" -lt 4 ]; then echo no display >&2; else echo No usable sandbox! >&2; fi\nexit 1',
  );
  const { browser, lines, turns } = watch(path);
  await expect.poll(() => turns.length, soon).toBe(2);
  expect(turns[0]).toContain('no display');
  expect(turns[1]).toContain('sandbox');
  expect(lines).toHaveLength(2);
  expect(browser.readiness()).toEqual({ browser: turns[1] });
  expect(existsSync(join(folder, 'tries'))).toBe(true);
});

test('a browser that is installed later is found', async () => {
  const { path } = scriptBrowser(answers);
  chmodSync(path, 0o600);
  const { turns } = watch(path);
  await expect.poll(() => turns, soon).toHaveLength(1);
  chmodSync(path, 0o755);
  await expect.poll(() => turns.at(-1), soon).toBe('works');
});

test('once it is closed nothing is tried or told', async () => {
  const { path, folder } = scriptBrowser('echo x >> tries\nexit 1');
  const { browser, turns } = watch(path);
  await expect.poll(() => turns, soon).toHaveLength(1);
  browser.close();
  rmSync(join(folder, 'tries'));
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(existsSync(join(folder, 'tries'))).toBe(false);
  expect(turns).toHaveLength(1);
});
