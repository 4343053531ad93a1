import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import type { JobQueue } from '#shared/job-queue/port';
import { startRedis } from '../test/kit/redis.ts';
import { startRedisCluster } from '../test/kit/redis-cluster.ts';
import { makeJob, openReady } from './queue-cost.ts';
import { inLanes } from './slow-host.ts';

const rounds = 5;
const jobsInRound = Number(process.env['JOBS'] ?? 1000);
const idleS = 10;

type Subject = {
  readonly name: string;
  readonly servers: readonly Redis[];
  readonly queue: JobQueue;
  readonly worker: ChildProcess;
  stop(): Promise<void>;
};

/** What a queued job costs the servers, the API and the worker, with one Redis and with three masters and their replicas, by turns in one run. */
export async function bench(): Promise<void> {
  const subjects = [await openOne(), await openCluster()];
  try {
    for (const subject of subjects) await tellIdle(subject);
    for (const subject of subjects) await measure(subject); // to warm up
    const rows: Row[] = [];
    for (let round = 0; round < rounds; round += 1)
      for (const subject of subjects) rows.push(await measure(subject));
    console.table(rows);
    for (const { name } of subjects) tellLimit(rows.filter((row) => row.name === name));
  } finally {
    for (const subject of subjects) await subject.stop();
  }
}

type Row = {
  readonly name: string;
  readonly jobsPerS: number;
  /** CPU µs for a job: of the busiest server, of all servers, of this process, of the worker. */
  readonly busiest: number;
  readonly servers: number;
  readonly api: number;
  readonly worker: number;
};

async function measure({ name, servers, queue, worker }: Subject): Promise<Row> {
  const waiting = new Map<string, () => void>();
  const unsubscribe = queue.onDone((done) => done !== 'missed' && waiting.get(done.jobKey)?.());
  const before = await Promise.all(servers.map(cpuOf));
  const [own, its, start] = [process.cpuUsage(), cpuOfProcess(worker), performance.now()];
  await inLanes(jobsInRound, 64, async () => {
    const job = makeJob(`h${Math.floor(Math.random() * 1000)}.test`, 'c');
    const done = new Promise<void>((resolve) => waiting.set(job.jobKey, resolve));
    // A machine that is busy with other work may be late; the job's id makes a second submit harmless.
    while (!(await queue.submit(job).catch(() => undefined))) continue;
    await done;
    waiting.delete(job.jobKey);
  });
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(own);
  const used = (await Promise.all(servers.map(cpuOf))).map((now, index) => now - (before[index] ?? 0));
  unsubscribe();
  const perJob = (us: number) => Math.round(us / jobsInRound);
  return {
    name,
    jobsPerS: Math.round(jobsInRound / seconds),
    busiest: perJob(Math.max(...used)),
    servers: perJob(used.reduce((sum, one) => sum + one, 0)),
    api: perJob(user + system),
    worker: perJob(cpuOfProcess(worker) - its),
  };
}

/** A server runs its scripts on one core: its CPU for a job is what limits it. */
function tellLimit(rows: readonly Row[]): void {
  const middle = (key: Exclude<keyof Row, 'name'>) =>
    rows.map((row) => row[key]).toSorted((a, b) => a - b)[Math.floor(rows.length / 2)] ?? 0;
  console.log(
    `${rows[0]?.name}, medians: ${middle('jobsPerS')} jobs/s here; CPU for a job: busiest server ${middle('busiest')} µs, all servers ${middle('servers')} µs, API ${middle('api')} µs, worker ${middle('worker')} µs; the servers end at ${Math.round(1e6 / middle('busiest'))} jobs/s with a core each`,
  );
}

async function tellIdle({ name, servers }: Subject): Promise<void> {
  const read = async (part: string, field: string) => {
    const texts = await Promise.all(servers.map((server) => server.info(part)));
    return texts.map((text) => Number(new RegExp(`${field}:(\\d+)`).exec(text)?.[1]));
  };
  const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
  const commands = () => read('stats', 'total_commands_processed').then(sum);
  const before = await commands();
  await after(idleS * 1000);
  const perS = ((await commands()) - before) / idleS;
  const clients = await read('clients', 'connected_clients');
  console.log(
    `${name}, one API and one worker of the network queue, idle: ${Math.round(perS)} commands/s, connections ${clients.join(' + ')}, this bench's own included`,
  );
}

async function openOne(): Promise<Subject> {
  const redis = await startRedis();
  const server = new Redis(redis.url);
  return openSubject('one Redis', redis.url, [server], redis.stop);
}

async function openCluster(): Promise<Subject> {
  const cluster = await startRedisCluster();
  const servers = cluster.ports.map((port) => new Redis(port, '127.0.0.1'));
  return openSubject('three masters, three replicas', cluster.url, servers, cluster.stop);
}

async function openSubject(
  name: string,
  url: string,
  servers: readonly Redis[],
  stop: () => Promise<void>,
): Promise<Subject> {
  const worker = fork(fileURLToPath(new URL('queue-cost-worker.ts', import.meta.url)), ['ours', url]);
  await new Promise((resolve) => worker.once('message', resolve));
  const queue = await openReady(url);
  return {
    name,
    servers,
    queue,
    worker,
    async stop() {
      worker.kill();
      await queue.close(0);
      for (const server of servers) server.disconnect();
      await stop();
    },
  };
}

async function cpuOf(server: Redis): Promise<number> {
  const text = await server.info('cpu');
  const read = (name: string) => Number(new RegExp(`${name}:([\\d.]+)`).exec(text)?.[1]);
  return (read('used_cpu_user') + read('used_cpu_sys')) * 1e6;
}

// Linux counts in hundredths of a second.
function cpuOfProcess({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}
