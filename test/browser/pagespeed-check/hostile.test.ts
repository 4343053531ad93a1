import { readdirSync, statSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { codesBroken } from '#shared/model/verdict';
import { assessPagespeed } from '../../../worker/checks/pagespeed-check/assess.ts';
import { isRemote } from '../../../worker/checks/pagespeed-check/evidence.ts';
import { gatherPagespeed } from '../../../worker/checks/pagespeed-check/gather.ts';
import type { BrowserProbe } from '../../../worker/probes/browser/port.ts';
import { browserLimits } from '../../../worker/start/browser-settings.ts';
import { type Hurry, hostilePages } from './hostile-pages.ts';
import { openProbe, openSite, trackProcesses } from './kit.ts';
import { stormPages } from './storms.ts';

/** `SOAK=1`: every page, under production's limits, and so its figures; else shorter ones that show the same ends. */
const isSoak = process.env['SOAK'] === '1';
const allPages = [...hostilePages, ...stormPages];
const pages = allPages.filter(({ nearly }) => isSoak || nearly === undefined);
const limitMs = isSoak ? 60_000 : 35_000;

let answer: RequestListener = () => undefined;
const site = await openSite((request, response) => answer(request, response));
const tracker = trackProcesses();
afterAll(() => {
  tracker.stop();
  return site.close();
});

function openBrowser(hurry: Hurry): BrowserProbe {
  const path = process.env['BROWSER_PATH'];
  if (isSoak) return openProbe(site.port, { path });
  const { timeoutMs = 25_000, loadMs = 8000, firstPaintMs = 5000, ...shorter } = hurry;
  const probe = openProbe(site.port, {
    path,
    limits: {
      silentMs: 15_000,
      memoryBytes: 1_200_000_000,
      traffic: { ...browserLimits.traffic, bytes: 30_000_000 },
      ...shorter,
      waits: { firstPaintMs, loadMs, protocolMs: 8000 },
    },
  });
  return {
    ...probe,
    run: (request) => probe.run({ ...request, timeoutMs: Math.min(timeoutMs, request.timeoutMs) }),
  };
}

async function check(url: string, hurry: Hurry = {}) {
  const start = performance.now();
  const evidence = await gatherPagespeed({
    target: url,
    options: { strategy: 'mobile', runs: 1 },
    probes: { browser: openBrowser(hurry) },
    progress: () => undefined,
  });
  const tookMs = Math.round(performance.now() - start);
  const run = evidence.runs[0];
  const peakMb = run?.kind === 'run' && !isRemote(run) ? Math.round((run.peakMemoryBytes ?? 0) / 1e6) : 0;
  return { ...assessPagespeed(evidence), evidence, tookMs, peakMb };
}

test.for(pages)(
  '$name ends in time, says so, and leaves nothing behind',
  { timeout: 80_000 },
  async (page) => {
    answer = page.answer;
    const disk = watchDisk();
    const { fields, state, verdicts, tookMs, peakMb, evidence } = await check(
      page.url ?? 'http://a.test/',
      page.hurry,
    );
    const left = tracker.leftovers();
    const diskMb = Math.round(disk.most() / 1e6);
    const [run] = evidence.runs;
    const raw = run?.kind === 'run' && run.end.kind !== 'loaded' ? JSON.stringify(run.end).slice(0, 200) : '';
    console.log(
      `${page.name}: ${String(fields['ended'])} ${state} ${tookMs} ms, ${peakMb} MB, ${diskMb} MB on disk, ${left.length} left ${raw}`,
    );
    expect(page.ends).toContain(fields['ended']);
    for (const code of page.broken ?? []) expect(codesBroken(verdicts)).toContain(code);
    expect(tookMs).toBeLessThan(limitMs);
    expect(diskMb).toBeLessThan(200);
    expect(left).toEqual([]);
  },
);

const soakOnly = allPages.filter(({ nearly }) => nearly !== undefined);

test(`left to SOAK=1, each nearly the same as one above: ${soakOnly.map(({ name }) => name).join('; ')}`, () => {
  const always = allPages.filter(({ nearly }) => nearly === undefined).map(({ name }) => name);
  expect(soakOnly.filter(({ nearly = '' }) => !always.includes(nearly))).toEqual([]);
});

test('the next page is measured as if nothing had been', { timeout: 60_000 }, async () => {
  answer = (request, response) =>
    request.url === '/'
      ? response
          .writeHead(200, { 'content-type': 'text/html' })
          .end(
            '<!doctype html><meta name="viewport" content="width=device-width"><title>x</title><h1>hello</h1>',
          )
      : response.writeHead(404).end();
  const { fields, score } = await check('http://a.test/');
  expect(fields['ended']).toBe('measured');
  expect(score).toBeGreaterThan(90);
});

/** Follows what lies in profile folders; the most of it, in bytes. */
function watchDisk(): { most(): number } {
  let most = 0;
  const timer = setInterval(() => {
    const sizes = tracker.profiles().flatMap((folder) => listFiles(folder).map(sizeOf));
    most = Math.max(
      most,
      sizes.reduce((sum, size) => sum + size, 0),
    );
  }, 200);
  return {
    most() {
      clearInterval(timer);
      return most;
    },
  };
}

function listFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name)));
  } catch {
    return []; // it was removed while we looked
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
