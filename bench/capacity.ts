import { type ChildProcess, fork } from 'node:child_process';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { get as getSecure } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startMongo } from '../test/kit/mongo.ts';
import { startRedis } from '../test/kit/redis.ts';
import { startService } from '../test/kit/service-process.ts';
import type { TargetCounts } from './capacity-target.ts';
import { cpuMsOf } from './process-cpu.ts';
import { lackOf } from './run-all.ts';
import type { Section } from './section.ts';
import { inLanes } from './statistics.ts';

/** How many of each are measured, after a third as many to warm up. */
const counts = {
  redirect: Number(process.env['BENCH_CHECKS'] ?? 300),
  headers: 150,
  dns: 200,
  ssl: 100,
  'domain-health': 50,
} as const;
export type CheckName = keyof typeof counts;
/** Where each check of a host is asked for. */
export const paths: Readonly<Record<CheckName, (host: string) => string>> = {
  redirect: (host) => `redirect-check?url=${encodeURIComponent(`http://${host}/`)}`,
  headers: (host) => `security-header-check?url=${encodeURIComponent(`https://${host}/`)}`,
  dns: (host) => `dns-check/${host}`,
  ssl: (host) => `ssl-check/${host}`,
  'domain-health': (host) => `domain-health/${host}`,
};
/** BENCH_ONLY names one check, BENCH_LANES is how many run at a time, and BENCH_EMBEDDED leaves out the scaled service, for profiles. */
const names = (Object.keys(counts) as CheckName[]).filter(
  (name) => (process.env['BENCH_ONLY'] ?? name) === name,
);
const latencies = (process.env['BENCH_LATENCIES'] ?? '0,50').split(',').map(Number);
const rounds = 5;
const lanes = Number(process.env['BENCH_LANES'] ?? 8);

/** GETs and questions of the bare client, and how many of them at a time. */
const bareCount = 200;
const bareLanes = 8;

/** Processes whose CPU is counted: those of the worker's side, and all. */
type ServiceProcesses = {
  readonly name: string;
  readonly url: string;
  readonly workers: readonly (number | undefined)[];
  readonly all: readonly (number | undefined)[];
  close(): Promise<void>;
};

/**
 * CPU of a check, in the worker and over all processes, with targets that answer at once and after 50 ms. Every host is new: it has its own
 * certificate and zone, and redirects to HTTPS. The targets' own CPU is not counted.
 */
export async function bench(): Promise<Section> {
  const folder = mkdtempSync(join(tmpdir(), 'diag-bench-'));
  const target = await openTarget(join(folder, 'root.pem'));
  const places = [await openEmbedded(target.settings, join(folder, 'data'))];
  const lack = lackOf(['redis', 'store']);
  if (lack !== undefined) console.log(`capacity, scaled: ${lack}`);
  else if (process.env['BENCH_EMBEDDED'] === undefined) places.push(await openScaled(target.settings));
  const rows: string[][] = [];
  const exchanges = new Map<CheckName, Exchanges>();
  try {
    const bare = await measureBare(target.ports);
    for (const latencyMs of latencies) {
      target.process.send(latencyMs);
      for (const name of names) {
        const { cells, asked } = await measureAll(places, name, target);
        exchanges.set(name, asked);
        const [ms = '', ...others] = cells;
        const ratio = (Number(ms) / bareMsOf(asked, bare)).toFixed(1);
        rows.push([name, String(latencyMs), ms, ratio, ...others]);
        console.log(`${name}, targets of ${latencyMs} ms: ${cells.join(', ')}`);
      }
    }
  } finally {
    await Promise.all(places.map((place) => place.close()));
    target.process.kill();
    rmSync(folder, { recursive: true });
  }
  const scaled = places.some(({ name }) => name === 'scaled')
    ? ['scaled: worker, ms', 'all processes, ms', 'checks/s and core of a worker']
    : [];
  return {
    title: 'The CPU of a check',
    about: `CPU time of a check that runs, ${lanes} at a time. Every host is new, redirects to HTTPS, and has its own certificate and zone. domain-health runs without a browser. “All processes” are API, worker, Redis and store, without the targets. “checks/s and core” is how many checks one core runs in a second. The bare client is Node’s own. It makes as many GETs over new connections and as many DNS questions as the targets counted for a check: ${sayExchanges(exchanges)}.`,
    columns: [
      'check',
      'target, ms',
      'embedded: the process, ms',
      '÷ the bare client',
      'checks/s and core',
      ...scaled,
    ],
    rows,
    limits:
      'for headers, ssl and domain-health, handshakes and writes in OpenSSL and the kernel, which the bare client pays as well. ssl ends most connections before the handshake is complete. For redirect and dns, the work around the run (request, queue, report, store) and the code of the probes. The stand-in for MongoDB takes more CPU for a report than MongoDB does.',
  };
}

/** What came to the targets. */
type Exchanges = { readonly http: number; readonly https: number; readonly dns: number };
type TargetPorts = { readonly httpPort: number; readonly httpsPort: number; readonly dnsPort: number };

let hosts = 0;

/**
 * The least of rounds by turns, so that a machine that is busy for a while is so for all places.
 * @returns the cells of all places, and what a check asked of the targets
 */
async function measureAll(places: readonly ServiceProcesses[], name: CheckName, target: Target) {
  const from = hosts;
  const earlier = await countsOf(target);
  for (const place of places) await run(place, name, Math.ceil(counts[name] / 3));
  const perRound = Math.ceil(counts[name] / rounds);
  const least = places.map(() => ({ worker: Infinity, all: Infinity }));
  for (let round = 0; round < rounds; round += 1)
    for (const [index, place] of places.entries()) {
      const before = { worker: cpuMsOf(place.workers), all: cpuMsOf(place.all) };
      await run(place, name, perRound);
      const known = least[index];
      if (!known) continue;
      known.worker = Math.min(known.worker, (cpuMsOf(place.workers) - before.worker) / perRound);
      known.all = Math.min(known.all, (cpuMsOf(place.all) - before.all) / perRound);
    }
  const cells = places.flatMap((place, index) => {
    const { worker = 0, all = 0 } = least[index] ?? {};
    const rate = (1000 / worker).toFixed(0);
    return place.name === 'embedded' ? [all.toFixed(1), rate] : [worker.toFixed(1), all.toFixed(1), rate];
  });
  const { http, https, questions } = await countsOf(target);
  const each = (now: number, before: number) => (now - before) / (hosts - from);
  const asked: Exchanges = {
    http: each(http, earlier.http),
    https: each(https, earlier.https),
    dns: each(questions, earlier.questions),
  };
  return { cells, asked };
}

/** What came to the targets so far. */
async function countsOf({ process: child }: Pick<Target, 'process'>): Promise<TargetCounts> {
  child.send('counts');
  const [told] = (await once(child, 'message')) as [TargetCounts];
  return told;
}

function sayExchanges(exchanges: ReadonlyMap<CheckName, Exchanges>): string {
  const say = (count: number) => Number(count.toFixed(1));
  return [...exchanges]
    .map(([name, { http, https, dns }]) => `${name} ${say(http)} HTTP, ${say(https)} HTTPS, ${say(dns)} DNS`)
    .join('; ');
}

async function run(place: ServiceProcesses, name: CheckName, count: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: lanes });
  await inLanes(count, lanes, () => {
    hosts += 1;
    return fetchReport(agent, `${place.url}/api/tools/${paths[name](`h${hosts}.test`)}`);
  });
  agent.destroy();
}

/** Gets a whole report, or rejects. As a patient client: a busy machine's 503 is asked again. */
export async function fetchReport(agent: Agent, url: string): Promise<void> {
  while ((await fetchOnce(agent, url)) === 'busy') await new Promise((resolve) => setTimeout(resolve, 500));
}

function fetchOnce(agent: Agent, url: string): Promise<'busy' | 'done'> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('end', () => {
        const text = Buffer.concat(chunks).toString();
        const isWhole = response.statusCode === 200 && !text.includes('"state":"failed"');
        if (isWhole) resolve('done');
        else if (response.statusCode === 503 || response.statusCode === 202) resolve('busy');
        else reject(new Error(`${response.statusCode}: ${text.slice(0, 500)}`));
      });
    }).once('error', reject);
  });
}

type Target = {
  readonly process: ChildProcess;
  readonly ports: TargetPorts;
  readonly settings: Record<string, string>;
};

/** Starts the targets, and gives the settings of a service that may ask them. @param rootFile where their root certificate is written */
export async function openTarget(rootFile: string): Promise<Target> {
  const child = fork(fileURLToPath(new URL('capacity-target.ts', import.meta.url)), [rootFile]);
  const [ports] = (await once(child, 'message')) as [TargetPorts];
  const settings = {
    PORT: '0',
    ADMIN_PORT: '0',
    RATE_LIMIT: 'off',
    WORKER_QUEUES: 'network',
    FRESH_SECONDS: '3600',
    NODE_EXTRA_CA_CERTS: rootFile,
    DNS_SERVERS: `127.0.0.1:${ports.dnsPort}`,
    NAMESERVER_PORT: String(ports.dnsPort),
    TARGET_ALLOW_CIDRS: '127.0.0.0/8',
    TARGET_ALLOW_SUFFIXES: 'test',
    TARGET_PORT_MAP: `80=${ports.httpPort},443=${ports.httpsPort}`,
  };
  return { process: child, ports, settings };
}

/** BENCH_PROFILE names a folder for CPU profiles of the processes. */
const profile = process.env['BENCH_PROFILE'];

function start(part: string, environment: Readonly<Record<string, string>>) {
  return startService({
    program: process.execPath,
    args: [
      '--max-semi-space-size=8',
      ...(profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]),
      fileURLToPath(new URL('../cli/diag.js', import.meta.url)),
      part,
    ],
    environment,
  });
}

async function openEmbedded(
  settings: Readonly<Record<string, string>>,
  folder: string,
): Promise<ServiceProcesses> {
  const service = await start('serve', { ...settings, DATA_DIR: folder });
  return {
    name: 'embedded',
    url: service.url,
    workers: [service.child.pid],
    all: [service.child.pid],
    async close() {
      service.kill('SIGTERM');
      await service.closed;
    },
  };
}

async function openScaled(settings: Readonly<Record<string, string>>): Promise<ServiceProcesses> {
  const [redis, mongo] = await Promise.all([startRedis(), startMongo()]);
  const environment = { ...settings, REDIS_URL: redis.url, MONGODB_URL: mongo.url };
  const [api, worker] = await Promise.all([start('api', environment), start('worker', environment)]);
  const workers = [worker.child.pid];
  return {
    name: 'scaled',
    url: api.url,
    workers,
    all: [...workers, api.child.pid, redis.process?.pid, mongo.process?.pid],
    async close() {
      for (const member of [api, worker]) member.kill('SIGTERM');
      await Promise.all([api.closed, worker.closed]);
      await Promise.all([redis.stop(), mongo.stop()]);
    },
  };
}

/**
 * CPU of Node's own clients for one of each exchange, ms: a GET over a new connection, the same with TLS to a host of its own, and a DNS
 * question. The targets' CPU is not counted.
 */
async function measureBare({ httpPort, httpsPort, dnsPort }: TargetPorts): Promise<Exchanges> {
  const resolver = new Resolver();
  resolver.setServers([`127.0.0.1:${dnsPort}`]);
  const host = (index: number) => `h${1_000_000 + index}.test`;
  return {
    http: await cpuOf((index) =>
      ask(get, `http://127.0.0.1:${httpPort}/`, { headers: { host: host(index) } }),
    ),
    https: await cpuOf((index) =>
      ask(getSecure, `https://127.0.0.1:${httpsPort}/`, {
        servername: host(index),
        headers: { host: host(index) },
        rejectUnauthorized: false,
      }),
    ),
    dns: await cpuOf(async (index) => void (await resolver.resolve4(host(index)))),
  };
}

/** The CPU that these exchanges would take the bare clients, ms. */
function bareMsOf(exchanges: Exchanges, bare: Exchanges): number {
  return exchanges.http * bare.http + exchanges.https * bare.https + exchanges.dns * bare.dns;
}

async function cpuOf(act: (index: number) => Promise<void>): Promise<number> {
  await inLanes(bareCount, bareLanes, act);
  const before = process.cpuUsage();
  await inLanes(bareCount, bareLanes, (index) => act(bareCount + index));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / bareCount;
}

function ask(getFrom: typeof get, url: string, options: Parameters<typeof getSecure>[1]): Promise<void> {
  return new Promise((resolve, reject) => {
    getFrom(url, { ...options, agent: false }, (answer) => answer.resume().once('end', resolve)).once(
      'error',
      reject,
    );
  });
}
