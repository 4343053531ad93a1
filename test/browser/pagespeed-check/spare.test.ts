import { readdirSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { openSpareBrowser } from '../../../worker/probes/browser/spare.ts';
import { expectRun, openProbe, openSite, trackProcesses } from './kit.ts';

const seen: { readonly url: string; readonly cookie: string | undefined }[] = [];
const site = await openSite((request, response) => {
  seen.push({ url: request.url ?? '', cookie: request.headers.cookie });
  if (request.url !== '/') return response.writeHead(404).end();
  return response
    .writeHead(200, {
      'content-type': 'text/html',
      'set-cookie': 'seen=1; Max-Age=3600',
      'cache-control': 'max-age=3600',
    })
    .end(
      '<!doctype html><meta name="viewport" content="width=device-width"><title>x</title><h1>hello</h1><script>localStorage.a=1</script>',
    );
});
const tracker = trackProcesses();
const spare = openSpareBrowser();
afterAll(async () => {
  spare.close();
  tracker.stop();
  await site.close();
});
const quickly = { timeout: 20_000, interval: 50 };
const request = { url: 'http://a.test/', strategy: 'mobile' as const, timeoutMs: 60_000 };
const load = async () => expectRun(await openProbe(site.port, { spare }).run(request));

/** The browsers that run now, by the process that leads each. */
const browsers = () =>
  tracker
    .processes()
    .filter(({ pid, status }) => /^Name:\tchrom/m.test(status) && isLeader(pid, status))
    .map(({ pid }) => pid);
const isLeader = (pid: number, status: string) => new RegExp(`^NSsid:\\t${pid}\\b`, 'm').test(status);
/** Waits for a browser that is up: one with a renderer. */
async function waitForSpare(): Promise<number> {
  await expect.poll(() => browsers().length, quickly).toBe(1);
  const [pid = 0] = browsers();
  await expect
    .poll(() => tracker.processes().filter(({ status }) => /^Seccomp:\t2$/m.test(status)).length, quickly)
    .toBeGreaterThan(1);
  return pid;
}

test(
  'the next browser is started when a page has loaded, and loads one page',
  { timeout: 120_000 },
  async () => {
    expect((await load()).end.kind).toBe('loaded');
    const ahead = await waitForSpare();
    expect(
      readdirSync('/var/tmp').filter((name) => name.startsWith('diagnostic-browser-')).length,
    ).toBeGreaterThan(0);
    const before = seen.length;
    const [run] = await Promise.all([
      load(),
      expect
        .poll(() => seen.length, quickly)
        .toBeGreaterThan(before)
        .then(() => {
          // It is the one that was up, and no other.
          expect(browsers()).toEqual([ahead]);
        }),
    ]);
    expect(run.end.kind).toBe('loaded');
    // It had kept nothing of an earlier page, and asked for nothing by itself.
    expect(seen.filter(({ url }) => url === '/')).toEqual([
      { url: '/', cookie: undefined },
      { url: '/', cookie: undefined },
    ]);
    expect(run.traffic.refused).toEqual([]);
    const next = await waitForSpare();
    expect(next).not.toBe(ahead);
  },
);

test('one that died while it waited is not used', { timeout: 120_000 }, async () => {
  process.kill(await waitForSpare(), 'SIGKILL');
  await expect.poll(browsers, quickly).toEqual([]);
  expect((await load()).end.kind).toBe('loaded');
});

test('while a page loads none is started beside it', { timeout: 120_000 }, async () => {
  await waitForSpare();
  let most = 0;
  const watch = setInterval(() => (most = Math.max(most, browsers().length)), 50);
  const [first, second] = await Promise.all([load(), load()]);
  clearInterval(watch);
  expect([first.end.kind, second.end.kind]).toEqual(['loaded', 'loaded']);
  expect(most).toBe(2);
});

test('at the end nothing is left', { timeout: 60_000 }, async () => {
  await waitForSpare();
  spare.close();
  await expect.poll(() => tracker.leftovers(), quickly).toEqual([]);
  expect((await load()).end.kind).toBe('loaded');
  expect(tracker.leftovers()).toEqual([]);
});
