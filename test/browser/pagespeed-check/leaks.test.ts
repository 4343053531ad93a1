import { chown, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import puppeteer from 'puppeteer-core';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { startChromium } from '../../../worker/probes/browser/child/chromium.ts';
import { findBrowser } from '../../../worker/probes/browser/find-browser.ts';
import { chromiumFlags } from '../../../worker/probes/browser/flags.ts';
import { killTree } from '../../../worker/probes/browser/process-tree.ts';
import { expectRun, openProbe, openSite, siteAddress } from './kit.ts';
import { leakKinds, leakPage } from './leak-page.ts';
import { openListeners } from './listeners.ts';

const listeners = await openListeners();
const aim = `http://127.0.0.1:${listeners.port}`;
const site = await openSite((request, response) => {
  const { html, headers } = leakPage(listeners.port);
  if (request.url === '/') return response.writeHead(200, headers).end(html);
  if (request.url?.startsWith('/redirect'))
    return response.writeHead(302, { location: `${aim}${request.url}` }).end();
  if (request.url?.endsWith('-worker.js'))
    return response
      .writeHead(200, { 'content-type': 'text/javascript' })
      .end(`fetch("${aim}${request.url.replace('.js', '')}",{mode:"no-cors"}).catch(()=>{})`);
  return response.writeHead(404).end();
});
afterAll(async () => {
  await Promise.all([listeners.close(), site.close()]);
});
beforeEach(() => {
  (listeners.seen as string[]).length = 0;
});

const browsers = [
  { name: 'the bundled Chromium', path: undefined },
  ...(process.env['BROWSER_PATH']
    ? [{ name: process.env['BROWSER_PATH'], path: process.env['BROWSER_PATH'] }]
    : []),
];

test.for(browsers)(
  '$name without the proxy reaches the private port by nearly every way',
  { timeout: 60_000 },
  async ({ path }) => {
    const names = await loadUnguarded(path);
    const kinds = leakKinds(listeners.port).map(({ name }) => name);
    // Of these two no name can be read: a connection without a word, and an encrypted datagram.
    if (names.has('tcp')) names.add('preconnect');
    if (names.has('quic')) names.add('web-transport');
    const unseen = kinds.filter((name) => !names.has(name));
    console.log(
      `${kinds.length - unseen.length} of ${kinds.length} kinds leak unguarded; not seen: ${unseen.join(', ')}`,
    );
    expect(kinds.length - unseen.length).toBeGreaterThan(38);
  },
);

test.for(browsers)(
  '$name behind the proxy sends not one packet to the private port',
  { timeout: 90_000 },
  async ({ path }) => {
    const probe = openProbe(site.port, { path });
    const run = expectRun(
      await probe.run({ url: `http://${siteAddress}/`, strategy: 'mobile', timeoutMs: 60_000 }),
    );
    expect(run.end.kind).toBe('loaded');
    expect(listeners.seen).toEqual([]);
    expect(new Set(run.traffic.refused.map(({ code }) => code))).toEqual(
      new Set(['target-not-allowed', 'target-address-not-allowed']),
    );
  },
);

/** The same page in the same browser, with every flag but those that lead it through the proxy. */
async function loadUnguarded(path: string | undefined): Promise<Set<string>> {
  const found = await findBrowser({ path, folder: 'data' });
  if ('kind' in found) throw new Error(found.reason);
  const uid = process.getuid?.() === 0 ? 65_534 : undefined;
  const profile = await mkdtemp(join('/var/tmp', 'diagnostic-control-'));
  if (uid !== undefined) await chown(profile, uid, uid);
  const guarding = /^--(?:proxy-|host-resolver|webrtc-|force-webrtc|disable-quic)/;
  const flags = chromiumFlags({ proxyPort: 1, profile, sandbox: true, trustedKeys: [] }).filter(
    (flag) => !guarding.test(flag),
  );
  const { pid, transport } = startChromium({
    executable: found.executable,
    arguments: [...flags, '--host-resolver-rules=MAP private.test 127.0.0.1'],
    profile,
    uid,
  });
  try {
    const browser = await puppeteer.connect({ transport, defaultViewport: null });
    const page = await browser.newPage();
    await page.goto(`http://${siteAddress}:${site.port}/`, { waitUntil: 'load' });
    return await seenUntilQuiet();
  } finally {
    await killTree([pid]);
    await rm(profile, { recursive: true, force: true });
  }
}

/** The kinds that have come when none was new for 600 ms and most are there; within 4 s. */
async function seenUntilQuiet(): Promise<Set<string>> {
  let before = -1;
  const isQuiet = (count: number) => count === before && count > 40;
  for (let round = 0; round < 7 && !isQuiet(new Set(listeners.seen).size); round += 1) {
    before = new Set(listeners.seen).size;
    await new Promise((resolve) => setTimeout(resolve, 600));
  }
  return new Set(listeners.seen);
}
