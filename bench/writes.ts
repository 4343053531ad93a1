import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { drawToken } from '../test/kit/draw-token.ts';
import { startService, type ServiceProcess } from '../test/kit/service-process.ts';
import { openLab } from '../test/lab/kit/lab.ts';
import type { LoopSamples } from './loop-watch.ts';
import type { Section } from './section.ts';

type Scene = {
  readonly service: ServiceProcess;
  readonly folder: string;
  /** Sends a request, and gives its status. */
  send(method: string, path: string, body?: string, type?: string): Promise<number>;
};
type Deed = {
  readonly name: string;
  readonly settings?: Readonly<Record<string, string>>;
  /** Before what is measured. */
  readonly prepare?: (scene: Scene) => Promise<unknown>;
  /** @returns what came of it, in a few words */
  readonly act: (scene: Scene) => Promise<string>;
};

const fill = (piece: string, length: number) =>
  piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
const names = Array.from({ length: 10_000 }, (_, at) => `t${at}.test`);
const json = JSON.stringify;
const free = { RATE_LIMIT: 'off', LIMIT_ACCOUNT_BATCHES: '1000', LIMIT_ACCOUNT_TARGETS: '10000000' };
const list = (targets: readonly unknown[], more: object = {}) =>
  json({ check: 'domain-health', targets, ...more });
const refusedTargets = names.map((name) => `no ${name}`);

/** How often each status was answered. */
function tally(statuses: readonly number[]): string {
  const counts: Record<number, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return Object.entries(counts)
    .map(([status, number]) => `${number} × ${status}`)
    .join(', ');
}

async function times(count: number, act: () => Promise<number>): Promise<string> {
  const statuses: number[] = [];
  for (let at = 0; at < count; at += 1) statuses.push(await act());
  return tally(statuses);
}

/** Waits until the account has no open batch. */
async function untilFed({ service, send }: Scene): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    const text = await readOf(service, '/api/batches?limit=100');
    if (!text.includes('"running"')) return;
    await after(200);
    await send('GET', '/livez');
  }
}

let authorization = '';
async function readOf({ url }: ServiceProcess, path: string): Promise<string> {
  return (await fetch(`${url}${path}`, { headers: { authorization } })).text();
}

/** The path of the first watch of the account. */
async function firstWatchOf(service: ServiceProcess): Promise<string> {
  const { watches } = JSON.parse(await readOf(service, '/api/watches?limit=1')) as {
    readonly watches: readonly { readonly watchId: string }[];
  };
  return `/api/watches/${watches[0]?.watchId}`;
}

const deeds: readonly Deed[] = [
  {
    name: 'POST /mcp, 262,001 bytes: a quote, then backslash and quote',
    settings: { MCP: 'on', ...free },
    act: ({ send }) => times(1, () => send('POST', '/mcp', `"${fill('\\"', 262_000)}`)),
  },
  {
    name: 'POST /api/batches of 999,000 lines "a"',
    settings: free,
    act: ({ send }) =>
      times(1, () =>
        send('POST', '/api/batches?check=dns-check', fill('a\n', 1_998_000), 'application/x-ndjson'),
      ),
  },
  {
    name: '150,000 unknown fields',
    settings: free,
    act: ({ send }) =>
      times(1, () =>
        send(
          'POST',
          '/api/batches',
          json(Object.fromEntries(Array.from({ length: 150_000 }, (_, at) => [`f${at}`, 1]))),
        ),
      ),
  },
  {
    name: 'options.dkimSelector: [{"toString":1,"valueOf":1}]',
    settings: free,
    act: ({ send }) =>
      times(1, () =>
        send(
          'POST',
          '/api/batches',
          `{"check":"dns-check","targets":["a.test"],"options":{"dkimSelector":[{"toString":1,"valueOf":1}]}}`,
        ),
      ),
  },
  {
    name: 'a list nested 500,000 deep in an option',
    settings: free,
    act: ({ send }) =>
      times(1, () =>
        send(
          'POST',
          '/api/batches',
          `{"check":"dns-check","targets":["a.test"],"options":{"dkimSelector":${'['.repeat(500_000)}${']'.repeat(500_000)}}}`,
        ),
      ),
  },
  {
    name: 'POST a batch of 2 MB, DELETE it, again: 10 s',
    act: async ({ service, send }) => {
      const body = list(names.map((name) => `${fill('a-b.', 180)}${name}`));
      const statuses: number[] = [];
      for (const start = performance.now(); performance.now() - start < 10_000;) {
        const status = await send('POST', '/api/batches', body);
        statuses.push(status);
        if (status !== 201) {
          await after(100);
          continue;
        }
        const { batches } = JSON.parse(await readOf(service, '/api/batches?limit=1')) as {
          readonly batches: readonly { readonly batchId: string }[];
        };
        await send('DELETE', `/api/batches/${batches[0]?.batchId}`);
      }
      return tally(statuses);
    },
  },
  {
    name: '20 batches of 10,000 targets that are refused, limits off',
    settings: free,
    act: async (scene) => {
      const said = await times(20, () => scene.send('POST', '/api/batches', list(refusedTargets)));
      await untilFed(scene);
      return said;
    },
  },
  {
    name: 'GET /api/batches of 20 such batches, four at once, five times',
    settings: free,
    prepare: async (scene) => {
      for (let at = 0; at < 20; at += 1) await scene.send('POST', '/api/batches', list(refusedTargets));
      await untilFed(scene);
    },
    act: ({ send }) =>
      times(5, async () => {
        const [status = 0] = await Promise.all([1, 2, 3, 4].map(() => send('GET', '/api/batches?limit=100')));
        return status;
      }),
  },
  {
    name: 'a watch of 10,000 targets: POST',
    settings: free,
    act: ({ send }) => times(1, () => send('POST', '/api/watches', list(names, { everySeconds: 2_592_000 }))),
  },
  {
    name: 'a watch of 10,000 targets: PATCH of its interval, its targets; DELETE',
    settings: { ...free, LIMIT_ACCOUNT_WATCHES: '100000' },
    prepare: ({ send }) => send('POST', '/api/watches', list(names, { everySeconds: 2_592_000 })),
    act: async ({ service, send }) => {
      const path = await firstWatchOf(service);
      const statuses = [
        await send('PATCH', path, json({ everySeconds: 2_000_000 })),
        await send('PATCH', path, json({ targets: names.map((name) => `x${name}`) })),
        await send('DELETE', path),
      ];
      return statuses.join(', ');
    },
  },
  {
    name: '2,000 POST /api/watches/{id}/test without a webhook, within the usual limits',
    prepare: ({ send }) =>
      send('POST', '/api/watches', json({ check: 'dns-check', targets: ['a.test'], everySeconds: 86_400 })),
    act: async ({ service, send }) => {
      const path = await firstWatchOf(service);
      return times(2000, () => send('POST', `${path}/test`));
    },
  },
];

/** What callers write: how long one of them holds the loop, how long others wait, and what is kept. */
export async function bench(): Promise<Section> {
  const rows: string[][] = [];
  for (const deed of deeds) rows.push(await measure(deed));
  return {
    title: 'What a caller who writes does to others',
    about:
      'The longest turn of the event loop (CPU of its thread), how long a GET of /livez waits meanwhile, and what the data folder grows by. One account; a process of its own for each row.',
    columns: ['what is sent', 'answers', 'longest turn, ms', 'others wait, p50, ms', 'most, ms', 'disk, MB'],
    rows,
    limits: 'garbage collection and the compilation of code are part of a turn.',
  };
}

async function measure({ name, settings = {}, prepare, act }: Deed): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'diag-writes-'));
  const lab = await openLab({});
  const file = join(folder, 'loop.json');
  const environment = lab.settings({ DATA_DIR: join(folder, 'data'), LOG_LEVEL: 'info', ...settings });
  authorization = `Bearer ${await drawToken(environment, ['--scopes', 'tools,reports:read,watch'])}`;
  const service = await startService({
    program: process.execPath,
    args: [
      '--max-semi-space-size=8',
      '--import',
      fileURLToPath(new URL('loop-watch.ts', import.meta.url)),
      fileURLToPath(new URL('../cli/diag.js', import.meta.url)),
      'serve',
    ],
    environment: { ...environment, LOOP_WATCH_FILE: file },
  });
  const scene: Scene = {
    service,
    folder,
    send: (method, path, body, type) => send(service, { method, path, body, type }),
  };
  try {
    await scene.send('GET', '/api/me');
    await prepare?.(scene);
    await after(500);
    service.kill('SIGUSR2');
    await after(50);
    const before = sizeOf(join(folder, 'data'));
    const others = openOthers(service);
    const said = await act(scene);
    await after(300);
    const waits = await others.end();
    const grown = sizeOf(join(folder, 'data')) - before;
    service.kill('SIGUSR2');
    await after(50);
    service.kill('SIGTERM');
    await service.closed;
    const [, part] = JSON.parse(readFileSync(file, 'utf8')) as readonly LoopSamples[];
    const turn = Math.max(0, ...(part?.heldMs ?? []));
    console.error(`${name}: ${said}; turn ${turn.toFixed(0)} ms`);
    return [name, said, turn.toFixed(0), percentile(waits, 0.5), percentile(waits, 1), grown.toFixed(1)];
  } finally {
    service.kill('SIGKILL');
    await service.closed;
    await lab.close();
    rmSync(folder, { recursive: true });
  }
}

type Request = {
  readonly method: string;
  readonly path: string;
  readonly body: string | undefined;
  readonly type: string | undefined;
};

function send(
  { url }: ServiceProcess,
  { method, path, body, type = 'application/json' }: Request,
): Promise<number> {
  const { port } = new URL(url);
  return new Promise((resolve) => {
    const headers = {
      authorization,
      accept: 'application/json, text/event-stream',
      ...(body === undefined
        ? {}
        : { 'content-type': type, 'content-length': String(Buffer.byteLength(body)) }),
    };
    const request = httpRequest(
      { host: '127.0.0.1', port, method, path, headers, agent: false },
      (response) => {
        response.resume().once('close', () => resolve(response.statusCode ?? 0));
      },
    );
    request.on('error', () => resolve(0));
    request.end(body);
  });
}

/** Somebody else, who asks every few milliseconds. */
function openOthers({ adminUrl }: ServiceProcess) {
  const waits: number[] = [];
  let isOver = false;
  const asking = (async () => {
    while (!isOver) {
      const start = performance.now();
      await fetch(`${adminUrl}/livez`).then((answer) => answer.text());
      waits.push(performance.now() - start);
      await after(5);
    }
  })();
  return {
    async end() {
      isOver = true;
      await asking;
      return waits;
    },
  };
}

function percentile(values: readonly number[], part: number): string {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0).toFixed(0);
}

function sizeOf(folder: string): number {
  return Number(execFileSync('du', ['-sk', folder], { encoding: 'utf8' }).split('\t')[0]) / 1000;
}
