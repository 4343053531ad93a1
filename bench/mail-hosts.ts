import { startMongo } from '../test/kit/mongo.ts';
import { startRedis } from '../test/kit/redis.ts';
import { type ServiceProcess, startService } from '../test/kit/service-process.ts';
import type { MailServer } from '../test/lab/smtp-check/mail-server.ts';
import { type MailWorld, openMailWorld } from '../test/lab/smtp-check/world.ts';
import { cpuMsOf } from './process-cpu.ts';
import type { Section } from './section.ts';
import { median } from './statistics.ts';

const hosts = ['mx1.big.test', 'mx2.big.test', 'mx3.big.test'];
const customers = Array.from({ length: 100 }, (_, at) => `c${at}.test`);
/** Domains of one host each, for the time and CPU of domain-health. */
const singles = Array.from({ length: 30 }, (_, at) => `s${at}.test`);
const addressOf = (at: number) => `127.0.5.${at + 1}`;
const tripMs = 100;
const wide = '1000000/60';

type Row = readonly (string | number)[];

/** What mail hosts get from smtp-check, how long it takes beside a round trip, and what it adds to domain-health. */
export async function bench(): Promise<Section> {
  const world = await openWorld();
  try {
    const rows = [
      ...(await countConnections(world)),
      await measureTrips(world),
      ...(await measureHealth(world)),
    ];
    return {
      title: 'Mail hosts',
      about: `Scripted mail hosts on loopback, counted and timed at the hosts. The provider has three hosts with one address each; its ${customers.length} domains are asked for at once. domain-health is asked for ${singles.length} domains one after the other with parts=mail, each with a host of its own; CPU is that of the service's processes.`,
      columns: ['what', 'figure', 'for each'],
      rows,
      limits:
        'two connections to an address, one after the other, of which the second looks for old versions; what was seen of a host serves all domains for an hour. Where an anonymous caller asks, the second waits two seconds for the pace of its address: that is the wall time of domain-health here.',
    };
  } finally {
    await world.close();
  }
}

type Provider = {
  readonly world: MailWorld;
  readonly servers: readonly MailServer[];
  readonly close: () => Promise<void>;
};

async function openWorld(): Promise<Provider> {
  const world = await openMailWorld(
    {
      ...Object.fromEntries(customers.map((name) => [name, mx(hosts)])),
      ...Object.fromEntries(hosts.map((name, at) => [name, { A: [`127.0.0.${61 + at}`] }])),
      ...Object.fromEntries(singles.map((name) => [name, mx([`mx.${name}`])])),
      ...Object.fromEntries(singles.map((name, at) => [`mx.${name}`, { A: [addressOf(at)] }])),
      'far.test': mx(['mx.far.test']),
      'mx.far.test': { A: ['127.0.0.70'] },
    },
    { limits: { greetingMs: 20_000, replyMs: 8000, handshakeMs: 8000 } },
  );
  const tls = await world.authority.issue([...hosts, 'mx.far.test']);
  const servers = await Promise.all(hosts.map((_, at) => world.serve(61 + at, { tls })));
  await world.serve(70, { tls, delayMs: tripMs });
  return { world, servers, close: () => world.close() };
}

function mx(names: readonly string[]) {
  return { MX: names.map((exchange, preference) => ({ preference, exchange })) };
}

async function countConnections({ world, servers }: Provider): Promise<readonly Row[]> {
  const counted = () => servers.reduce((sum, server) => sum + server.connections(), 0);
  await world.checkAnew(customers[0] ?? '');
  const one = counted();
  const [redis, mongo] = await Promise.all([startRedis(), startMongo()]);
  const count = async (roles: readonly string[], more: Readonly<Record<string, string>> = {}) => {
    const before = counted();
    const parts = await startAll(world, roles, more);
    await Promise.all(customers.map(async (name) => ask(parts, `smtp-check/${name}?wait=20`)));
    await endAll(parts);
    return counted() - before;
  };
  try {
    const embedded = await count(['serve']);
    const scaled = await count(['api', 'worker', 'worker'], {
      REDIS_URL: redis.url,
      MONGODB_URL: mongo.url,
    });
    return [
      ['connections of one domain with three hosts', one, `${one / hosts.length} a host`],
      ['connections of 100 domains, one process', embedded, `${embedded / customers.length} a domain`],
      ['connections of 100 domains, an API and two workers', scaled, `${scaled / customers.length} a domain`],
    ];
  } finally {
    await Promise.all([redis.stop(), mongo.stop()]);
  }
}

async function measureTrips({ world }: Provider): Promise<Row> {
  const times: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const start = performance.now();
    await world.checkAnew('far.test');
    times.push(performance.now() - start);
  }
  const trips = median(times) / tripMs;
  return [
    `time of a good host, each of whose replies takes ${tripMs} ms`,
    `${Math.round(median(times))} ms`,
    `${trips.toFixed(1)} round trips`,
  ];
}

async function measureHealth({ world }: Provider): Promise<readonly Row[]> {
  const tls = await world.authority.issue(['mx.test']);
  const servers = await Promise.all(singles.map((_, at) => world.serveAt(addressOf(at), { tls })));
  const measure = async (isOn: boolean) => {
    const parts = await startAll(world, ['serve'], isOn ? {} : { PROBE_SMTP: 'off' });
    // Warm code, and a domain that is not counted.
    await ask(parts, 'domain-health/c0.test?parts=mail&wait=55');
    const pids = parts.map(({ child }) => child.pid);
    const cpuBefore = cpuMsOf(pids);
    const times: number[] = [];
    for (const name of singles) {
      const start = performance.now();
      await ask(parts, `domain-health/${name}?parts=mail&wait=55`);
      times.push(performance.now() - start);
    }
    const cpuMs = (cpuMsOf(pids) - cpuBefore) / singles.length;
    await endAll(parts);
    return { wallMs: median(times), cpuMs };
  };
  const off = await measure(false);
  const on = await measure(true);
  const talks = servers.reduce((sum, server) => sum + server.connections(), 0);
  const row = (what: string, { wallMs, cpuMs }: typeof on): Row => [
    `domain-health with parts=mail, PROBE_SMTP ${what}`,
    `${Math.round(wallMs)} ms`,
    `${Math.round(cpuMs)} ms CPU`,
  ];
  return [
    row('off', off),
    row('on', on),
    [
      'the second ÷ the first',
      (on.wallMs / off.wallMs).toFixed(2),
      `${(on.cpuMs / off.cpuMs).toFixed(2)} in CPU, ${talks / singles.length} connections`,
    ],
  ];
}

async function startAll(
  world: MailWorld,
  roles: readonly string[],
  more: Readonly<Record<string, string>>,
): Promise<readonly ServiceProcess[]> {
  const environment = {
    ...world.settings,
    WORKER_QUEUES: 'network',
    LOG_LEVEL: 'info',
    LIMIT_ANON_REQUESTS: wide,
    LIMIT_ANON_SCANS: wide,
    QUEUE_SECONDS: '300',
    ...more,
  };
  return Promise.all(
    roles.map((role) =>
      startService({ program: process.execPath, args: ['cli/diag.js', role], environment }),
    ),
  );
}

async function endAll(parts: readonly ServiceProcess[]): Promise<void> {
  for (const part of parts) part.kill('SIGKILL');
  await Promise.all(parts.map(({ closed }) => closed));
}

/** Asks until there is a report. */
async function ask([first]: readonly ServiceProcess[], path: string): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    const answer = await fetch(`${first?.url ?? ''}/api/tools/${path}`);
    await answer.text();
    if (answer.status === 200) return;
    if (answer.status !== 202 && answer.status !== 503) throw new Error(`${path}: ${answer.status}`);
  }
  throw new Error(`${path} was never answered`);
}
