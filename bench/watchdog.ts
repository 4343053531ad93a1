import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ServiceProcess, startService } from '../test/kit/service-process.ts';
import { type CheckName, fetchReport, openTarget, paths } from './capacity.ts';
import { childrenOf, cpuMsOf } from './process-cpu.ts';
import type { Section } from './section.ts';
import { inLanes } from './slow-host.ts';
import { median } from './statistics.ts';

/** BENCH_BEFORE names another checkout of this project, to compare with, and BENCH_BEFORE_IS says what it is: one whose worker reads what targets send itself, for instance. */
const before = process.env['BENCH_BEFORE'];
const beforeIs = process.env['BENCH_BEFORE_IS'] ?? 'another checkout';
const ours = fileURLToPath(new URL('..', import.meta.url));
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 10);
const perRound = { redirect: 100, headers: 40, dns: 60, ssl: 12 } as const;
/** BENCH_ONLY names one check. */
const names = (Object.keys(perRound) as (keyof typeof perRound)[]).filter(
  (name) => (process.env['BENCH_ONLY'] ?? name) === name,
);
const lanes = Number(process.env['BENCH_LANES'] ?? 8);

type MeasuredService = {
  readonly name: string;
  readonly service: ServiceProcess;
  readonly cpu: Map<CheckName, number[]>;
  rssMb?: string;
};

/** What it costs that targets are read in a process of their own: CPU of a check over all processes, and memory; beside another checkout by turns where one is named. */
export async function bench(): Promise<Section> {
  const folder = mkdtempSync(join(tmpdir(), 'diag-bench-'));
  const target = await openTarget(join(folder, 'root.pem'));
  const roots = before === undefined ? { now: ours } : { before, now: ours };
  const places: MeasuredService[] = [];
  try {
    for (const [name, root] of Object.entries(roots)) {
      const environment = { ...target.settings, DATA_DIR: join(folder, name) };
      const args = ['--max-semi-space-size=8', join(root, 'cli/diag.js'), 'serve'];
      const service = await startService({ program: process.execPath, args, environment });
      places.push({ name, service, cpu: new Map(names.map((check) => [check, []])) });
    }
    await measureAll(places);
    for (const place of places) for (const times of place.cpu.values()) times.length = 0;
    // By turns, and each round begins with the other one: what the machine does beside hits both.
    for (let round = 0; round < rounds; round += 1)
      await measureAll(round % 2 === 0 ? places : places.toReversed());
    for (const place of places) place.rssMb = memoryOf(place.service.child.pid ?? 0);
  } finally {
    for (const { service } of places) service.kill('SIGTERM');
    for (const { service } of places) await service.closed;
    target.process.kill();
    rmSync(folder, { recursive: true });
  }
  const rows = [...names.map((name) => rowOf(name, places)), memoryRow(places)];
  for (const row of rows) console.log(row.join(' | '));
  return {
    title: 'The price of a process for runs',
    about: `CPU of a check over all processes of an embedded service, ms, ${lanes} at a time, every host new: the median of ${rounds} rounds${before === undefined ? '' : ` of each, by turns. Before: ${beforeIs}`}. Memory is VmRSS after them, worker and runner process apart.`,
    columns: ['', ...places.map(({ name }) => name), ...(before === undefined ? [] : ['ratio'])],
    rows,
    limits:
      'a message between the two processes costs each of them some 25 µs, and a run takes three: the job, portions of the pace, the outcome. Each process has its own garbage collector and its own compiled code.',
  };
}

let hosts = 0;

async function measureAll(places: readonly MeasuredService[]): Promise<void> {
  for (const name of names) for (const place of places) await measure(place, name);
}

async function measure({ service, cpu }: MeasuredService, name: keyof typeof perRound): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: lanes });
  const start = cpuMsOf([service.child.pid]);
  await inLanes(perRound[name], lanes, () => {
    hosts += 1;
    return fetchReport(agent, `${service.url}/api/tools/${paths[name](`h${hosts}.test`)}`);
  });
  cpu.get(name)?.push((cpuMsOf([service.child.pid]) - start) / perRound[name]);
  agent.destroy();
}

function rowOf(name: CheckName, places: readonly MeasuredService[]): string[] {
  const times = places.map(({ cpu }) => median(cpu.get(name) ?? []));
  const [earlier = Number.NaN, now = Number.NaN] = times;
  const ratio = before === undefined ? [] : [(now / earlier).toFixed(2)];
  return [`${name}, CPU of a check, ms`, ...times.map((time) => time.toFixed(1)), ...ratio];
}

function memoryRow(places: readonly MeasuredService[]): string[] {
  return ['memory, MB', ...places.map(({ rssMb = '' }) => rssMb), ...(before === undefined ? [] : [''])];
}

/** Of a process and of those that it has started, the small ones left out. */
function memoryOf(pid: number): string {
  const megabytes = [pid, ...childrenOf(pid)].map(
    (one) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${one}/status`, 'utf8'))?.[1]) / 1024,
  );
  return megabytes
    .filter((size) => size > 10)
    .map((size) => size.toFixed(0))
    .join(' + ');
}
