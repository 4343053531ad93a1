// Compares the probe with Lighthouse's own command line on pages of twenty kinds, run after run in turn, on a machine that does nothing else:
//   node test/browser/pagespeed-check/against-cli.ts --runs=5 --category=all --pages=fonts,images
// Without options: five runs, performance, all pages. --lean spares the command line what the probe leaves out. A browser is started ahead, as
// in a worker that rests between two pages, and is up before the command line runs; --cold starts each when its page comes.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { categoryNames, expandCategories } from '#shared/catalogue/pagespeed-check/categories';
import { findBrowser } from '../../../worker/probes/browser/find-browser.ts';
import { findTree, killTree, measureMemory } from '../../../worker/probes/browser/process-tree.ts';
import { openSpareBrowser } from '../../../worker/probes/browser/spare.ts';
import { expectRun, openProbe, openSite, siteAddress } from './kit.ts';
import { answerLab, labPages } from './lab-pages.ts';

/** By metric, category, and `ms`, `MB`. */
type Figures = { readonly [name: string]: number };
type Pair = { readonly ours: readonly Figures[]; readonly theirs: readonly Figures[] };

const metricAudits = {
  lcp: 'largest-contentful-paint',
  cls: 'cumulative-layout-shift',
  tbt: 'total-blocking-time',
  fcp: 'first-contentful-paint',
  si: 'speed-index',
} as const;
const metricNames = Object.keys(metricAudits) as (keyof typeof metricAudits)[];
const leanFlags = [
  '--disable-full-page-screenshot',
  '--skip-audits=bf-cache,inp-breakdown-insight,max-potential-fid,modern-http-insight,script-treemap-data,user-timings',
];

const { values: asked } = parseArgs({
  options: {
    runs: { type: 'string', default: '5' },
    category: { type: 'string', default: 'performance' },
    pages: { type: 'string', default: Object.keys(labPages).join(',') },
    lean: { type: 'boolean', default: false },
    cold: { type: 'boolean', default: false },
  },
});
const categories = expandCategories([asked.category]);
/** What is compared: the metrics and the scores. */
const compared = [...metricNames, ...categoryNames.filter((name) => categories.includes(name))];
const found = await findBrowser({ path: process.env['BROWSER_PATH'], folder: 'data' });
if ('kind' in found) throw new Error(found.reason);
const { executable } = found;
const site = await openSite(answerLab);
const spare = asked.cold ? undefined : openSpareBrowser();
/** The start of the next browser must not be measured with a page. */
const restMs = asked.cold ? 0 : 5000;

// Fills the compile caches of both, as a second run finds them.
await runOurs('text');
await sleep(restMs);
await runTheirs('text');
const pairs = new Map<string, Pair>();
for (const page of asked.pages.split(',')) {
  const ours: Figures[] = [];
  const theirs: Figures[] = [];
  for (let run = 0; run < Number(asked.runs); run += 1) {
    theirs.push(await runTheirs(page));
    ours.push(await runOurs(page));
    await sleep(restMs);
  }
  pairs.set(page, { ours, theirs });
  printPage(page, { ours, theirs });
}
spare?.close();
await site.close();
printSum([...pairs.values()]);
await sleep(500);
process.exit(0);

function addressOf(page: string): string {
  return `http://page.test/${page}`;
}

async function runOurs(page: string): Promise<Figures> {
  const start = performance.now();
  const path = process.env['BROWSER_PATH'];
  const probe = openProbe(site.port, { path, ...(spare ? { spare } : {}) });
  const run = expectRun(
    await probe.run({ url: addressOf(page), strategy: 'mobile', categories, timeoutMs: 90_000 }),
  );
  const ms = Math.round(performance.now() - start);
  if (run.end.kind !== 'loaded') throw new Error(`${page}: ${JSON.stringify(run.end)}`);
  const { metrics, score, categories: others, observed, environment } = run.end.page;
  return {
    ms,
    MB: Math.round((run.peakMemoryBytes ?? 0) / 1e6),
    ...Object.fromEntries(metricNames.map((name) => [name, metrics[name].value ?? -1])),
    performance: score ?? -1,
    ...(others?.scores as Figures | undefined),
    fcpSeen: observed['observedFirstContentfulPaint'] ?? -1,
    siSeen: observed['observedSpeedIndex'] ?? -1,
    benchmark: environment.benchmarkIndex,
  };
}

type Told = {
  readonly categories: { readonly [name: string]: { readonly score: number | null } };
  readonly audits: {
    readonly [id: string]: {
      readonly numericValue?: number;
      readonly details?: { readonly items?: readonly Figures[] };
    };
  };
  readonly environment: { readonly benchmarkIndex: number };
};

async function runTheirs(page: string): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), 'against-cli-'));
  const output = join(folder, 'told.json');
  const cli = fileURLToPath(new URL('../../../node_modules/lighthouse/cli/index.js', import.meta.url));
  const flags = [
    addressOf(page),
    `--only-categories=${categories.join(',')}`,
    '--output=json',
    `--output-path=${output}`,
    '--quiet',
    `--chrome-flags=--headless=new --no-sandbox --host-resolver-rules="MAP *.test:80 ${siteAddress}:${site.port}"`,
    ...(asked.lean ? leanFlags : []),
  ];
  const start = performance.now();
  const child = spawn(process.execPath, [cli, ...flags], {
    stdio: 'ignore',
    detached: true,
    env: { ...process.env, CHROME_PATH: executable },
  });
  let mostBytes = 0;
  const watch = setInterval(() => {
    mostBytes = Math.max(mostBytes, measureMemory(findTree([child.pid ?? 0])) ?? 0);
  }, 250);
  await new Promise((resolve) => child.once('exit', resolve));
  const ms = Math.round(performance.now() - start);
  clearInterval(watch);
  await killTree([child.pid ?? 0]);
  const { audits, categories: judged, environment } = JSON.parse(readFileSync(output, 'utf8')) as Told;
  rmSync(folder, { recursive: true });
  const measured = audits['metrics']?.details?.items?.[0];
  return {
    ms,
    MB: Math.round(mostBytes / 1e6),
    ...Object.fromEntries(metricNames.map((name) => [name, audits[metricAudits[name]]?.numericValue ?? -1])),
    ...Object.fromEntries(Object.entries(judged).map(([name, { score }]) => [name, score ?? -1])),
    fcpSeen: measured?.['observedFirstContentfulPaint'] ?? -1,
    siSeen: measured?.['observedSpeedIndex'] ?? -1,
    benchmark: environment.benchmarkIndex,
  };
}

function printPage(page: string, { ours, theirs }: Pair): void {
  console.log(`\n${page}: wall ${ratio({ ours, theirs }).toFixed(2)} of the command line's`);
  for (const name of [...compared, 'fcpSeen', 'siSeen', 'benchmark', 'ms', 'MB']) {
    const own = median(valuesOf(ours, name));
    const isApart = (compared as readonly string[]).includes(name) && !isInside({ ours, theirs }, name);
    console.log(
      `  ${isApart ? '!' : ' '} ${name.padEnd(16)} ours ${show(own)} [${valuesOf(ours, name).map(show).join(' ')}]  cli ${show(median(valuesOf(theirs, name)))} [${valuesOf(theirs, name).map(show).join(' ')}]`,
    );
  }
}

function printSum(all: readonly Pair[]): void {
  const cells = all.flatMap((pair) => compared.map((name) => isInside(pair, name)));
  const ms = all.flatMap(({ ours }) => valuesOf(ours, 'ms'));
  const [own, other] = (['ours', 'theirs'] as const).map((side) =>
    Math.max(...all.flatMap((pair) => valuesOf(pair[side], 'MB'))),
  );
  console.log(`
medians inside the command line's own spread: ${cells.filter(Boolean).length} of ${cells.length}
wall, ours of the command line's: median ${median(all.map(ratio)).toFixed(2)}, worst ${Math.max(...all.map(ratio)).toFixed(2)}
pages a minute, one after another: ${(60_000 / (ms.reduce((sum, one) => sum + one, 0) / ms.length)).toFixed(1)}
most memory of a page: ${own} MB, of the command line ${other} MB`);
}

/** Whether our median lies where the command line's own runs lie; a unit of the last place apart is not told from them. */
function isInside({ ours, theirs }: Pair, name: string): boolean {
  const others = valuesOf(theirs, name);
  const slack = name === 'cls' || (categoryNames as readonly string[]).includes(name) ? 0.011 : 10;
  const own = median(valuesOf(ours, name));
  return own >= Math.min(...others) - slack && own <= Math.max(...others) + slack;
}

function ratio({ ours, theirs }: Pair): number {
  return median(valuesOf(ours, 'ms')) / median(valuesOf(theirs, 'ms'));
}

function valuesOf(list: readonly Figures[], name: string): readonly number[] {
  return list.map((figures) => figures[name] ?? -1);
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? -1;
}

function show(value: number): string {
  return String(Math.round(value * 100) / 100);
}
