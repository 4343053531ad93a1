import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { LoopSamples } from '../test/kit/loop-watch.ts';
import { headOf, oneByteChunks, sendPieces } from '../test/kit/pieces.ts';
import { type ServiceProcess, startService } from '../test/kit/service-process.ts';
import { seed, type Seeded } from '../test/slow/walk/seed.ts';
import type { Section } from './section.ts';

const many = <T>(count: number, act: (at: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, at) => act(at)));

type Asked = { readonly port: number; readonly seeded: Seeded; readonly other: Seeded };
type Row = { readonly name: string; readonly act: (asked: Asked) => Promise<unknown> };

const short = oneByteChunks(262_144);
const long = oneByteChunks(2_000_000);
const json = 'Content-Type: application/json';
const chunked = 'Transfer-Encoding: chunked';
const patience = 30_000;

const pieces = (count: number, line: string, fields: readonly string[], body = short): Row['act'] => {
  const head = headOf(line, [...fields, chunked]);
  return ({ port, seeded }) =>
    many(count, () => sendPieces({ port, head: head.replace('TOKEN', seeded.token), body, ms: patience }));
};
const list = ['Content-Type: text/plain', 'Authorization: Bearer TOKEN'];

const rows: readonly Row[] = [
  { name: 'ordinary requests', act: async ({ port }) => many(30, () => get(port, '/problems/not_found')) },
  {
    name: 'POST /mcp, 30 × 262 kB',
    act: pieces(30, 'POST /mcp', [json, 'Accept: application/json, text/event-stream']),
  },
  {
    name: 'POST of a form, 10 × 262 kB',
    act: pieces(10, 'POST /d/a.test', ['Content-Type: application/x-www-form-urlencoded']),
  },
  { name: 'a batch without a token, 10 × 262 kB', act: pieces(10, 'POST /api/batches', [json]) },
  { name: 'a batch of 2 MB', act: pieces(1, 'POST /api/batches?check=dns-check', list, long) },
  { name: 'four batches of 2 MB', act: pieces(4, 'POST /api/batches?check=dns-check', list, long) },
  { name: 'GET /favicon.ico, 30 × 262 kB', act: pieces(30, 'GET /favicon.ico', []) },
  { name: '404, 30 × 262 kB', act: pieces(30, 'GET /nothing', []) },
  {
    name: 'a foreign Host, 30 × 262 kB',
    act: ({ port }) =>
      many(30, () =>
        sendPieces({
          port,
          head: `GET / HTTP/1.1\r\nHost: other.example\r\n${chunked}\r\n\r\n`,
          body: short,
          ms: patience,
        }),
      ),
  },
  {
    name: '10 × 3,000 requests that wait for no answer',
    act: ({ port }) =>
      many(10, () =>
        sendPieces({ port, head: '', body: Buffer.from(headOf('GET /x', []).repeat(3000)), ms: 8000 }),
      ),
  },
  {
    name: 'a calendar of 2,000 targets, 60 times at once',
    act: ({ port, seeded }) => many(60, () => get(port, `/api/watches/expiries.ics?key=${seeded.feedKey}`)),
  },
];

/** What pieces cost that arrive: the longest turn of the loop, another's longest GET, and the memory that stays. */
export async function bench(): Promise<Section> {
  const folder = mkdtempSync(join(tmpdir(), 'diag-bench-'));
  const file = join(folder, 'loop.json');
  const settings = {
    DATA_DIR: join(folder, 'data'),
    PORT: '0',
    ADMIN_PORT: '0',
    MCP: 'on',
    RATE_LIMIT: 'off',
    LOG_LEVEL: 'info',
    CONTROLS: 'off',
    TARGET_ALLOW_SUFFIXES: 'test',
  };
  const counts = { targets: 2000, deliveries: 0, watches: 0, batches: 1, ends: 500, reports: 20 };
  const seeded = await seed(settings, counts);
  const other = await seed(settings, { ...counts, targets: 100 }, 'o');
  const service = await startService({
    program: process.execPath,
    args: [
      '--max-semi-space-size=8',
      '--import',
      fileURLToPath(new URL('../test/kit/loop-watch.ts', import.meta.url)),
      fileURLToPath(new URL('../cli/diag.js', import.meta.url)),
      'serve',
    ],
    environment: { ...settings, LOOP_WATCH_FILE: file },
  });
  try {
    const asked = { port: Number(new URL(service.url).port), seeded, other };
    const seen: string[][] = [];
    for (const row of rows) seen.push(await measure(service, asked, row));
    service.kill('SIGUSR2');
    service.kill('SIGTERM');
    await service.closed;
    const parts = JSON.parse(readFileSync(file, 'utf8')) as readonly LoopSamples[];
    const table = rows.map(({ name }, at) => [
      name,
      Math.max(0, ...(parts[at + 1]?.heldMs ?? [])).toFixed(0),
      ...(seen[at] ?? []),
    ]);
    return {
      title: 'What arrives in pieces',
      about:
        'Bodies in chunks of one byte, and lists that are read many times at once, by one account. Meanwhile another client asks for a page again and again, over a new connection each time, and another account for its calendar.',
      columns: [
        'what is sent',
        'longest turn of the loop, ms of CPU',
        'longest GET of another, ms',
        'longest calendar of another account, ms',
        'memory before, MB',
        'most',
        'after',
      ],
      rows: table,
      limits:
        'the first 64 kB of a connection, which Node reads and parses by itself, and then 4 ms of each turn for all connections together.',
    };
  } finally {
    service.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  }
}

/** Does it once, beside others. */
async function measure(service: ServiceProcess, asked: Asked, { name, act }: Row): Promise<string[]> {
  const { port, other } = asked;
  const memory = () =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.child.pid}/status`, 'utf8'))?.[1]) / 1024;
  // What has to be compiled or loaded is no part of it; and what a row has left is over.
  for (let at = 0; at < 20; at += 1) await get(port, '/problems/not_found');
  await after(1500);
  service.kill('SIGUSR2');
  const before = memory();
  let most = before;
  let isOver = false;
  const watch = async (path: string) => {
    let longest = 0;
    while (!isOver) {
      longest = Math.max(longest, await get(port, path));
      most = Math.max(most, memory());
      await after(20);
    }
    return longest;
  };
  const watching = [watch('/problems/not_found'), watch(`/api/watches/expiries.ics?key=${other.feedKey}`)];
  await after(200);
  await act(asked);
  await after(300);
  isOver = true;
  const [page = 0, calendar = 0] = await Promise.all(watching);
  await after(1000);
  const row = [page, calendar, before, most, memory()].map((value) => value.toFixed(0));
  console.log(`${name}: ${row.join(' ')}`);
  return row;
}

/** How long a GET takes, ms, over a connection of its own. */
function get(port: number, path: string): Promise<number> {
  const start = performance.now();
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, agent: false }, (response) => {
      response.resume().once('close', () => resolve(performance.now() - start));
    })
      .on('error', reject)
      .end();
  });
}
