import { type ChildProcess, fork } from 'node:child_process';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import type { JobQueue } from '#shared/ports/job-queue';
import { startRedisCluster } from '../test/kit/redis-cluster.ts';
import { startRedis } from '../test/kit/redis.ts';
import { cpuMsOf } from './process-cpu.ts';
import { makeJob, openReady } from './queue-cost.ts';
import type { Section } from './section.ts';
import { inLanes } from './slow-host.ts';
import { median } from './statistics.ts';

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
export async function bench(): Promise<Section> {
  const subjects = [await openOne(), await openCluster()];
  try {
    const idle = new Map<string, number>();
    for (const subject of subjects) idle.set(subject.name, await measureIdle(subject));
    for (const subject of subjects) await measure(subject); // to warm up
    const rows: Row[] = [];
    for (let round = 0; round < rounds; round += 1)
      for (const subject of subjects) rows.push(await measure(subject));
    console.table(rows);
    return {
      title: 'One Redis, or a cluster',
      about: `Jobs that do nothing, from submit to the end of their run, with one API and one worker: medians of ${rounds} rounds of ${jobsInRound} by turns. The cluster has a replica of each master.`,
      columns: ['', 'one Redis', 'three masters', 'ratio'],
      rows: rowsOf(rows, idle),
      limits:
        'the one core on which a Redis runs its scripts. A master of a cluster also feeds its replica and passes on the messages of all others.',
    };
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
  const [own, its, start] = [process.cpuUsage(), cpuMsOf([worker.pid]), performance.now()];
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
    worker: perJob(1000 * (cpuMsOf([worker.pid]) - its)),
  };
}

/** The medians of each subject, beside those of one Redis. */
function rowsOf(rows: readonly Row[], idle: ReadonlyMap<string, number>): (string | number)[][] {
  const middle = (name: string, key: Exclude<keyof Row, 'name'>) =>
    median(rows.filter((row) => row.name === name).map((row) => row[key]));
  const names = [...idle.keys()];
  const line = (what: string, of: (name: string) => number) => {
    const [one = Number.NaN, cluster = Number.NaN] = names.map(of);
    return [what, one, cluster, (cluster / one).toFixed(2)];
  };
  return [
    line('CPU of the busiest server for a job, µs', (name) => middle(name, 'busiest')),
    // A server runs its scripts on one core: its CPU for a job is what limits it.
    line('jobs/s at which the core of that server is full', (name) =>
      Math.round(1e6 / middle(name, 'busiest')),
    ),
    line('CPU of all servers for a job, µs', (name) => middle(name, 'servers')),
    line('CPU of the API for a job, µs', (name) => middle(name, 'api')),
    line('CPU of the worker for a job, without a check, µs', (name) => middle(name, 'worker')),
    line('commands/s while nothing happens', (name) => idle.get(name) ?? Number.NaN),
  ];
}

/** Commands a second, of one API and one worker of the network queue. */
async function measureIdle({ servers }: Subject): Promise<number> {
  const commands = async () => {
    const texts = await Promise.all(servers.map((server) => server.info('stats')));
    return texts.reduce((sum, text) => sum + Number(/total_commands_processed:(\d+)/.exec(text)?.[1]), 0);
  };
  const before = await commands();
  await after(idleS * 1000);
  return Math.round(((await commands()) - before) / idleS);
}

async function openOne(): Promise<Subject> {
  const redis = await startRedis();
  const server = new Redis(redis.url);
  return openSubject('one Redis', redis.url, [server], redis.stop);
}

async function openCluster(): Promise<Subject> {
  const cluster = await startRedisCluster();
  const servers = cluster.ports.map((port) => new Redis(port, '127.0.0.1'));
  return openSubject('three masters', cluster.url, servers, cluster.stop);
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
