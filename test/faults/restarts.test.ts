import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { hasMongo, withOptions } from '../kit/mongo.ts';
import { hasRedis } from '../kit/redis.ts';
import { type Balancer, openBalancer } from './balancer.ts';
import { type Fleet, type Member, openFleet, type Settings, type Tally } from './fleet.ts';

const isHere = hasRedis && hasMongo;
const hosts = 24;
/** What the image sets. */
const [, usualDrainS = ''] = /\bDRAIN_SECONDS=(\d+)/.exec(readFileSync('Dockerfile', 'utf8')) ?? [];

const restarts = [
  { name: 'a balancer that looks every 5 s, and the default of the image', lagMs: 5000, drain: usualDrainS },
  { name: 'a balancer that looks every 10 s, and DRAIN_SECONDS=15', lagMs: 10_000, drain: '15' },
];

describe.skipIf(!isHere)('APIs and workers that are replaced one after the other', () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await openFleet({
      hosts,
      settings: { FRESH_SECONDS: '600', QUEUE_SECONDS: '120' },
      answer: (_request, response) => void setTimeout(() => response.writeHead(204).end(), 200),
    });
  }, 60_000);
  afterAll(() => fleet?.close());

  test.for(restarts)(
    'cost no caller an error: $name',
    { timeout: 240_000 },
    async ({ name, lagMs, drain }) => {
      const settings = { DRAIN_SECONDS: drain };
      const [apis, workers] = await openPairs(fleet, settings);
      const balancer = await openBalancerFor(apis, lagMs);
      const load = sendLoad(balancer.url);
      await delay(2000);
      await replaceAll({ fleet, balancer, settings, apis, workers });
      await delay(1000);
      const tally = await load.end();
      console.log(`rolling restart, ${name}: ${JSON.stringify(tally)}`);
      expect(errorsIn(tally)).toEqual([]);
      expect(tally['200']).toBeGreaterThan(100);
      await endAll([...apis, ...workers]);
    },
  );

  test('without such a time, those that come before the balancer has looked are refused', async () => {
    const settings = { ...patient(fleet), DRAIN_SECONDS: '0' };
    const [apis, workers] = await openPairs(fleet, settings);
    const balancer = await openBalancerFor(apis, 5000);
    const load = sendLoad(balancer.url);
    await delay(1000);
    await replaceApi({ fleet, balancer, settings, apis, workers }, 0);
    // Until the balancer has looked.
    await delay(6000);
    const tally = await load.end();
    console.log(`rolling restart without DRAIN_SECONDS: ${JSON.stringify(tally)}`);
    expect(errorsIn(tally)).not.toEqual([]);
    await endAll([...apis, ...workers]);
  }, 120_000);
});

/** Callers of networks of their own: none has more GETs waiting than it may. */
const waitingGets = 200;

describe.skipIf(!isHere)('an API with 200 waiting GETs', () => {
  let fleet: Fleet;
  const held: (() => void)[] = [];
  beforeAll(async () => {
    fleet = await openFleet({
      hosts,
      settings: { FRESH_SECONDS: '600', QUEUE_SECONDS: '120', TRUST_PROXY: '1' },
      answer: (_request, response) => void held.push(() => response.writeHead(204).end()),
    });
    await fleet.startWorker(patient(fleet));
  }, 60_000);
  afterAll(() => fleet?.close());

  const moments = [
    { name: 'that all wait', drain: '0', areIn: true },
    { name: 'that all wait, and some end while it goes on', drain: '3', areIn: true },
    { name: 'that have only been sent', drain: '5', areIn: false },
  ];
  test.for(moments)(
    '$name at a SIGTERM answers each',
    { timeout: 140_000 },
    async ({ name, drain, areIn }) => {
      const api = await fleet.startApi({ ...patient(fleet), DRAIN_SECONDS: drain });
      const tally: Tally = {};
      const asking = Array.from({ length: waitingGets }, (_, index) =>
        count(tally, () =>
          fetch(`${api.url}${pathOf(`http://t${index % hosts}.test/${drain}/${index}`)}&wait=55`, {
            headers: { 'x-forwarded-for': `203.0.${index % 250}.7` },
          }),
        ),
      );
      if (areIn) await untilAllWait(api);
      const ended = endAll([api]);
      const release = setInterval(() => held.splice(0).forEach((end) => end()), 500);
      onTestFinished(() => clearInterval(release));
      await Promise.all(asking);
      await ended;
      console.log(`${waitingGets} GETs ${name}: ${JSON.stringify(tally)}`);
      expect(errorsIn(tally)).toEqual([]);
      // The others finish what is left of it: the next test counts its own jobs.
      const left = () => fleet.leftovers().then(({ parked, slots }) => parked + slots);
      await expect.poll(left, { timeout: 60_000 }).toBe(0);
    },
  );
});

async function untilAllWait(api: Member): Promise<void> {
  await expect.poll(() => jobsIn(api), { timeout: 50_000 }).toBe(waitingGets);
}

/** Jobs of the queue, as this process tells of them. */
async function jobsIn({ adminUrl }: Member): Promise<number> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text();
  return [...text.matchAll(/^diag_queue_jobs\{.*queue="network".*\} (\d+)$/gm)].reduce(
    (sum, [, value]) => sum + Number(value),
    0,
  );
}

/** A store that is waited for: a busy machine is not the question here. */
function patient(fleet: Fleet): Settings {
  const limits = { serverSelectionTimeoutMS: '20000', connectTimeoutMS: '20000', socketTimeoutMS: '20000' };
  return { MONGODB_URL: withOptions(fleet.mongo.url, limits) };
}

/** Answers that a restart makes. A process that has too much to do on a busy machine says so with Retry-After, and a client asks again. */
function errorsIn(tally: Tally): readonly string[] {
  return Object.keys(tally).filter(
    (outcome) => !/^(?:200|202|503 (?:busy|overloaded|store_unavailable|queue_unavailable))$/.test(outcome),
  );
}

type Rolling = {
  readonly fleet: Fleet;
  readonly balancer: Balancer;
  readonly settings: Settings;
  readonly apis: Member[];
  readonly workers: Member[];
};

function openPairs(fleet: Fleet, settings: Settings): Promise<[Member[], Member[]]> {
  return Promise.all([
    Promise.all([fleet.startApi(settings), fleet.startApi(settings)]),
    Promise.all([fleet.startWorker(patient(fleet)), fleet.startWorker(patient(fleet))]),
  ]);
}

async function openBalancerFor(apis: readonly Member[], lagMs: number): Promise<Balancer> {
  const balancer = await openBalancer(lagMs);
  onTestFinished(() => balancer.close());
  for (const api of apis) balancer.add(api);
  await untilBalanced(balancer, apis);
  return balancer;
}

/** As an orchestrator does: the next process is ready before the last one is told to end. */
async function replaceAll(rolling: Rolling): Promise<void> {
  for (const at of rolling.apis.keys()) await replaceApi(rolling, at);
  const { fleet, workers } = rolling;
  for (const [at, old] of workers.entries()) {
    workers[at] = await fleet.startWorker(patient(fleet));
    await endAll([old]);
  }
}

async function replaceApi({ fleet, balancer, settings, apis }: Rolling, at: number): Promise<void> {
  const [old, next] = [apis[at], await fleet.startApi(settings)];
  balancer.add(next);
  await untilBalanced(balancer, [next]);
  apis[at] = next;
  if (!old) return;
  await endAll([old]);
  balancer.remove(old);
}

async function untilBalanced(balancer: Balancer, members: readonly Member[]): Promise<void> {
  await expect.poll(() => members.every((member) => balancer.has(member)), { timeout: 30_000 }).toBe(true);
}

async function endAll(members: readonly Member[]): Promise<void> {
  const statuses = members.map(async ({ process: child }) => {
    const status = new Promise<number | null>((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    return status;
  });
  expect(await Promise.all(statuses)).toEqual(members.map(() => 0));
}

const pathOf = (url: string) => `/api/tools/redirect-check?url=${encodeURIComponent(url)}`;

/** Sends new checks and repeats, four of each a second, until it is ended; then gives what became of them. */
function sendLoad(url: string): { end(): Promise<Tally> } {
  const tally: Tally = {};
  const sent: Promise<void>[] = [];
  let number = 0;
  const timer = setInterval(() => {
    number += 1;
    const fresh = `http://t${number % hosts}.test/${process.hrtime.bigint()}`;
    for (const target of [fresh, 'http://t0.test/repeated'])
      sent.push(count(tally, () => fetch(`${url}${pathOf(target)}`)));
  }, 250);
  return {
    async end() {
      clearInterval(timer);
      await Promise.all(sent);
      return tally;
    },
  };
}

async function count(tally: Tally, ask: () => Promise<Response>): Promise<void> {
  const outcome = await ask().then(
    async (answer) => {
      const { code, detail = '' } = (await answer.json()) as {
        readonly code?: string;
        readonly detail?: string;
      };
      if (code === undefined) return String(answer.status);
      return `${answer.status} ${detail.startsWith('No worker') ? 'no worker' : code}`;
    },
    (error: unknown) => String((error as { cause?: { code?: string } }).cause?.code ?? error),
  );
  tally[outcome] = (tally[outcome] ?? 0) + 1;
}
