import { execFile, fork } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { findBrowser } from '../../../worker/probes/browser/find-browser.ts';
import { tryBrowser } from '../../../worker/probes/browser/try-browser.ts';
import { unpackChromium } from '../../../worker/probes/browser/unpack-chromium.ts';
import { expectRun, openProbe, openSite, trackProcesses } from './kit.ts';

const page =
  '<!doctype html><meta name="viewport" content="width=device-width"><title>x</title><h1>hello</h1>';
const agents = new Set<string>();
const site = await openSite((request, response) => {
  agents.add(String(request.headers['user-agent']));
  return request.url === '/'
    ? response.writeHead(200, { 'content-type': 'text/html' }).end(page)
    : response.writeHead(404).end();
});
afterAll(() => site.close());
const loneWorker = fileURLToPath(new URL('./lone-worker.ts', import.meta.url));
const quickly = { timeout: 15_000, interval: 50 };
const request = { url: 'http://a.test/', strategy: 'mobile' as const, timeoutMs: 40_000 };

const tracker = trackProcesses();
afterAll(() => tracker.stop());
const isSandboxed = ({ status }: { readonly status: string }) => /^Seccomp:\t2$/m.test(status);

test(
  'a worker finds its browser usable within seconds, and leaves nothing of the try behind',
  {
    timeout: 30_000,
  },
  async () => {
    const before = tracker.processes().length;
    const { signal } = new AbortController();
    const browser = { path: undefined, folder: 'data' };
    expect(await tryBrowser(browser, { noSandbox: false, startMs: 20_000, signal })).toBeUndefined();
    await expect.poll(() => tracker.processes().length, quickly).toBeLessThanOrEqual(before);
  },
);

test(
  'renderers run in the sandbox, and nothing of Chromium as root; desktop is measured by its own line',
  {
    timeout: 60_000,
  },
  async () => {
    const running = openProbe(site.port).run({ ...request, strategy: 'desktop' });
    await expect.poll(() => tracker.processes().filter(isSandboxed).length, quickly).toBeGreaterThan(1);
    const chromium = tracker.processes().filter(({ status }) => /^Name:\tchrom/m.test(status));
    expect(expectRun(await running).end).toMatchObject({
      kind: 'loaded',
      page: { environment: { throttling: { cpuSlowdownMultiplier: 1, rttMs: 40 } } },
    });
    expect(chromium.length).toBeGreaterThan(3);
    expect(chromium.filter(({ status }) => /^Uid:\t0\t/m.test(status))).toEqual([]);
  },
);

test('a run that is called off rejects, and leaves nothing', { timeout: 60_000 }, async () => {
  const ending = new AbortController();
  const running = openProbe(site.port, { signal: ending.signal }).run(request);
  await expect.poll(() => tracker.processes().filter(isSandboxed).length, quickly).toBeGreaterThan(1);
  ending.abort(new Error('called off'));
  await expect(running).rejects.toThrow('called off');
  expect(tracker.leftovers()).toEqual([]);
});

test('a worker that is killed takes its browser and its folder with it', { timeout: 60_000 }, async () => {
  const worker = fork(loneWorker, [String(site.port)], {
    execArgv: [],
  });
  await expect.poll(() => tracker.processes().filter(isSandboxed).length, quickly).toBeGreaterThan(1);
  worker.kill('SIGKILL');
  await expect.poll(() => tracker.leftovers(), quickly).toEqual([]);
});

test('a BROWSER_PATH that is no browser is said, and how to mend it', async () => {
  const probe = openProbe(site.port, { path: '/nowhere/chromium' });
  expect(await probe.run(request)).toMatchObject({
    kind: 'failure',
    code: 'browser-unavailable',
    fix: expect.stringContaining('BROWSER_PATH') as string,
  });
});

test('a BROWSER_PATH that starts and is no browser is said as well', { timeout: 60_000 }, async () => {
  const probe = openProbe(site.port, { path: '/bin/false' });
  expect(await probe.run(request)).toMatchObject({ kind: 'failure', code: 'browser-unavailable' });
});

const isRoot = process.getuid?.() === 0;

/** Runs the lone worker by a command line that begins so; what it says of its run. */
async function runAs(command: string): Promise<unknown> {
  const found = await findBrowser({ path: undefined, folder: 'data' });
  const executable = 'executable' in found ? found.executable : '';
  const line = `${command} '${process.execPath} ${loneWorker} ${site.port} ${executable}'`;
  const { stdout } = await promisify(execFile)('sh', ['-c', line], { timeout: 50_000 });
  return JSON.parse(stdout);
}

test.runIf(isRoot)(
  'a worker that is not root measures in the sandbox as well',
  { timeout: 60_000 },
  async () => {
    const answer = await runAs('setpriv --reuid=1234 --regid=1234 --clear-groups sh -c');
    expect(answer).toMatchObject({ kind: 'run', end: { kind: 'loaded' }, browser: { sandbox: true } });
    expect((answer as { peakMemoryBytes: number }).peakMemoryBytes).toBeGreaterThan(100_000_000);
  },
);

test.runIf(isRoot)(
  'without user namespaces nothing is run, and one line says how to mend it',
  { timeout: 60_000 },
  async () => {
    const answer = await runAs(
      'unshare -U --map-user=1000 --map-group=1000 --keep-caps sh -c \'echo 0 > /proc/sys/user/max_user_namespaces; exec sh -c "$0"\'',
    );
    expect(answer).toMatchObject({
      kind: 'failure',
      code: 'browser-unavailable',
      reason: 'Chromium cannot open its sandbox on this machine',
      fix: expect.stringContaining('user namespaces') as string,
    });
  },
);

test('the site is told who we are, behind the name of the device', () => {
  const named = /(?:Macintosh|Mobile).* Safari\/537\.36 DiagnosticTools\/0\.1 \(\+https:\/\//;
  expect(agents.size).toBeGreaterThan(0);
  expect([...agents].filter((agent) => !named.test(agent))).toEqual([]);
});

test(
  'two that unpack at once end with one whole browser; an old version beside it is not taken',
  {
    timeout: 60_000,
  },
  async () => {
    const folder = mkdtempSync(join('/var/tmp', 'diagnostic-unpack-'));
    chmodSync(folder, 0o755);
    mkdirSync(join(folder, 'chromium-147.0.0-x64'));
    writeFileSync(join(folder, 'chromium-147.0.0-x64', 'chromium'), 'old', { mode: 0o755 });
    try {
      const start = performance.now();
      const [one, two] = await Promise.all([unpackChromium(folder), unpackChromium(folder)]);
      console.log(`two unpackings at once: ${Math.round(performance.now() - start)} ms`);
      expect(one).toBe(two);
      expect(one).not.toContain('147.0.0');
      expect(statSync(one ?? '').size).toBeGreaterThan(100_000_000);
      expect(readdirSync(folder)).toHaveLength(2);
      utimesSync(one ?? '', 1, 1);
      await unpackChromium(folder);
      expect(statSync(one ?? '').mtimeMs).toBe(1000); // used as it is, not unpacked again
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);

test('a browser that others could have written is not run', { timeout: 60_000 }, async () => {
  const folder = mkdtempSync(join('/var/tmp', 'diagnostic-unpack-'));
  chmodSync(folder, 0o777);
  try {
    await expect(unpackChromium(folder)).rejects.toThrow(/can be written by, others/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
