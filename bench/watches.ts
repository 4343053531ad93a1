import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { drawToken } from '../test/kit/draw-token.ts';
import { startMongo } from '../test/kit/mongo.ts';
import { startRedis, type TestRedis } from '../test/kit/redis.ts';
import { type ServiceProcess, startService } from '../test/kit/service-process.ts';
import type { Section } from './section.ts';
import { percentile } from './statistics.ts';
import { hostOf, openWorld, settingsOf, turnsOf, type World } from './watches-world.ts';

const count = Number(process.env['BENCH_WATCHES'] ?? 1000);
const everySeconds = Number(process.env['BENCH_EVERY_S'] ?? 60);
const forMs = Number(process.env['BENCH_WATCH_S'] ?? 300) * 1000;
const faultEveryMs = Number(process.env['BENCH_FAULT_S'] ?? 20) * 1000;
/** One machine is measured with fewer. */
const embeddedCount = Math.ceil(count / 4);
const accounts = 5;
/** A turn that began so long after its time is told as late. */
const lateMs = 10_000;
/** What is asked at once while watches are made and read. */
const lanes = 8;

type Settings = Readonly<Record<string, string>>;
type Crew = { apis: ServiceProcess[]; workers: ServiceProcess[] };

type Made = {
  readonly watchId: string;
  readonly host: string;
  readonly headers: Record<string, string>;
};
type Delivery = {
  readonly deliveryId: string;
  readonly type: string;
  readonly state: string;
  readonly channel: string;
};

/** Watches of some accounts while processes are killed: their turns as the sites saw them, and their events as the receiver did. */
export async function bench(): Promise<Section> {
  const [scaled, embedded] = [await benchScaled(), await benchEmbedded()];
  const rows = scaled.map(([name, value], at): [string, string | number, string | number] => [
    name,
    value,
    embedded[at]?.[1] ?? '',
  ]);
  return {
    title: 'Watches while processes are killed',
    about: `${count} watches (\`BENCH_WATCHES\`) of one site each, every ${everySeconds} s (\`BENCH_EVERY_S\`) for ${forMs / 1000} s (\`BENCH_WATCH_S\`), of ${accounts} accounts, at 2 APIs and 3 workers over a Redis with an append-only file; each ${faultEveryMs / 1000} s one of worker, API and Redis is killed with SIGKILL and started again. Beside it ${embeddedCount} at one process with all of it, killed in the middle and started again. Every second site breaks at half time. The receiver of webhooks answers 500 to half of all attempts, at random. A turn is counted at the site, in the interval that begins with its time.`,
    columns: ['', 'scaled', 'one process'],
    rows,
    limits:
      'the CPU of the machine, which the sites and the receiver share. A worker that is killed leaves its turns for a minute: with an interval of a minute they are taken with the next ones.',
  };
}

type Rows = readonly (readonly [string, string | number])[];

async function benchScaled(): Promise<Rows> {
  const folder = mkdtempSync(join(tmpdir(), 'diag-bench-'));
  const world = await openWorld(count);
  const [redis, mongo] = await Promise.all([startRedis({ appendOnly: true }), startMongo()]);
  const settings = settingsOf(world, folder, { REDIS_URL: redis.url, MONGODB_URL: mongo.url });
  const start = (role: string) => startRole(role, settings);
  const crew: Crew = {
    apis: await Promise.all([start('api'), start('api')]),
    workers: await Promise.all([start('worker'), start('worker'), start('worker')]),
  };
  const killed: Record<string, number> = {};
  const stopped = new AbortController();
  try {
    const made = await makeWatches(crew, await drawTokens(settings), count);
    const breaking = breakThings({ crew, redis, start }, killed, stopped.signal);
    const measured = await measure(world, crew, made);
    stopped.abort();
    await breaking;
    const what = Object.entries(killed).map(([name, often]) => `${name} ${often}`);
    return [['killed', what.join(', ')], ...(await tell(world, crew, made, measured))];
  } finally {
    stopped.abort();
    await end([...crew.apis, ...crew.workers]);
    await Promise.all([redis.stop(), mongo.stop()]);
    await world.lab.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function benchEmbedded(): Promise<Rows> {
  const folder = mkdtempSync(join(tmpdir(), 'diag-bench-'));
  const world = await openWorld(embeddedCount);
  const settings = settingsOf(world, folder, { DATA_DIR: join(folder, 'data') });
  const start = () => startRole('serve', settings);
  const crew: Crew = { apis: [], workers: [] };
  try {
    const headers = await drawTokens(settings);
    crew.apis = [await start()];
    const made = await makeWatches(crew, headers, embeddedCount);
    const restarting = delay(forMs / 2 + 5000).then(async () => {
      const [old] = crew.apis;
      old?.kill('SIGKILL');
      await old?.closed;
      crew.apis = [await start()];
    });
    const measured = await measure(world, crew, made);
    await restarting;
    return [['killed', 'the process 1'], ...(await tell(world, crew, made, measured))];
  } finally {
    await end(crew.apis);
    await world.lab.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function startRole(role: string, environment: Settings): Promise<ServiceProcess> {
  return startService({ program: process.execPath, args: ['cli/diag.js', role], environment });
}

async function end(members: readonly ServiceProcess[]): Promise<void> {
  for (const member of members) member.kill('SIGKILL');
  await Promise.all(members.map(({ closed }) => closed));
}

/** A token for each account, one after the other: a file of SQLite has one writer. */
async function drawTokens(settings: Settings): Promise<readonly Record<string, string>[]> {
  const all: Record<string, string>[] = [];
  while (all.length < accounts)
    all.push({
      authorization: `Bearer ${await drawToken(settings, ['--scopes', 'tools,reports:read,watch'])}`,
    });
  return all;
}

async function makeWatches(
  crew: Crew,
  headers: readonly Record<string, string>[],
  wanted: number,
): Promise<readonly Made[]> {
  return inLanes(wanted, async (index) => {
    const own = headers[index % accounts] ?? {};
    const host = hostOf(index);
    const made = await ask(
      crew,
      '/api/watches',
      { ...own, 'idempotency-key': host },
      {
        check: 'redirect-check',
        targets: [`http://${host}/`],
        everySeconds,
        notify: { webhook: { url: 'https://hook.test/in' } },
      },
    );
    return { watchId: String(made['watchId']), host, headers: own };
  });
}

/** Asks whichever API answers, until one does. */
async function ask(
  { apis }: Crew,
  path: string,
  headers: Record<string, string>,
  body?: object,
): Promise<Record<string, unknown>> {
  for (let turn = 0; ; turn += 1) {
    const post = { method: 'POST', body: JSON.stringify(body) };
    const answer = await fetch(`${apis[turn % apis.length]?.url}${path}`, {
      ...(body ? post : {}),
      headers: { ...headers, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(30_000),
    }).catch(() => undefined); // a process that was killed: the next one is asked
    if (answer?.ok === true) return (await answer.json()) as Record<string, unknown>;
    if (answer && answer.status < 500 && answer.status !== 409)
      throw new Error(`${answer.status}: ${await answer.text()}`);
    await delay(250);
  }
}

async function inLanes<T>(wanted: number, act: (index: number) => Promise<T>): Promise<readonly T[]> {
  const all: T[] = [];
  let next = 0;
  const lane = async () => {
    for (let index = next++; index < wanted; index = next++) all[index] = await act(index);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return all;
}

type Measured = { readonly from: number; readonly until: number; readonly tests: readonly string[] };

/** Lets the watches go for the time of the bench, and has a tenth of them tested meanwhile. */
async function measure(world: World, crew: Crew, made: readonly Made[]): Promise<Measured> {
  const from = Date.now();
  await delay(forMs / 2);
  world.break();
  const tested = made.filter((_, index) => index % 10 === 0);
  const tests = await inLanes(tested.length, async (at) => {
    const { watchId, headers } = tested[at] ?? { watchId: '', headers: {} };
    return String((await ask(crew, `/api/watches/${watchId}/test`, headers, {}))['deliveryId']);
  });
  await delay(from + forMs - Date.now());
  return { from, until: Date.now(), tests };
}

async function tell(world: World, crew: Crew, made: readonly Made[], measured: Measured): Promise<Rows> {
  const turns = made.flatMap((one) => turnsOf(world, { ...one, everySeconds }, measured));
  const delays = turns.flatMap(({ delayMs }) => (delayMs === undefined ? [] : [delayMs]));
  const none = turns.filter(({ delayMs }) => delayMs === undefined);
  const told = await inLanes(made.length, async (at) => {
    const { watchId, headers } = made[at] ?? { watchId: '', headers: {} };
    const found = await ask(crew, `/api/watches/${watchId}/deliveries?limit=100`, headers);
    return found['deliveries'] as readonly Delivery[];
  });
  const events = told.flat().filter(({ channel }) => channel === 'webhook');
  const inState = (state: string) => events.filter((one) => one.state === state);
  const known = new Set(events.map(({ deliveryId }) => deliveryId));
  const changed = told.map((of) => of.filter(({ type }) => type === 'watch.changed').length);
  const broken = Math.ceil(made.length / 2);
  const repeats = [...world.taken.values()].reduce((sum, times) => sum + times - 1, 0);
  return [
    ['turns that were due', turns.length],
    ['taken in their interval', delays.length],
    [`of these more than ${lateMs / 1000} s late`, delays.filter((ms) => ms > lateMs).length],
    ['taken with the next one', none.filter(({ isNext }) => isNext).length],
    ['lost: none in two intervals', none.filter(({ isNext }) => !isNext).length],
    ['taken twice in an interval', turns.filter(({ times }) => times > 1).length],
    [
      'from the time of a turn to its visit: median, 95th percentile, most, s',
      [0.5, 0.95, 1].map((share) => (percentile(delays, share) / 1000).toFixed(1)).join(', '),
    ],
    ['events for webhooks; attempts at the receiver', `${events.length}; ${world.sent()}`],
    [
      'delivered; to be tried again; dead',
      `${inState('delivered').length}; ${inState('pending').length + inState('retrying').length}; ${inState('dead').length}`,
    ],
    [
      'delivered, but not seen by the receiver',
      inState('delivered').filter(({ deliveryId }) => !world.taken.has(deliveryId)).length,
    ],
    ['seen by the receiver, but not known', [...world.taken.keys()].filter((id) => !known.has(id)).length],
    ['repeats that the receiver drops', repeats],
    ['tests that were asked for and are not there', measured.tests.filter((id) => !known.has(id)).length],
    [
      'sites that broke: told once; twice; not',
      `${changed.filter((times) => times === 1).length} of ${broken}; ${changed.filter((times) => times > 1).length}; ${broken - changed.filter((times) => times > 0).length}`,
    ],
  ];
}

type Breakable = {
  readonly crew: Crew;
  readonly redis: TestRedis;
  readonly start: (role: string) => Promise<ServiceProcess>;
};

/** Kills something now and then until it is told to stop. Counts in `done`. */
async function breakThings(
  { crew, redis, start }: Breakable,
  done: Record<string, number>,
  signal: AbortSignal,
): Promise<void> {
  const replace = async (members: ServiceProcess[], role: string) => {
    members.shift()?.kill('SIGKILL');
    members.push(await start(role));
  };
  const faults = [
    ['worker', () => replace(crew.workers, 'worker')],
    ['API', () => replace(crew.apis, 'api')],
    [
      'Redis',
      async () => {
        redis.process?.kill('SIGKILL');
        await delay(1000);
        await redis.restart();
      },
    ],
  ] as const;
  for (let turn = 0; ; turn += 1) {
    const [what, act] = faults[turn % faults.length] ?? [];
    await delay(faultEveryMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted || what === undefined || act === undefined) return;
    await act();
    done[what] = (done[what] ?? 0) + 1;
  }
}
