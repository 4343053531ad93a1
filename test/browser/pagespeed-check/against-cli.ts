// Compares the probe with Lighthouse's own command line on the same loopback page, run after run in turn:
//   node test/browser/pagespeed-check/against-cli.ts [runs=5] [lean]
// "lean" spares the command line what the probe leaves out, so that only the ways of running are compared.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findBrowser } from '../../../worker/probes/browser/find-browser.ts';
import { expectRun, openProbe, openSite, siteAddress } from './kit.ts';

type Figures = { readonly ms: number; readonly score: number } & Record<string, number>;
const audits = {
  lcp: 'largest-contentful-paint',
  cls: 'cumulative-layout-shift',
  tbt: 'total-blocking-time',
  fcp: 'first-contentful-paint',
  si: 'speed-index',
};

const found = await findBrowser({ path: process.env['BROWSER_PATH'], folder: 'data' });
if ('kind' in found) throw new Error(found.reason);
const site = await openSite((request, response) => {
  if (request.url === '/') return response.writeHead(200, { 'content-type': 'text/html' }).end(makePage());
  if (request.url === '/s.js')
    return response.writeHead(200, { 'content-type': 'text/javascript' }).end(script);
  if (request.url?.endsWith('.bmp'))
    return response.writeHead(200, { 'content-type': 'image/bmp' }).end(picture);
  return response.writeHead(404).end();
});
const url = `http://${siteAddress}:${site.port}/`;
const script = `// After the first paint: a task that straddles it counts half the time, in any harness.
addEventListener("load",()=>setTimeout(()=>{const until=performance.now()+150;while(performance.now()<until);},300));
${'function unused(){return 1}\n'.repeat(4000)}`;
const picture = makePicture(400, 200);

const leanFlags = [
  '--disable-full-page-screenshot',
  '--skip-audits=bf-cache,inp-breakdown-insight,max-potential-fid,modern-http-insight,screenshot-thumbnails,script-treemap-data,user-timings',
];
const count = Number(process.argv[2] ?? 5);
const ours: Figures[] = [];
const theirs: Figures[] = [];
await runOurs(); // fills the compile cache, as a worker's second run finds it
for (let run = 0; run < count; run += 1) {
  theirs.push(await runTheirs());
  ours.push(await runOurs());
}
await site.close();
for (const key of ['ms', 'score', ...Object.keys(audits)]) {
  const [own, other] = [median(ours, key), median(theirs, key)];
  const all = (list: readonly Figures[]) =>
    list.map((figures) => Math.round((figures[key] ?? 0) * 1000) / 1000).join(' ');
  console.log(
    `${key.padEnd(5)} ours ${own}  cli ${other}  ratio ${(own / other).toFixed(2)}   [${all(ours)}] [${all(theirs)}]`,
  );
}
process.exit(0);

async function runOurs(): Promise<Figures> {
  const start = performance.now();
  const { end } = expectRun(
    await openProbe(site.port, { path: process.env['BROWSER_PATH'] }).run({
      url,
      strategy: 'mobile',
      timeoutMs: 60_000,
    }),
  );
  if (end.kind !== 'loaded') throw new Error(JSON.stringify(end));
  const values = Object.keys(audits).map((name) => [
    name,
    end.page.metrics[name as keyof typeof audits].value ?? 0,
  ]);
  return {
    ms: Math.round(performance.now() - start),
    score: end.page.score ?? 0,
    ...Object.fromEntries(values),
  } as Figures;
}

async function runTheirs(): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), 'against-cli-'));
  const output = join(folder, 'result.json');
  const start = performance.now();
  const cli = fileURLToPath(new URL('../../../node_modules/lighthouse/cli/index.js', import.meta.url));
  const flags = [
    url,
    '--only-categories=performance',
    '--output=json',
    `--output-path=${output}`,
    '--quiet',
    '--chrome-flags=--headless=new --no-sandbox',
  ];
  const more = process.argv[3] === 'lean' ? leanFlags : [];
  const child = spawn(process.execPath, [cli, ...flags, ...more], {
    stdio: 'ignore',
    env: { ...process.env, CHROME_PATH: found && 'executable' in found ? found.executable : '' },
  });
  await new Promise((resolve) => child.once('exit', resolve));
  const ms = Math.round(performance.now() - start);
  const result = JSON.parse(readFileSync(output, 'utf8')) as {
    categories: { performance: { score: number } };
    audits: Record<string, { numericValue: number }>;
  };
  rmSync(folder, { recursive: true });
  const values = Object.entries(audits).map(([name, id]) => [name, result.audits[id]?.numericValue ?? 0]);
  return { ms, score: result.categories.performance.score, ...Object.fromEntries(values) } as Figures;
}

function median(list: readonly Figures[], key: string): number {
  const sorted = list.map((figures) => figures[key] ?? 0).toSorted((a, b) => a - b);
  return Math.round((sorted[Math.floor(sorted.length / 2)] ?? 0) * 1000) / 1000;
}

function makePage(): string {
  const images = Array.from(
    { length: 12 },
    (_, index) => `<img width="400" height="200" src="/${index}.bmp">`,
  ).join('');
  return `<!doctype html><meta name="viewport" content="width=device-width"><title>x</title><script defer src="/s.js"></script><h1>hello</h1>${images}`;
}

/** An uncompressed picture of noise. */
function makePicture(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(54 + width * 3 * height);
  bytes.write('BM');
  bytes.writeUInt32LE(bytes.length, 2);
  bytes.writeUInt32LE(54, 10);
  bytes.writeUInt32LE(40, 14);
  bytes.writeInt32LE(width, 18);
  bytes.writeInt32LE(height, 22);
  bytes.writeUInt16LE(1, 26);
  bytes.writeUInt16LE(24, 28);
  for (let at = 54; at < bytes.length; at += 1) bytes[at] = (at * 7919) % 251;
  return bytes;
}
