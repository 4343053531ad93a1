import { mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { startMongo } from '../test/kit/mongo.ts';
import { startRedis } from '../test/kit/redis.ts';
import { startService } from '../test/kit/service-process.ts';
import { type CheckName, fetchReport, openTarget, paths } from './capacity.ts';
import type { Section } from './section.ts';
import { inLanes } from './statistics.ts';

/** How many of each are measured, after as many as there are lanes to warm up. */
const counts: Readonly<Record<CheckName, number>> = {
  redirect: 60,
  headers: 30,
  dns: 30,
  ssl: 24,
  'domain-health': 8,
};
const names = (Object.keys(counts) as CheckName[]).filter(
  (name) => (process.env['BENCH_ONLY'] ?? name) === name,
);
const workerCount = 3;
const lanes = 8;
const idleMs = 10_000;
/** Counted for every caller, and reached by none. */
const wideLimits = {
  RATE_LIMIT: 'on',
  LIMIT_ANON_REQUESTS: '1000000/60',
  LIMIT_ANON_SCANS: '1000000/60',
};

type Use = { readonly scripts: number; readonly commands: number; readonly cpuMs: number };

/** What real checks cost Redis, with every limit and every pace counted: scripts, commands and CPU a check, by one API and three workers. */
export async function bench(): Promise<Section> {
  const folder = mkdtempSync(join(tmpdir(), 'diag-bench-'));
  const target = await openTarget(join(folder, 'root.pem'));
  const [redis, mongo] = await Promise.all([startRedis(), startMongo()]);
  const environment = { ...target.settings, ...wideLimits, REDIS_URL: redis.url, MONGODB_URL: mongo.url };
  const start = (part: string) =>
    startService({ program: process.execPath, args: ['cli/diag.js', part], environment });
  const api = await start('api');
  const workers = await Promise.all(Array.from({ length: workerCount }, () => start('worker')));
  const admin = new Redis(redis.url);
  try {
    const idle = await useOf(admin, () => new Promise((resolve) => setTimeout(resolve, idleMs)));
    const rows: (string | number)[][] = [];
    for (const name of names) {
      await runMany(api.url, name, lanes);
      const began = performance.now();
      const use = await useOf(admin, () => runMany(api.url, name, counts[name]));
      const seconds = (performance.now() - began) / 1000;
      const ofItself = (idle.scripts * 1000 * seconds) / idleMs;
      rows.push(rowOf(name, { ...use, scripts: use.scripts - ofItself }, seconds, counts[name]));
      console.log(rows.at(-1)?.join(' | '));
    }
    return {
      title: 'What a check costs Redis',
      about: `Scripts, commands and CPU of Redis for a real check, ${lanes} at a time, by one API and ${workerCount} workers. Limits and paces are on, every host is new, and domain-health runs without page loads. The idle service sends ${((idle.scripts * 1000) / idleMs).toFixed(1)} scripts a second, which the column of scripts leaves out. A Redis has one core for scripts: the last column tells how many checks a second it can take.`,
      columns: ['check', 'checks a second', 'scripts', 'commands', 'Redis, ms', 'checks/s of its core'],
      rows,
      limits:
        'two scripts of ours (submit, end; one more for a run of over a second), three of BullMQ (add, take, end), one for the limit of the caller and one for the pace at the host.',
    };
  } finally {
    admin.disconnect();
    for (const member of [api, ...workers]) member.kill('SIGTERM');
    await Promise.all([api, ...workers].map(({ closed }) => closed));
    await Promise.all([redis.stop(), mongo.stop()]);
    target.process.kill();
    rmSync(folder, { recursive: true });
  }
}

let hosts = 0;

async function runMany(url: string, name: CheckName, count: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: lanes });
  await inLanes(count, lanes, () => {
    hosts += 1;
    return fetchReport(agent, `${url}/api/tools/${paths[name](`h${hosts}.test`)}`);
  });
  agent.destroy();
}

function rowOf(name: string, { scripts, commands, cpuMs }: Use, seconds: number, count: number) {
  const ms = cpuMs / count;
  const each = (value: number) => (value / count).toFixed(1);
  return [
    name,
    (count / seconds).toFixed(1),
    each(scripts),
    each(commands),
    ms.toFixed(2),
    (1000 / ms).toFixed(0),
  ];
}

async function useOf(redis: Redis, act: () => Promise<unknown>): Promise<Use> {
  const before = await readUse(redis);
  await act();
  const after = await readUse(redis);
  return {
    scripts: after.scripts - before.scripts,
    commands: after.commands - before.commands,
    cpuMs: after.cpuMs - before.cpuMs,
  };
}

async function readUse(redis: Redis): Promise<Use> {
  const text = `${await redis.info('commandstats')}${await redis.info('cpu')}`;
  const read = (pattern: RegExp) => Number(pattern.exec(text)?.[1] ?? 0);
  // Commands inside a script are counted as commands as well.
  const commands = [...text.matchAll(/^cmdstat_[^:]+:calls=(\d+)/gm)].reduce(
    (sum, [, calls]) => sum + Number(calls),
    0,
  );
  return {
    scripts: read(/^cmdstat_evalsha:calls=(\d+)/m),
    commands,
    cpuMs:
      (read(/^used_cpu_user_main_thread:([\d.]+)/m) + read(/^used_cpu_sys_main_thread:([\d.]+)/m)) * 1000,
  };
}
