import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ServiceProcess, startService } from '../test/kit/service-process.ts';
import { sendPipelined } from './pipelines.ts';
import type { Section } from './section.ts';
import { median } from './statistics.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 15);
const gets = Number(process.env['BENCH_GETS'] ?? 2000);
const checks = Number(process.env['BENCH_CHECKS'] ?? 50);
/** Another checkout of this project, to compare with. */
const before = process.env['BENCH_BEFORE'];

const reference = 'off';
type Figures = { readonly getUs: number; readonly checkUs: number };

/**
 * What traces cost: CPU of the whole service (API, queue, worker, store in one process) for a cached GET and for a check of its own,
 * without a collector, with one of whose traces none is sampled, and with all. Turn by turn in one run; BENCH_BEFORE names a checkout
 * that takes part as well.
 */
export async function bench(): Promise<Section> {
  const [target, collector] = [await open(), await open()];
  const ours = fileURLToPath(new URL('..', import.meta.url));
  const tracing = { OTEL_EXPORTER_OTLP_ENDPOINT: urlOf(collector) };
  const services = {
    ...(before === undefined ? {} : { before: await start(before, target, {}) }),
    [reference]: await start(ours, target, {}),
    'a collector, none sampled': await start(ours, target, { ...tracing, OTEL_TRACES_SAMPLER: 'always_off' }),
    'a collector, all sampled': await start(ours, target, tracing),
  };
  const measured = Object.entries(services).map(([name, service]) => ({
    name,
    service,
    rows: [] as Figures[],
  }));
  for (let round = 0; round <= rounds; round += 1)
    for (const { service, rows } of measured) {
      const row = await measure(service, target, round);
      // The first is to warm up.
      if (round > 0) rows.push(row);
    }
  for (const service of Object.values(services)) service.kill('SIGKILL');
  for (const server of [target, collector]) server.close().closeAllConnections();
  return sectionOf(measured);
}

function sectionOf(
  measured: readonly { readonly name: string; readonly rows: readonly Figures[] }[],
): Section {
  const off = measured.find(({ name }) => name === reference)?.rows ?? [];
  return {
    title: 'Traces',
    about: `CPU of the whole service in one process, for a cached GET and for a redirect check, medians of ${rounds} rounds by turns.`,
    columns: ['traces', 'cached GET, µs', '÷ off', 'check, µs', '÷ off'],
    rows: measured.map(({ name, rows }) => {
      // A busy machine is busy for all services of a round.
      const ratio = (of: keyof Figures) =>
        median(rows.map((row, at) => row[of] / (off[at]?.[of] ?? Number.NaN))).toFixed(2);
      const us = (of: keyof Figures) => median(rows.map((row) => row[of])).toFixed(0);
      return [name, us('getUs'), ratio('getUs'), us('checkUs'), ratio('checkUs')];
    }),
    limits: 'OpenTelemetry’s span, and the request that carries the spans to the collector.',
  };
}

async function measure(service: ServiceProcess, target: Server, round: number): Promise<Figures> {
  const pathOf = (name: string) =>
    `/api/tools/redirect-check?url=${encodeURIComponent(`${urlOf(target)}/${name}`)}`;
  await (await fetch(`${service.url}${pathOf('cached')}`)).text();
  return {
    getUs: await cpuOf(service, gets, () => pathOf('cached')),
    checkUs: await cpuOf(service, checks, (index) => pathOf(`${round}-${index}`)),
  };
}

/** CPU of the service for a request, in µs. */
async function cpuOf(
  service: ServiceProcess,
  amount: number,
  pathOf: (index: number) => string,
): Promise<number> {
  const start = await cpuSeconds(service);
  const statuses = await sendPipelined(
    Number(new URL(service.url).port),
    0,
    amount,
    (index) => `GET ${pathOf(index)} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
  );
  if (statuses['200'] !== amount)
    throw new Error(`not all of ${amount} were 200: ${JSON.stringify(statuses)}`);
  return (((await cpuSeconds(service)) - start) * 1e6) / amount;
}

async function cpuSeconds({ adminUrl }: ServiceProcess): Promise<number> {
  const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
  return Number(/^process_cpu_seconds_total (\S+)/m.exec(metrics)?.[1]);
}

function start(
  folder: string,
  target: Server,
  more: Readonly<Record<string, string>>,
): Promise<ServiceProcess> {
  return startService({
    program: process.execPath,
    args: ['--max-semi-space-size=8', join(folder, 'cli/diag.js'), 'serve'],
    environment: {
      DATA_DIR: ':memory:',
      PORT: '0',
      ADMIN_PORT: '0',
      RATE_LIMIT: 'off',
      WORKER_QUEUES: 'network',
      HOST_CONCURRENCY: '50',
      TARGET_ALLOW_CIDRS: '127.0.0.0/8',
      TARGET_PORTS: new URL(urlOf(target)).port,
      ...more,
    },
  });
}

/** A server that takes everything and says little: the target, and the collector. */
async function open(): Promise<Server> {
  const server = createServer((request, response) => {
    request
      .resume()
      .once('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
