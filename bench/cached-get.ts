import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { clientHeaders } from '../test/kit/client-headers.ts';
import { type BareAnswer, type BareTask, storedPath } from './cached-get-bare.ts';
import type { Ours, Usage } from './cached-get-server.ts';
import type { Section } from './section.ts';
import { median } from './statistics.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 10);
const roundMs = 1000 * Number(process.env['BENCH_ROUND_S'] ?? 0.15);
/** Until the compilers of both servers are done: their threads count as CPU too. */
const warmUpMs = 1000 * Number(process.env['BENCH_WARM_UP_S'] ?? 1.2);
/** Open at once. */
const connections = [1, 32] as const;
/** Rows whose name has this text; all without it. */
const only = process.env['BENCH_ONLY'] ?? '';

/**
 * Answers of the service, limiter, log, metrics and ETag on, against a bare Express 5 handler in a process of its own that sends
 * the same body to the same client: a cached GET as real clients send it, with and without a token, then other answers.
 * CPU a request is the least of all rounds, as other work on the machine only adds to it.
 */
export async function bench(): Promise<Section> {
  const [ours, bare] = [start('ours'), start('bare')];
  const [places] = (await once(ours, 'message')) as [Ours];
  const rows = (await rowsOf(places)).filter(({ name }) => name.includes(only));
  const file = join(places.stored.folder, 'reports.sqlite');
  bare.send({ answers: await Promise.all(rows.map(bareAnswerOf)), file } satisfies BareTask);
  const [port] = (await once(bare, 'message')) as [number];
  const table: string[][] = [];
  for (const [index, { name, asked, nextStored }] of rows.entries()) {
    const { nextPath: _nextPath, ...same } = { ...asked, port, path: pathOf(index) };
    const sides = {
      ours: { child: ours, asked },
      bare: { child: bare, asked: same },
      ...(nextStored ? { reader: { child: bare, asked: { ...same, nextPath: nextStored } } } : {}),
    };
    const [one, many] = [await compare(sides, connections[0]), await compare(sides, connections[1])];
    const cells = [
      name,
      cpu(many.mine),
      cpu(many.express),
      ratio(many),
      ratio(one),
      speed(many),
      p99(many.mine),
      nextStored ? cpu(many.reading) : '',
      nextStored ? ratio({ mine: many.mine, express: many.reading }) : '',
    ];
    console.log(cells.join(' | '));
    table.push(cells);
  }
  for (const child of [ours, bare]) child.kill();
  rmSync(places.stored.folder, { recursive: true });
  return {
    title: 'What a cached GET costs',
    about:
      'CPU of a request with limits, log, metrics and ETag on. The reference is a bare Express 5 handler that sends the same body in the same coding. Both run in processes of their own, by turns, and the least of several rounds counts. A ratio above 1 means that the service needs less CPU than Express. The rows “from the store” ask for 60,000 targets in turn, more than a process holds in memory. Their second reference is an Express handler that reads the same row with the bare driver.',
    columns: [
      'client or answer',
      'CPU, µs',
      'Express, µs',
      'Express ÷ ours, 32 connections',
      '1 connection',
      'requests/s ÷ those of Express',
      'event loop p99, ms',
      'Express that reads the row, µs',
      'that ÷ ours',
    ],
    rows: table,
    limits:
      'Node’s HTTP server and the write to the socket take two thirds of a cached answer. The header fields, the log line and the limits take the rest. An answer from the store also pays for reading the address and the row, and for unpacking the row where the client accepts no coding.',
  };
}

/** What is asked again and again: a path of a server on loopback, or many in turn. */
type LoadRequest = {
  readonly port: number;
  readonly path: string;
  /** Where each request asks for another path: gives the next. */
  readonly nextPath?: () => string;
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number;
};

type Row = {
  readonly name: string;
  readonly asked: LoadRequest;
  /** Where the answer comes from the store: the paths of the bare handler that reads the same rows. */
  readonly nextStored?: () => string;
};

/** What is asked of the service, and with which status it answers. */
async function rowsOf({ ports, path, stored, tokens }: Ours): Promise<readonly Row[]> {
  const at = (name: string, asked: Partial<LoadRequest>): Row => ({
    name,
    asked: { port: ports.usual, path, headers: {}, status: 200, ...asked },
  });
  const authorization = `Bearer ${tokens.usual}`;
  const clients = Object.entries(clientHeaders).flatMap(([client, headers]) => [
    at(client, { headers }),
    at(`${client}, token`, { headers: { ...headers, authorization } }),
  ]);
  // The first starts the check; the other codings are made when they are first asked for.
  await answerTo(at('', {}).asked);
  for (const { asked } of clients) await answerTo(asked);
  const { etag = '' } = (await answerTo(at('', {}).asked)).headers;
  const port = ports.idle;
  const job = await answerTo({ port, path: `${path}&wait=0`, headers: {}, status: 202 });
  const poor = { authorization: `Bearer ${tokens.poor}` };
  await answerTo(at('', { headers: poor }).asked);
  const gzip = { 'accept-encoding': 'gzip' };
  const [first = ''] = stored.paths;
  const fromStore = { port: ports.full, path: first, nextPath: inTurn(stored.paths) };
  const nextStored = inTurn(stored.keys.map((key) => storedPath + key));
  return [
    ...clients,
    at('304', { headers: { 'if-none-match': etag }, status: 304 }),
    { ...at('from the store', fromStore), nextStored },
    { ...at('from the store, gzip', { ...fromStore, headers: gzip }), nextStored },
    at('202', { port, path: `${path}&wait=0`, status: 202 }),
    at('/api/jobs/{id}', { port, path: String(job.headers.location) }),
    at('400', { path: '/api/tools/redirect-check?ur=x', status: 400 }),
    at('401', { headers: { authorization: `Bearer ${tokens.usual.slice(0, -1)}` }, status: 401 }),
    at('404', { path: '/api/tools/nothing', status: 404 }),
    at('429', { headers: poor, status: 429 }),
  ];
}

/** Gives one after the other, over and over. */
function inTurn(paths: readonly string[]): () => string {
  let index = 0;
  return () => {
    index = (index + 1) % paths.length;
    return paths[index] ?? '';
  };
}

async function answerTo({ port, path, headers, status }: Omit<LoadRequest, 'nextPath'>) {
  const asked = request({ host: '127.0.0.1', port, path, headers, agent: false }).end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  const body = await buffer(answer);
  if (answer.statusCode !== status) throw new Error(`${path}: ${answer.statusCode} ${body.toString()}`);
  return { headers: answer.headers, body };
}

async function bareAnswerOf({ asked }: Row, index: number): Promise<BareAnswer> {
  const { headers, body } = await answerTo(asked);
  return {
    path: pathOf(index),
    status: asked.status,
    type: headers['content-type'],
    coding: headers['content-encoding'],
    base64: body.toString('base64'),
  };
}

function pathOf(index: number): string {
  return `/answers/${index}`;
}

function start(kind: 'ours' | 'bare'): ChildProcess {
  const child = fork(fileURLToPath(new URL('cached-get-server.ts', import.meta.url)), [kind], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  child.once('exit', (code) => code && process.exit(code));
  return child;
}

type ServerUnderLoad = { readonly child: ChildProcess; readonly asked: LoadRequest };
type Figures = { readonly perSecond: number; readonly cpuUs: number; readonly p99Ms: number };

type Sides = {
  readonly ours: ServerUnderLoad;
  readonly bare: ServerUnderLoad;
  readonly reader?: ServerUnderLoad;
};
type MeasuredServers = {
  readonly mine: readonly Figures[];
  readonly express: readonly Figures[];
  /** Of the bare handler that reads the store; empty where there is none. */
  readonly reading: readonly Figures[];
};

/** Loads all in turn; gives the rounds of each. */
async function compare({ ours, bare, reader }: Sides, open: number): Promise<MeasuredServers> {
  await measure(ours, open, warmUpMs);
  await measure(bare, open, warmUpMs);
  if (reader) await measure(reader, open, warmUpMs);
  const [mine, express, reading]: [Figures[], Figures[], Figures[]] = [[], [], []];
  for (let round = 0; round < rounds; round += 1) {
    mine.push(await measure(ours, open, roundMs));
    express.push(await measure(bare, open, roundMs));
    if (reader) reading.push(await measure(reader, open, roundMs));
  }
  return { mine, express, reading };
}

async function measure({ child, asked }: ServerUnderLoad, open: number, forMs: number): Promise<Figures> {
  await usageOf(child);
  const start = performance.now();
  const count = await load(asked, open, forMs);
  const tookMs = performance.now() - start;
  const { cpuUs, p99Ms } = await usageOf(child);
  return { perSecond: (1000 * count) / tookMs, cpuUs: cpuUs / count, p99Ms };
}

async function usageOf(child: ChildProcess): Promise<Usage> {
  child.send('usage');
  const [usage] = (await once(child, 'message')) as [Usage];
  return usage;
}

function leastCpu(all: readonly Figures[]): number {
  return Math.min(...all.map(({ cpuUs }) => cpuUs));
}

function cpu(all: readonly Figures[]): string {
  return leastCpu(all).toFixed(1);
}

function ratio({ mine, express }: Pick<MeasuredServers, 'mine' | 'express'>): string {
  return (leastCpu(express) / leastCpu(mine)).toFixed(2);
}

function speed({ mine, express }: MeasuredServers): string {
  return median(mine.map(({ perSecond }, at) => perSecond / (express[at]?.perSecond ?? Number.NaN))).toFixed(
    2,
  );
}

function p99(all: readonly Figures[]): string {
  return median(all.map(({ p99Ms }) => p99Ms)).toFixed(1);
}

/**
 * Sends the same GET over kept connections, each as soon as the last one is answered, and gives how many were answered.
 * It reads of an answer what it must, so that the server is what is measured: a general client costs more than the answer.
 * Rejects for another status, and for an answer without a length.
 */
async function load(asked: LoadRequest, connections: number, forMs: number): Promise<number> {
  const until = performance.now() + forMs;
  const counts = await Promise.all(Array.from({ length: connections }, () => ask(asked, until)));
  return counts.reduce((sum, count) => sum + count, 0);
}

function ask({ port, path, nextPath, headers, status }: LoadRequest, until: number): Promise<number> {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const end = ` HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${fields.join('')}Connection: keep-alive\r\n\r\n`;
  const question = () => `GET ${nextPath?.() ?? path}${end}`;
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1').setNoDelay(true);
    let missing = 0;
    let count = 0;
    socket.on('error', reject);
    socket.on('connect', () => socket.write(question()));
    socket.on('data', (bytes) => {
      missing = (missing === 0 ? lengthOf(bytes, status) : missing) - bytes.length;
      // Also where lengthOf says that it cannot tell.
      if (!(missing >= 0)) socket.destroy(new Error(`no ${status}: ${bytes.toString('latin1', 0, 400)}`));
      if (missing !== 0) return;
      count += 1;
      if (performance.now() < until) socket.write(question());
      else {
        socket.destroy();
        resolve(count);
      }
    });
  });
}

/** How long an answer is, head and body; NaN for another status or where that is not said. */
function lengthOf(bytes: Buffer, status: number): number {
  const end = bytes.indexOf('\r\n\r\n');
  const head = bytes.toString('latin1', 0, end);
  if (!head.startsWith(`HTTP/1.1 ${status} `)) return Number.NaN;
  if (status === 304) return end + 4;
  return end + 4 + Number(/content-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN);
}
