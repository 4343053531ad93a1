import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { routeTable } from '../../../api/listener/route-table.ts';
import { referenceMs } from '../../growth/measure.ts';
import type { LoopSamples } from '../../kit/loop-watch.ts';
import { hasMongo, startMongo } from '../../kit/mongo.ts';
import { hasRedis, startRedis } from '../../kit/redis.ts';
import { type ServiceProcess, startService } from '../../kit/service-process.ts';
import { type Lab, openLab } from '../../lab/kit/lab.ts';
import { addressOf, type Input, largeBodies, largeFields } from './inputs.ts';
import { seed, type Seeded } from './seed.ts';

/** A turn may take so much of a thread's CPU, and as much more as this machine is slower than a core of 2024. */
const turnMs = 100;

const modes = [
  {
    name: 'a single process',
    isHere: true,
    counts: { targets: 10_000, deliveries: 3000, watches: 150, batches: 120, ends: 10_000, reports: 1500 },
  },
  {
    name: 'an API over Redis and MongoDB',
    // It takes three minutes: LONG=1.
    isHere: process.env['LONG'] !== undefined && hasMongo && hasRedis,
    // The server of the tests scans where a real one has an index.
    counts: { targets: 1000, deliveries: 300, watches: 110, batches: 110, ends: 1000, reports: 300 },
  },
] as const;

type Opened = {
  readonly service: ServiceProcess;
  readonly seeded: Seeded;
  /** Where the turns of its loop are written when it ends. */
  readonly file: string;
  close(): Promise<void>;
};

async function open({ isHere, name, counts }: (typeof modes)[number]): Promise<Opened> {
  if (!isHere) throw new Error(`${name} needs Redis and a server of MongoDB’s protocol`);
  const isScaled = name !== modes[0].name;
  const folder = mkdtempSync(join(tmpdir(), 'diag-walk-'));
  const lab: Lab = await openLab({
    sites: { 'http://a.test': (_request, response) => void response.end('page') },
  });
  const backends = isScaled ? await Promise.all([startRedis(), startMongo()]) : undefined;
  const settings = lab.settings({
    DATA_DIR: join(folder, 'data'),
    MCP: 'on',
    RATE_LIMIT: 'off',
    LOG_LEVEL: 'info',
    LIMIT_ACCOUNT_BATCHES: '1000',
    LIMIT_ACCOUNT_TARGETS: '10000000',
    LIMIT_ACCOUNT_WATCHES: '10000000',
    WAIT_SECONDS: '1',
    ...(backends ? { REDIS_URL: backends[0].url, MONGODB_URL: backends[1].url } : {}),
  });
  const seeded = await seed(settings, counts);
  const file = join(folder, 'loop.json');
  const service = await startService({
    program: process.execPath,
    args: [
      '--max-semi-space-size=8',
      '--import',
      fileURLToPath(new URL('../../kit/loop-watch.ts', import.meta.url)),
      'cli/diag.js',
      isScaled ? 'api' : 'serve',
    ],
    environment: { ...settings, LOOP_WATCH_FILE: file },
  });
  return {
    service,
    seeded,
    file,
    async close() {
      service.kill('SIGKILL');
      await service.closed;
      await lab.close();
      await Promise.all((backends ?? []).map((one) => one.stop()));
      rmSync(folder, { recursive: true });
    },
  };
}

type Sent = { readonly status: number; readonly text: string };

/** Sends a request whole, and reads its answer to the end or for two seconds. */
function send(
  { service, seeded }: Opened,
  { method, path, headers = {}, body }: Input,
  agent: Agent,
): Promise<Sent> {
  const { port } = new URL(service.url);
  const own = headers['authorization'] === undefined ? { authorization: `Bearer ${seeded.token}` } : {};
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        host: '127.0.0.1',
        port,
        method,
        path,
        agent,
        headers: {
          ...own,
          ...headers,
          // Node sends one with DELETE without its length.
          ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
        },
      },
      (response) => {
        let text = '';
        const end = () => {
          clearTimeout(late);
          resolve({ status: response.statusCode ?? 0, text: text.slice(0, 300) });
        };
        // A stream of reports is longer than a turn needs.
        const late = setTimeout(() => response.destroy(), 2000);
        response.on('data', (piece: Buffer) => (text += text.length < 300 ? piece.toString() : ''));
        response.once('end', end).once('close', end);
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

/** Routes whose POST is read as the same form, or starts the same check. */
const inputsOf = (seeded: Seeded): readonly (Input & { readonly route: string })[] =>
  routeTable.flatMap((rule) => {
    const path = addressOf(rule, seeded);
    const inputs = rule.method === 'GET' ? largeFields(path) : largeBodies(rule, path, seeded);
    return inputs.map((input) => ({ ...input, route: `${rule.method} ${rule.pattern}` }));
  });

/** Routes that list much, in the forms in which they are longest. */
const longReadings = (seeded: Seeded): readonly (Input & { readonly route: string })[] =>
  [
    `/api/batches/${seeded.batchId}/results?format=csv`,
    `/api/batches/${seeded.batchId}/results?format=ndjson`,
    '/api/reports?format=csv',
    '/api/reports?format=ndjson',
    `/api/reports/${seeded.reportId}/export?format=csv`,
    `/api/reports/${seeded.reportId}/export?format=md`,
    '/api/history/a.test?limit=100',
    `/d/a.test`,
  ].map((path) => ({
    name: 'read whole',
    method: 'GET',
    path,
    route: `GET ${path.replace(/[0-9a-f]{32}/, ':id')}`,
  }));

test.for(modes.filter(({ isHere }) => isHere))(
  'no request holds the loop of $name, whatever stands in its address, its fields and its body, and none is a defect',
  { timeout: 600_000 },
  async (mode) => {
    const opened = await open(mode);
    onTestFinished(() => opened.close());
    const { service, seeded, file } = opened;
    const reference = (await after(0), referenceMs());
    const limitMs = Math.max(turnMs, (turnMs * reference) / 100);
    const agent = new Agent({ keepAlive: false });
    const last = (input: { readonly route: string }) => input.route.startsWith('DELETE');
    const all = [...inputsOf(seeded), ...longReadings(seeded)];
    const inputs = [...all.filter((one) => !last(one)), ...all.filter(last)];
    const outcomes: string[] = [];
    // Code is loaded and compiled before the first part that counts.
    for (const input of inputs.filter(({ name }) => name === 'as it is')) await send(opened, input, agent);
    for (const input of inputs) {
      service.kill('SIGUSR2');
      const { status, text } = await send(opened, input, agent).catch((error: unknown) => ({
        status: 0,
        text: String(error),
      }));
      outcomes.push(status >= 500 && status !== 503 && status !== 504 ? `${status} ${text}` : String(status));
      await after(10);
    }
    service.kill('SIGUSR2');
    service.kill('SIGTERM');
    await service.closed;
    const parts = JSON.parse(readFileSync(file, 'utf8')) as readonly LoopSamples[];
    const held = inputs.map((_, at) => Math.max(0, ...(parts[at + 1]?.heldMs ?? [])));
    const rows = inputs
      .map(({ route, name }, at) => ({ said: `${route}, ${name}: ${outcomes[at]}`, ms: held[at] ?? 0 }))
      .toSorted((a, b) => b.ms - a.ms);
    console.log(
      `${mode.name}: ${inputs.length} requests; idle reference ${reference.toFixed(0)} ms; the longest turns:\n${rows
        .slice(0, Number(process.env['WALK_ROWS'] ?? 12))
        .map(({ said, ms }) => `${ms.toFixed(0)} ms ${said}`)
        .join('\n')}`,
    );
    expect(
      outcomes
        .map((outcome, at) => `${inputs[at]?.route} ${inputs[at]?.name}: ${outcome}`)
        .filter((said) => /: (?:500|0) /.test(said)),
    ).toEqual([]);
    expect(
      rows.filter(({ ms }) => ms > limitMs).map(({ said, ms }) => `${ms.toFixed(0)} ms ${said}`),
    ).toEqual([]);
  },
);
