import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { hasMongo, startMongo } from '../test/kit/mongo.ts';
import { freePort } from '../test/kit/programs.ts';
import { hasRedis, startRedis } from '../test/kit/redis.ts';
import { startService } from '../test/kit/service-process.ts';
import { cpuMsOf } from './process-cpu.ts';
import type { Section } from './section.ts';

type Row = readonly [what: string, figure: string];

/** Each is started and ended once before, for the compile cache, then measured this often. */
const starts = Number(process.env['BENCH_STARTS'] ?? 3);
const idleMs = 10_000;

/** What an install, an image and an idle process take, and how soon one answers. */
export async function bench(): Promise<Section> {
  const rows = [...measureInstalls(), ...(await measureProcesses())];
  for (const [what, figure] of rows) console.log(`${what}: ${figure}`);
  return {
    title: 'Install size, idle memory and start',
    about: `Sizes are \`du -sm node_modules\` after the command in an empty folder; those of the image are pruned as in the Dockerfile. RSS is VmRSS ${idleMs / 1000} s after the start, without a request. The time to the first answer (/livez, then /api/findings) is the fastest of ${starts} starts with compiled code. A busy worker holds more: see operating.md.`,
    columns: ['what', 'figure'],
    rows,
    limits:
      'in an install, Node (189 MB, of which 67 are C headers), the packed browser (67) and two type checkers (53). In an idle process, Node with an HTTP server takes 59 MB, and 45 of them are pages that all processes share. The clients of Redis, MongoDB and the queue make a scaled process larger than an embedded one.',
  };
}

/** @param args of `npm ci` */
function measureInstall(args: readonly string[], after: (folder: string) => void = () => undefined): string {
  const folder = mkdtempSync(join(tmpdir(), 'diag-footprint-'));
  for (const file of ['package.json', 'package-lock.json', '.npmrc', 'deploy/image/empty'])
    cpSync(file, join(folder, file), { recursive: true });
  npm(folder, ['ci', ...args]);
  after(folder);
  const [megabytes = ''] = execFileSync('du', ['-sm', 'node_modules'], { cwd: folder })
    .toString()
    .split('\t');
  rmSync(folder, { recursive: true });
  return `${megabytes} MB`;
}

function npm(folder: string, args: readonly string[]): void {
  execFileSync('npm', args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
}

const ofImage = ['--omit=dev', '--omit=optional', '--ignore-scripts'];
const ofBrowser = ['@sparticuz/chromium', 'chrome-launcher', 'lighthouse', 'puppeteer-core'];

function prune(folder: string): void {
  execFileSync(process.execPath, ['deploy/image/prune-modules.ts', join(folder, 'node_modules')]);
}

function measureInstalls(): Row[] {
  return [
    ['npm ci', measureInstall([])],
    ['npm ci --omit=dev', measureInstall(['--omit=dev'])],
    ['modules of the image', measureInstall(ofImage, prune)],
    [
      'modules of the image, BROWSER=none',
      measureInstall(ofImage, (folder) => {
        npm(folder, ['uninstall', ...ofImage, ...ofBrowser]);
        prune(folder);
      }),
    ],
  ];
}

type Kind = { readonly name: string; readonly command: string; readonly environment: Record<string, string> };

async function measureProcesses(): Promise<Row[]> {
  const embedded = { name: 'npm start', command: 'serve', environment: { WORKER_QUEUES: 'network' } };
  if (!hasRedis || !hasMongo) return measureKind(embedded);
  const [redis, mongo] = await Promise.all([startRedis(), startMongo()]);
  const scaled = { REDIS_URL: redis.url, MONGODB_URL: mongo.url };
  const rows: Row[] = [];
  for (const kind of [
    embedded,
    { name: 'npm run api', command: 'api', environment: scaled },
    { name: 'network worker', command: 'worker', environment: { ...scaled, WORKER_QUEUES: 'network' } },
  ])
    rows.push(...(await measureKind(kind)));
  await Promise.all([redis.stop(), mongo.stop()]);
  return rows;
}

async function measureKind({ name, command, environment }: Kind): Promise<Row[]> {
  const program = { program: process.execPath, args: ['--max-semi-space-size=8', 'cli/diag.js', command] };
  const settings = { DATA_DIR: ':memory:', PORT: '0', ...environment };
  const answers: Started[] = [];
  for (let round = 0; round <= starts; round += 1) {
    // The first is to compile.
    const started = await startOnce(program, settings, command === 'worker' ? '' : '/api/findings');
    if (round > 0) answers.push(started);
  }
  const service = await startService({ ...program, environment: { ...settings, ADMIN_PORT: '0' } });
  await delay(idleMs);
  const [, kB = ''] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.child.pid}/status`, 'utf8')) ?? [];
  service.kill('SIGTERM');
  await service.closed;
  const least = (of: keyof Started) => Math.round(Math.min(...answers.map((answer) => answer[of])));
  return [
    [`${name}, idle RSS`, `${Math.round((Number(kB) * 1024) / 1e6)} MB`],
    [`${name}, start to the first answer`, `${least('tookMs')} ms, ${least('cpuMs')} of CPU`],
  ];
}

type Program = { readonly program: string; readonly args: readonly string[] };

type Started = { readonly tookMs: number; readonly cpuMs: number };

/** From the start of the process until it has answered /livez, then this path; and the CPU of all its threads until then. */
async function startOnce(
  { program, args }: Program,
  settings: Readonly<Record<string, string>>,
  path: string,
): Promise<Started> {
  const [port, adminPort] = [await freePort(), await freePort()];
  const start = performance.now();
  const child = spawn(program, args, {
    env: { PATH: process.env['PATH'], ...settings, PORT: String(port), ADMIN_PORT: String(adminPort) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  await untilOk(`http://127.0.0.1:${adminPort}/livez`);
  if (path !== '') await untilOk(`http://127.0.0.1:${port}${path}`);
  const started = { tookMs: performance.now() - start, cpuMs: cpuMsOf([child.pid]) };
  child.kill('SIGTERM');
  await ended;
  return started;
}

const withinMs = 20_000;

async function untilOk(url: string): Promise<void> {
  const end = performance.now() + withinMs;
  while (performance.now() < end) {
    const isOk = await fetch(url).then(
      async (answer) => (await answer.arrayBuffer(), answer.ok),
      () => false, // nothing listens yet
    );
    if (isOk) return;
    await delay(5);
  }
  throw new Error(`${url} did not answer within ${withinMs / 1000} s`);
}
