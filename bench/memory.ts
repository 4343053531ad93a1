import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Section } from './section.ts';
import { inLanes } from './statistics.ts';

const urls = Number(process.env['MEMORY_URLS'] ?? 100_000);
const freeUrls = Number(process.env['MEMORY_FREE_URLS'] ?? 50_000);
const mixedUrls = Number(process.env['MEMORY_MIXED_URLS'] ?? 100_000);
const runs = Number(process.env['MEMORY_RUNS'] ?? 2000);
const lanes = 8;
/** Of all requests; the memory is looked at after each. */
const shares = [0.2, 0.5, 1];
/** A header section holds 16 KiB: about the longest address that a caller can send. */
const longest = 15_000;

const connections = 32;
/** Requests that a connection has on their way: the server never waits for the client. */
const depth = 32;
const statusLine = /HTTP\/1\.1 (\d{3}) [^]*?\r\n\r\n/g;

/** What one entry of each memory holds, and the memory of one process after many different addresses: read from the store, run, and free ones (cached under another spelling, refused). It should end flat. */
export async function bench(): Promise<Section> {
  const entries = ['report of 2,000 bytes', 'address of 70 characters', 'counter of a caller'].map(heldBy);
  const rows = [
    await measure('stored', 'answered from the store', urls, (server, index) =>
      ask(server, toolPath(server, index)),
    ),
    await measure('run', 'run by workers in the process', runs, (server, index) =>
      ask(server, toolPath(server, index)),
    ),
    await measure('stored', 'free: one target in other spellings, 15 kB each', freeUrls, (server, index) =>
      ask(server, spelling(toolPath(server, 0), index)),
    ),
    await measure('stored', 'free: refused, 2 kB each', freeUrls, (server, index) =>
      ask(server, `/api/tools/redirect-check?url=http%3A%2F%2F10.0.0.1%2F${'a'.repeat(2000)}${index}`),
    ),
    await measureMixed(),
  ];
  return {
    title: 'Memory under load',
    about:
      'RSS of one process after many requests, each of them different. The last row mixes requests that are answered from memory and store, accepted as jobs, and refused in each way. They come over 32 pipelined connections, and the heap is that of a container of 512 MB. `MEMORY_MIXED_URLS=1000000` sends more of them. A flat end means that nothing grows without a bound.',
    columns: ['requests', 'count', 'before, MB', 'after a fifth', 'after half', 'at the end', 'end ÷ half'],
    rows,
    limits: `budgets in bytes for everything that callers fill; callers.md names them. What one entry takes: ${entries.join('; ')}.`,
  };
}

/** Requests that cost their callers nothing, no two alike, from as many callers as the limits ask for. */
const freeRequests: readonly ((target: string, index: number) => string)[] = [
  (_target, index) => `/api/tools/redirect-check?url=http%3A%2F%2F10.0.0.1%2F${index}`,
  (_target, index) => `/api/tools/ssl-check/n${index}.internal`,
  (_target, index) => `/api/tools/redirect-check?url=${index}`,
  (_target, index) => `/api/tools/redirect-check?field${index}=1`,
  (target, index) =>
    `/api/tools/redirect-check?url=${encodeURIComponent(`${target}/`)}&maxAge=${index + 86_400}&wait=0`,
  (_target, index) => `/api/jobs/${index.toString(16).padStart(32, '0')}`,
  (_target, index) => `/api/reports/${index.toString(16).padStart(32, '0')}`,
  (target, index) => `/api/tools/redirect-check?url=${encodeURIComponent(`${target}/${index}`)}&wait=0`,
];

/** The memory of one process after a mix of them: answered from memory and store, accepted as jobs, refused in each way. */
async function measureMixed(): Promise<string[]> {
  const server = await start('mixed');
  const port = Number(new URL(server.base).port);
  const write = (index: number) => {
    const path = freeRequests[index % freeRequests.length]?.(server.target, index) ?? '/';
    const token = index % 16 === 6 ? `Authorization: Bearer dtk_${index}\r\n` : '';
    // A new caller every 500 requests; some reach their limits.
    const caller = `198.18.${(index / 128_000) | 0}.${((index / 500) | 0) % 256}`;
    return `GET ${path} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${caller}\r\n${token}\r\n`;
  };
  return watch(server, 'free: of all kinds', mixedUrls, async (from, to) => {
    console.log(`${to} free URLs: ${JSON.stringify(await sendPipelined(port, from, to, write))}`);
  });
}

/** How often each status was answered. */
type Statuses = { readonly [status: string]: number };

/**
 * Sends these requests over a few connections, many at once on each, and reads no body: answers are found by their status lines.
 * @param write the octets of one request, with Host and without a body
 */
async function sendPipelined(
  port: number,
  from: number,
  to: number,
  write: (index: number) => string,
): Promise<Statuses> {
  const statuses: Record<string, number> = {};
  let next = from;
  const lane = () =>
    new Promise<void>((resolve, reject) => {
      let onTheirWay = 0;
      let rest = '';
      const socket = connect(port, '127.0.0.1');
      const send = () => {
        let text = '';
        for (; onTheirWay < depth && next < to; onTheirWay += 1) text += write(next++);
        if (text !== '') socket.write(text, 'latin1');
        else if (onTheirWay === 0) socket.end();
      };
      socket.setEncoding('latin1').on('connect', send).on('error', reject).on('close', resolve);
      socket.on('data', (piece) => {
        const text = rest + String(piece);
        let end = 0;
        for (const { 0: head, 1: status = '', index } of text.matchAll(statusLine)) {
          statuses[status] = (statuses[status] ?? 0) + 1;
          onTheirWay -= 1;
          end = index + head.length;
        }
        // A head may be split between two pieces.
        const begun = text.lastIndexOf('HTTP/1.1 ');
        rest = begun >= end ? text.slice(begun) : text.slice(end).slice(-10);
        send();
      });
    });
  await Promise.all(Array.from({ length: connections }, lane));
  return statuses;
}

function heldBy(name: string): string {
  const file = fileURLToPath(new URL('memory-held.ts', import.meta.url));
  return execFileSync(process.execPath, ['--expose-gc', '--max-semi-space-size=8', file, name])
    .toString()
    .trim();
}

type Server = {
  readonly child: ChildProcess;
  readonly base: string;
  readonly target: string;
  readonly agent: Agent;
};

async function measure(
  kind: 'stored' | 'run',
  what: string,
  count: number,
  act: (server: Server, index: number) => Promise<void>,
): Promise<string[]> {
  const server = await start(kind);
  return watch(server, what, count, (from, to) =>
    inLanes(to - from, lanes, (index) => act(server, from + index)),
  );
}

/** Sends all in pieces, and looks at the memory between them. @returns a row of the table; ends the server */
async function watch(
  server: Server,
  what: string,
  count: number,
  send: (from: number, to: number) => Promise<void>,
): Promise<string[]> {
  const seen = [await memoryOf(server)];
  let from = 0;
  for (const share of shares) {
    const to = Math.floor(count * share);
    await send(from, to);
    from = to;
    seen.push(await memoryOf(server));
  }
  console.log(`${count} URLs ${what}: RSS ${seen.map(mb).join(' → ')}`);
  server.agent.destroy();
  server.child.kill();
  const rss = seen.map((memory) => memory.rss / 1e6);
  const [, , half = Number.NaN, end = Number.NaN] = rss;
  return [what, String(count), ...rss.map((megabytes) => megabytes.toFixed(0)), (end / half).toFixed(2)];
}

function mb({ rss, heapUsed, heapTotal, arrayBuffers }: NodeJS.MemoryUsage): string {
  const [all, heap, room, buffers] = [rss, heapUsed, heapTotal, arrayBuffers].map((bytes) =>
    Math.round(bytes / 1e6),
  );
  return `${all} MB (heap ${heap} of ${room}, buffers ${buffers})`;
}

/** What V8 allows itself in a container of 512 MB; on a large machine it lets garbage lie, and RSS was 563 MB after a million. */
const asInContainer = ['--max-old-space-size=256'];

async function start(kind: 'stored' | 'run' | 'mixed'): Promise<Server> {
  const child = fork(fileURLToPath(new URL('memory-server.ts', import.meta.url)), [kind], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: ['--expose-gc', '--max-semi-space-size=8', ...(kind === 'mixed' ? asInContainer : [])],
  });
  const place = await new Promise<Pick<Server, 'base' | 'target'>>((resolve, reject) => {
    child.once('message', (message) => resolve(message as Pick<Server, 'base' | 'target'>));
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
  });
  return { child, agent: new Agent({ keepAlive: true, maxSockets: lanes }), ...place };
}

function memoryOf({ child }: Server): Promise<NodeJS.MemoryUsage> {
  return new Promise((resolve) => {
    child.once('message', (message) => resolve(message as NodeJS.MemoryUsage));
    child.send('memory');
  });
}

function toolPath({ target }: Server, index: number): string {
  return `/api/tools/redirect-check?url=${encodeURIComponent(`${target}/${index}`)}`;
}

/** The same question in as many spellings as wanted: empty pairs before and behind it, and a wait that changes nothing. */
function spelling(path: string, index: number): string {
  const [head = '', query = ''] = path.split('?');
  const room = longest - query.length;
  const before = index % room;
  return `${head}?${'&'.repeat(before)}${query}&wait=${Math.floor(index / room) % 56}${'&'.repeat(room - before)}`;
}

function ask({ base, agent }: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const asked = request(`${base}${path}`, { agent }, (answer) => {
      if (answer.statusCode === 500) reject(new Error(`${path.slice(0, 100)} was answered with 500`));
      answer.resume().once('end', resolve);
    });
    asked.once('error', reject).end();
  });
}
