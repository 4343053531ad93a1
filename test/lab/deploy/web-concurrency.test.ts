import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { Agent, get, type RequestListener } from 'node:http';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { hasMongo, startMongo, type TestMongo } from '../../kit/mongo.ts';
import { hasRedis, startRedis, type TestRedis } from '../../kit/redis.ts';
import { type ServiceProcess, startService } from '../../kit/service-process.ts';
import { type Lab, openLab } from '../kit/lab.ts';

const hosts = Array.from({ length: 6 }, (_, index) => `t${index}.test`);
const findings = '/api/findings';
const check = '/api/tools/redirect-check?url=http%3A%2F%2Ft0.test%2Fwaits';
/** What the log of a primary says of a child that ended. */
const replaced = '"msg":"a process ended, another is started"';

describe.skipIf(!hasRedis || !hasMongo)('WEB_CONCURRENCY=2', () => {
  let redis: TestRedis;
  let mongo: TestMongo;
  let lab: Lab;
  beforeAll(async () => {
    const good: RequestListener = (_request, response) => void response.end('good');
    const sites = hosts.map((host) => [`http://${host}`, good] as const);
    [redis, mongo, lab] = await Promise.all([
      startRedis(),
      startMongo(),
      openLab({ sites: Object.fromEntries(sites) }),
    ]);
  });
  afterAll(async () => void (await Promise.all([redis.stop(), mongo.stop(), lab.close()])));

  async function start(name: 'api' | 'serve', more: Readonly<Record<string, string>> = {}) {
    const settings = {
      REDIS_URL: redis.url,
      MONGODB_URL: mongo.url,
      LOG_LEVEL: 'info',
      WEB_CONCURRENCY: '2',
    };
    const service = await startService({
      program: process.execPath,
      args: ['cli/diag.js', name],
      environment: lab.settings({ ...settings, RATE_LIMIT: 'off', WORKER_QUEUES: 'network', ...more }),
      isGroup: true,
    });
    onTestFinished(() => service.kill('SIGKILL'));
    await expect.poll(() => readiness(service)).toMatchObject({ status: 'ready' });
    return service;
  }

  test('both answer on one port, one admin port tells of both, and one that is killed is replaced', async () => {
    const service = await start('api');
    const agent = new Agent({ keepAlive: true, maxSockets: 20 });
    onTestFinished(() => agent.destroy());
    const statuses = await Promise.all(Array.from({ length: 200 }, () => ask(service, findings, agent)));
    expect(new Set(statuses)).toEqual(new Set([200]));
    const children = childrenOf(service.child.pid ?? 0);
    const ports = Object.values(agent.freeSockets).flatMap((sockets = []) =>
      sockets.flatMap(({ localPort }) => localPort ?? []),
    );
    const held = children.map((pid) => countSockets(pid, ports));
    // The next connection goes to the one that has taken its last.
    expect(held.reduce((sum, count) => sum + count)).toBe(ports.length);
    expect(ports).toHaveLength(20);
    expect(Math.min(...held)).toBeGreaterThan(0);
    expect(await ask({ url: service.adminUrl }, '/livez')).toBe(200);
    expect(await readiness(service)).toMatchObject({ status: 'ready', checks: { processes: true } });
    expect(await answered(service)).toBe(200);
    expect(await sample(service, 'process_resident_memory_bytes{process="2"}')).toBeGreaterThan(1e7);
    expect(await sample(service, 'diag_queue_up')).toBe(1);
    const startedAt = await sample(service, 'process_start_time_seconds{process="1"}');

    process.kill(children[0] ?? 0, 'SIGKILL');
    await expect
      .poll(() => readiness(service))
      .toMatchObject({
        status: 'degraded',
        degraded: { processes: '1 of 2 do not answer' },
      });
    // What it has counted is not lost, and the other goes on.
    expect(await ask(service, findings)).toBe(200);
    expect(await answered(service)).toBe(201);
    await untilReplaced(service);
    expect(service.lines.filter((line) => line.includes(replaced))).toHaveLength(1);
    expect(await sample(service, 'process_start_time_seconds{process="1"}')).not.toBe(startedAt);
    expect(childrenOf(service.child.pid ?? 0)).toHaveLength(2);
    for (const line of service.lines) JSON.parse(line);
  });

  test('a caller has one limit of requests for both', async () => {
    const service = await start('api', { RATE_LIMIT: 'on', LIMIT_ANON_REQUESTS: '100/600' });
    const statuses = [];
    // Each on a connection of its own, which the next process gets.
    for (let count = 0; count < 300; count += 1) statuses.push(await ask(service, '/api/me'));
    const allowed = statuses.filter((status) => status === 200).length;
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    // What came while one process had not yet heard of the other is beyond the limit; two limits would be 200.
    expect(allowed).toBeGreaterThanOrEqual(100);
    expect(allowed).toBeLessThan(150);

    // One that is started later is told what has been spent.
    process.kill(childrenOf(service.child.pid ?? 0)[0] ?? 0, 'SIGKILL');
    await untilReplaced(service);
    for (let count = 0; count < 10; count += 1) expect(await ask(service, '/api/me')).toBe(429);
  });

  test('npm start has a third process for checks, and SIGTERM loses no request of any', async () => {
    const service = await start('serve');
    const pids = childrenOf(service.child.pid ?? 0);
    expect(pids).toHaveLength(3);
    const checks = hosts.map((host) => ask(service, `/api/tools/redirect-check?url=http%3A%2F%2F${host}%2F`));
    expect(new Set(await Promise.all(checks))).toEqual(new Set([200]));
    let isDraining = false;
    const statuses: number[] = [];
    // As a load balancer: new requests until the admin port says that the process ends.
    const load = async (agent: Agent | false) => {
      while (!isDraining) statuses.push(await ask(service, findings, agent));
    };
    const kept = new Agent({ keepAlive: true });
    onTestFinished(() => kept.destroy());
    const loads = Array.from({ length: 8 }, (_, index) => load(index % 2 === 0 && kept));
    await expect.poll(() => statuses.length).toBeGreaterThan(20);
    service.child.kill('SIGTERM');
    await expect.poll(() => readiness(service), { interval: 5 }).toMatchObject({ status: 'draining' });
    isDraining = true;
    await Promise.all(loads);
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect({ status: await service.closed, errors: errorsOf(service) }).toEqual({ status: 0, errors: [] });
    expect(pids.filter(isAlive)).toEqual([]);
    expect(service.lines.filter((line) => line.includes('"msg":"stopping"'))).toHaveLength(1);
  });

  test('children whose primary is killed answer what waits, and end', async () => {
    const service = await start('api');
    const pids = childrenOf(service.child.pid ?? 0);
    const answers: number[] = [];
    const waiting = [ask(service, check), ask(service, check)];
    for (const answer of waiting) void answer.then((status) => answers.push(status));
    const jobs = () => sample(service, 'diag_queue_jobs{queue="network",state="waiting"}');
    await expect
      .poll(async () => ({ jobs: await jobs(), answers, errors: errorsOf(service) }))
      .toEqual({ jobs: 1, answers: [], errors: [] });
    service.child.kill('SIGKILL');
    expect(await Promise.all(waiting)).toEqual([202, 202]);
    await service.closed;
    expect(service.lines.filter((line) => line.includes('the primary is gone'))).toHaveLength(2);
    await expect.poll(() => pids.filter(isAlive)).toEqual([]);
  });
});

/** Waits until another process has the place of one that was killed. */
async function untilReplaced(service: ServiceProcess): Promise<void> {
  await expect.poll(() => service.lines.some((line) => line.includes(replaced))).toBe(true);
  // A process starts in a second, and in several where the machine has other work.
  await expect.poll(() => readiness(service), { timeout: 30_000 }).toMatchObject({ status: 'ready' });
}

/** Sends one GET, and gives the status. Without an agent it has a connection of its own. */
function ask(
  { url }: Pick<ServiceProcess, 'url'>,
  path: string,
  agent: Agent | false = false,
): Promise<number> {
  return new Promise((resolve, reject) => {
    get(`${url}${path}`, { agent }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode ?? 0));
    }).once('error', reject);
  });
}

async function readiness({ adminUrl }: ServiceProcess): Promise<unknown> {
  return (await fetch(`${adminUrl}/readyz`)).json();
}

/** The value of a series of /metrics. */
async function sample({ adminUrl }: ServiceProcess, series: string): Promise<number> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text();
  const line = text.split('\n').find((each) => each.startsWith(`${series} `));
  return Number(line?.slice(series.length + 1) ?? Number.NaN);
}

const answered = (service: ServiceProcess) =>
  sample(service, `diag_http_requests_total{route="${findings}",status="200"}`);

function errorsOf({ lines }: ServiceProcess): readonly string[] {
  return lines.filter((line) => line.includes('"level":50'));
}

function childrenOf(pid: number): number[] {
  const pids = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return pids.trim().split(' ').map(Number);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** How many of the connections from these ports a process holds, as the kernel sees it. */
function countSockets(pid: number, ports: readonly number[]): number {
  const isTheirs = (address: string) => ports.includes(Number.parseInt(address.split(':')[1] ?? '', 16));
  const inodes = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    // Established ones, seen from the service.
    .filter(([, , remote = '', state]) => isTheirs(remote) && state === '01')
    .map((fields) => fields[9]);
  const links = readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`);
    } catch {
      return ''; // closed meanwhile
    }
  });
  return inodes.filter((inode) => links.includes(`socket:[${inode}]`)).length;
}
