import { once } from 'node:events';
import { get } from 'node:http';
import { startMongo } from '../test/kit/mongo.ts';
import { startRedis } from '../test/kit/redis.ts';
import { type ServiceProcess, startService } from '../test/kit/service-process.ts';
import { type Lab, openLab } from '../test/lab/kit/lab.ts';
import { load } from './cached-get-load.ts';
import type { Section } from './section.ts';

const rounds = 4;
/** Until the compilers of all processes are done: two share what warms one. */
const warmRounds = 3;
const roundMs = 1000;
const connections = 32;
const check = '/api/tools/redirect-check?url=http%3A%2F%2Fgood.test%2F';
/** A cached answer before Express, and one behind it. */
const asked = { 'a cached report': check, '/api/me': '/api/me' } as const;

type ServiceOfSize = { readonly processes: number; readonly service: ServiceProcess };
/** Requests and microseconds of CPU, of all processes of the service and of this one that asks. */
type Sum = { requests: number; seconds: number; serviceUs: number; ownUs: number };

/** Requests a second of `npm start` with Redis and MongoDB, of one process that answers and of two, loaded by turns. */
export async function bench(): Promise<Section> {
  const [redis, mongo, lab] = await Promise.all([
    startRedis(),
    startMongo(),
    openLab({ sites: { 'http://good.test': (_request, response) => void response.end('good') } }),
  ]);
  const backend = { REDIS_URL: redis.url, MONGODB_URL: mongo.url };
  const sides: readonly ServiceOfSize[] = [
    { processes: 1, service: await start(lab, { ...backend, WEB_CONCURRENCY: '1' }) },
    { processes: 2, service: await start(lab, { ...backend, WEB_CONCURRENCY: '2' }) },
  ];
  try {
    const rows: (string | number)[][] = [];
    for (const [name, path] of Object.entries(asked)) {
      const [one, two] = await measure(sides, path);
      rows.push(row(name, 1, one, one), row(name, 2, two, one));
    }
    return { title: 'Several processes on one port', about, columns, rows, limits };
  } finally {
    for (const { service } of sides) service.kill('SIGKILL');
    await Promise.all([redis.stop(), mongo.stop(), lab.close()]);
  }
}

const about =
  '`npm start` with Redis and MongoDB, `WEB_CONCURRENCY` 1 and 2, 32 kept connections, loaded by turns. What asks is a process of the same machine, and takes its cores as well.';
const columns = [
  'request',
  'processes',
  'requests/s',
  '÷ those of one',
  'CPU of the service, µs',
  'CPU of what asks, µs',
];
const limits =
  'On two cores the second process shares its core with what asks. A process that is not full answers fewer requests in each turn of its loop and takes more CPU for each. Counting limits together costs 40 messages a second of each process, however many requests there are.';

async function start(lab: Lab, more: Readonly<Record<string, string>>): Promise<ServiceProcess> {
  const service = await startService({
    program: process.execPath,
    args: ['--max-semi-space-size=8', 'cli/diag.js', 'serve'],
    environment: lab.settings({
      WORKER_QUEUES: 'network',
      LIMIT_ANON_REQUESTS: '100000000/60',
      LOG_LEVEL: 'info',
      ...more,
    }),
    isGroup: true,
  });
  // Until each has the report in memory; the first GET of all starts the check.
  for (let asks = 0; asks < 40; asks += 1) {
    const [answer] = await once(get(`${service.url}${check}&wait=20`, { agent: false }), 'response');
    answer.resume();
    await once(answer, 'end');
  }
  return service;
}

async function measure(sides: readonly ServiceOfSize[], path: string): Promise<readonly [Sum, Sum]> {
  const sums = [sumOf(), sumOf()] as const;
  for (let round = 0; round < warmRounds + rounds; round += 1)
    for (const [index, { service }] of sides.entries()) {
      const { port } = new URL(service.url);
      const [before, own] = [await cpuUs(service), process.cpuUsage()];
      const start = performance.now();
      const requests = await load(
        { port: Number(port), path, headers: {}, status: 200 },
        connections,
        roundMs,
      );
      const sum = sums[index];
      if (!sum || round < warmRounds) continue;
      const { user, system } = process.cpuUsage(own);
      sum.seconds += (performance.now() - start) / 1000;
      sum.requests += requests;
      sum.ownUs += user + system;
      sum.serviceUs += (await cpuUs(service)) - before;
    }
  return sums;
}

function sumOf(): Sum {
  return { requests: 0, seconds: 0, serviceUs: 0, ownUs: 0 };
}

/** The CPU time of all processes of a service so far, as its admin port tells it. */
async function cpuUs({ adminUrl }: ServiceProcess): Promise<number> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text();
  const values = text.matchAll(/^process_cpu_seconds_total(?:\{[^}]*\})? (\S+)$/gm);
  return Array.from(values, ([, value]) => Number(value) * 1e6).reduce((sum, value) => sum + value, 0);
}

function row(name: string, processes: number, sum: Sum, one: Sum): (string | number)[] {
  const rate = (of: Sum) => of.requests / of.seconds;
  const cells = [
    name,
    processes,
    rate(sum).toFixed(0),
    (rate(sum) / rate(one)).toFixed(2),
    (sum.serviceUs / sum.requests).toFixed(1),
    (sum.ownUs / sum.requests).toFixed(1),
  ];
  console.log(cells.join(' | '));
  return cells;
}
