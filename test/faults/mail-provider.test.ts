import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anonymousShare } from '#shared/ports/pace';
import { mailPerHour, paceRates } from '../../worker/probes/pace-turns.ts';
import { hasMongo, startMongo, type TestMongo } from '../kit/mongo.ts';
import { hasRedis, startRedis, type TestRedis } from '../kit/redis.ts';
import { type ServiceProcess, startService } from '../kit/service-process.ts';
import type { MailServer } from '../lab/smtp-check/mail-server.ts';
import { type MailWorld, openMailWorld } from '../lab/smtp-check/world.ts';

const wide = '1000000/60';
const hosts = ['mx1.big.test', 'mx2.big.test', 'mx3.big.test'];
const shared = Array.from({ length: 105 }, (_, at) => `c${at}.test`);
/** Hosts of their own names, all at one address, as some providers give each customer. */
const vanity = Array.from({ length: 40 }, (_, at) => `v${at}.test`);
const vanityAddress = '127.0.0.154';
const workers = 2;
/** A first talk, and one that looks for old versions. */
const talks = 2;

type Report = {
  readonly connections: number;
  readonly hosts: readonly { readonly addresses: readonly MailAddress[] }[];
};
type MailAddress = { readonly checkedAt: string; readonly state: string; readonly startTls: string };

describe.skipIf(!hasRedis || !hasMongo)('two workers, and a provider that many domains name', () => {
  let redis: TestRedis;
  let mongo: TestMongo;
  let world: MailWorld;
  let servers: readonly MailServer[];
  let crowded: MailServer;
  const parts = new Set<ServiceProcess>();
  let api: ServiceProcess;

  const startAll = async () => {
    const environment = {
      ...world.settings,
      REDIS_URL: redis.url,
      MONGODB_URL: mongo.url,
      WORKER_QUEUES: 'network',
      LOG_LEVEL: 'info',
      LIMIT_ANON_REQUESTS: wide,
      LIMIT_ANON_SCANS: wide,
      QUEUE_SECONDS: '300',
    };
    const start = async (role: string) => {
      const part = await startService({
        program: process.execPath,
        args: ['cli/diag.js', role],
        environment,
      });
      parts.add(part);
      return part;
    };
    const roles = ['api', ...Array.from({ length: workers }, () => 'worker')];
    const [first] = await Promise.all(roles.map(start));
    if (first) api = first;
  };
  const endAll = async () => {
    for (const part of parts) part.kill('SIGKILL');
    await Promise.all([...parts].map(({ closed }) => closed));
  };

  beforeAll(async () => {
    [redis, mongo] = await Promise.all([startRedis(), startMongo()]);
    world = await openMailWorld({
      ...Object.fromEntries(
        shared.map((name) => [name, { MX: hosts.map((exchange, preference) => ({ preference, exchange })) }]),
      ),
      ...Object.fromEntries(hosts.map((name, at) => [name, { A: [`127.0.0.${151 + at}`] }])),
      ...Object.fromEntries(
        vanity.flatMap((name) => [
          [name, { MX: [{ preference: 1, exchange: `mx.${name}` }] }] as const,
          [`mx.${name}`, { A: [vanityAddress] }] as const,
        ]),
      ),
    });
    const tls = await world.authority.issue(hosts);
    servers = await Promise.all(hosts.map((_, at) => world.serve(151 + at, { tls })));
    crowded = await world.serve(154, { extensions: ['SIZE 1'] });
    await startAll();
  }, 120_000);
  afterAll(async () => {
    await endAll();
    await Promise.all([world?.close(), redis?.stop(), mongo?.stop()]);
  });

  const look = (names: readonly string[], query = '') =>
    Promise.all(
      names.map((name) => untilAnswered(`${api.url}/api/tools/smtp-check/${name}?wait=20${query}`)),
    );
  const made = (reports: readonly Report[]) => reports.reduce((sum, { connections }) => sum + connections, 0);
  const counted = () => servers.map((server) => server.connections());
  /** When each host was seen, as the reports say. */
  const seenIn = (reports: readonly Report[]) =>
    hosts.map((_, at) => new Set(reports.map((report) => report.hosts[at]?.addresses[0]?.checkedAt)));
  let first: readonly Set<string | undefined>[] = [];

  test('a hundred domains make the connections of one, or of one for each worker', async () => {
    const reports = await look(shared.slice(0, 100));
    for (const count of counted()) expect(count).toBeLessThanOrEqual(talks * workers);
    expect(made(reports)).toBe(counted().reduce((sum, count) => sum + count, 0));
    expect(new Set(reports.flatMap(addressesOf).map(({ startTls }) => startTls))).toEqual(new Set(['ok']));
    first = seenIn(reports);
    for (const times of first) expect(times.size).toBeLessThanOrEqual(workers);
    console.log(`100 domains: ${counted().join(', ')} connections to three hosts`);
  }, 240_000);

  test('fresh=1 reaches no host that was seen within ten minutes, and says when that was', async () => {
    const before = counted();
    const reports = await look(shared.slice(100, 105), '&fresh=1');
    expect(counted()).toEqual(before);
    for (const [at, times] of seenIn(reports).entries())
      for (const time of times) expect(first[at]).toContain(time);
  }, 120_000);

  test('hosts of many names at one address get what their address may get, whoever asks', async () => {
    const start = performance.now();
    const reports = await look(vanity);
    const { perSecond, burst } = paceRates['mail connections'] ?? { perSecond: 0, burst: 0 };
    const seconds = (performance.now() - start) / 1000;
    // What anonymous callers may use of it.
    const allowed = anonymousShare * (burst + perSecond * seconds);
    expect(crowded.connections()).toBeLessThanOrEqual(Math.ceil(allowed));
    expect(crowded.connections()).toBe(made(reports));
    expect(crowded.connections()).toBeLessThanOrEqual(mailPerHour.burst);
    const left = reports.flatMap(addressesOf).filter(({ state }) => state !== 'ok');
    expect(left.length).toBe(vanity.length - crowded.connections());
    expect(new Set(left.map(({ startTls }) => startTls))).toEqual(new Set(['unknown']));
    console.log(`${vanity.length} names of one address: ${crowded.connections()} connections`);
  }, 240_000);
});

function addressesOf(report: Report): readonly MailAddress[] {
  return report.hosts.flatMap(({ addresses }) => addresses);
}

/** Asks until there is a report: a run may be waited for longer than one request. */
async function untilAnswered(url: string): Promise<Report> {
  const until = performance.now() + 200_000;
  for (;;) {
    const answer = await fetch(url, { signal: AbortSignal.timeout(60_000) });
    const text = await answer.text();
    if (answer.status === 200) return JSON.parse(text) as Report;
    if (performance.now() > until) throw new Error(`${url} was never answered: ${answer.status} ${text}`);
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}
