import { afterAll, describe, expect, test } from 'vitest';
import { freeze } from '../kit/freeze.ts';
import { hasMongo } from '../kit/mongo.ts';
import { hasRedis } from '../kit/redis.ts';
import { type Fleet, get, type Member, openFleet, type Tally } from './fleet.ts';
import { expectInTheEnd, openFleetToTheEnd } from './in-the-end.ts';

const count = Number(process.env['FAULT_REQUESTS'] ?? 200);
/** As many a second as one machine can carry beside the processes that start and stop on it. */
const rollingMs = Math.max(6000, count * 25);
const isHere = hasRedis && hasMongo;
const settings = { FRESH_SECONDS: '600', QUEUE_SECONDS: '120' };
const after = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The log lines of a process that tell of a defect. */
function failuresIn({ lines }: Member): string {
  return lines.filter((line) => line.includes('"level":50') || line.includes('"level":"error"')).join('\n');
}

/** Asks for many checks over some seconds while something happens in their midst. */
async function underLoad(fleet: Fleet, api: () => Member, name: string, happen: () => Promise<void>) {
  const tally: Tally = {};
  const urls = Array.from(
    { length: count },
    (_, index) => `http://${fleet.hosts[index % fleet.hosts.length]}/${name}/${index}`,
  );
  const start = performance.now();
  const happening = after(1000)
    .then(happen)
    .then(() => performance.now());
  const answeredAt: number[] = [];
  const answers = await Promise.all(
    urls.map(async (url, index) =>
      after((index / count) * 5000)
        .then(() => fleet.ask(api, url, tally))
        .finally(() => answeredAt.push(performance.now())),
    ),
  );
  const repairedAt = await happening;
  // How long after the fault was over the first check was answered that was asked meanwhile or later.
  const recoveryS = (Math.min(...answeredAt.filter((at) => at >= repairedAt)) - repairedAt) / 1000;
  console.log(
    `${name}: ${count} checks, ${JSON.stringify(tally)} in ${((performance.now() - start) / 1000).toFixed(1)} s, recovered after ${recoveryS.toFixed(1)} s`,
  );
  expect(answers.map(({ status }) => status)).toEqual(urls.map(() => 200));
  expect(recoveryS).toBeLessThan(10);
  const unexpected = Object.keys(tally).filter((outcome) => !/^(?:200|202|503 .*)$/.test(outcome));
  expect(unexpected.map((outcome) => `${outcome}\n${failuresIn(api())}`)).toEqual([]);
  return { tally, answers };
}

/** How often the log says that a part went away and that it is back: once each, however many requests failed meanwhile. */
function outagesIn({ lines }: Member, part: 'queue' | 'store'): { away: number; back: number } {
  const count = (message: string) => lines.filter((line) => line.includes(`"msg":"${message}"`)).length;
  return { away: count(`${part} is away`), back: count(`${part} is back`) };
}

/** Told once for each outage, though hundreds of requests failed meanwhile. A busy machine may have one or two more outages. */
const toldOnceEach =
  (least: number) =>
  ({ away, back }: ReturnType<typeof outagesIn>) =>
    away === back && away >= least && away <= least + 2;

describe.skipIf(!isHere)('Redis that is', () => {
  let fleet: Fleet;
  let api: Member;

  test('absent at start: the API starts, says so, and answers 503 at once', async () => {
    fleet = await openFleetToTheEnd({
      hosts: 30,
      answer: (_request, response) => void setTimeout(() => response.writeHead(204).end(), 30),
      settings,
    });
    fleet.redis.process?.kill('SIGKILL');
    api = await fleet.startApi({}, 'degraded');
    // The store is there, so stored reports can be given.
    const readiness = await fetch(`${api.adminUrl}/readyz`);
    expect(readiness.status).toBe(200);
    expect(await readiness.json()).toMatchObject({
      status: 'degraded',
      degraded: { queue: 'Redis does not answer' },
    });
    expect(await (await fetch(`${api.adminUrl}/metrics`)).text()).toContain('diag_degraded{part="queue"} 1');
    expect((await fetch(`${api.adminUrl}/livez`)).status).toBe(200);
    const answer = await get(api, 'http://t0.test/early');
    expect(answer).toMatchObject({ status: 503, body: { code: 'queue_unavailable' } });
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(answer.ms).toBeLessThan(5000);
    await fleet.redis.restart();
    await fleet.startWorker();
    expect((await fleet.ask(() => api, 'http://t0.test/early', {})).status).toBe(200);
    await expect
      .poll(async () => (await fetch(`${api.adminUrl}/readyz`)).json())
      .toMatchObject({ status: 'ready' });
  }, 240_000);

  // A connection is kept for 4 s of silence. After that, what Redis does of what it was asked before is heard by no one.
  test.for([
    { name: 'frozen', ms: 2000, outages: 2 },
    { name: 'frozen for longer', ms: 7000, outages: 3 },
  ])(
    '$name: cached answers go on, others are 503 within a second or 202',
    { timeout: 240_000 },
    async ({ name, ms, outages }) => {
      await underLoad(
        fleet,
        () => api,
        name.replaceAll(' ', '-'),
        async () => {
          await freeze(fleet.redis.process);
          await after(300);
          expect((await get(api, 'http://t0.test/early')).status).toBe(200);
          const refused = await get(api, `http://t0.test/new-while-${ms}`);
          expect(refused.status).toBe(503);
          expect(refused.ms).toBeLessThan(5000);
          await after(ms);
          fleet.redis.process?.kill('SIGCONT');
        },
      );
      // It was absent once at the start, in the test before.
      await expect.poll(() => outagesIn(api, 'queue')).toSatisfy(toldOnceEach(outages));
    },
  );

  test('killed and back, wiped: every target is answered by repeating its GET alone', async () => {
    const { answers } = await underLoad(
      fleet,
      () => api,
      'wiped',
      async () => {
        fleet.redis.process?.kill('SIGKILL');
        await after(1500);
        await fleet.redis.restart();
      },
    );
    expect(answers).toHaveLength(count);
    expectInTheEnd('Redis that is wiped', fleet, { slots: 0, parked: 0 });
  }, 240_000);
});

describe.skipIf(!isHere)('a store that is', () => {
  let fleet: Fleet;
  let api: Member;
  afterAll(() => fleet?.close());

  test('killed and back: 503 meanwhile, and no report is lost that was answered', async () => {
    fleet = await openFleet({
      hosts: 30,
      answer: (_request, response) => void setTimeout(() => response.writeHead(204).end(), 30),
      settings,
    });
    api = await fleet.startApi();
    await fleet.startWorker();
    const { answers } = await underLoad(
      fleet,
      () => api,
      'store',
      async () => {
        fleet.mongo.process?.kill('SIGKILL');
        await after(1500);
        await fleet.mongo.restart();
      },
    );
    await expect.poll(() => outagesIn(api, 'store')).toSatisfy(toldOnceEach(1));
    const ids = answers
      .filter(({ body }) => body['state'] === 'complete')
      .map(({ body }) => body['reportId']);
    expect(new Set(ids).size).toBe(ids.length);
    const again = await Promise.all(
      answers
        .slice(0, 50)
        .map(({ body }) => fleet.ask(() => api, String((body['target'] as { url: string }).url), {})),
    );
    expect(again.map(({ body }) => body['reportId'])).toEqual(
      answers.slice(0, 50).map(({ body }) => body['reportId']),
    );
  }, 240_000);
});

describe.skipIf(!isHere)('API processes', () => {
  let fleet: Fleet;
  afterAll(() => fleet?.close());

  test('killed under load: another answers the repeated GETs from the same runs', async () => {
    let visits = 0;
    fleet = await openFleet({
      hosts: 30,
      settings,
      answer: (_request, response) => {
        visits += 1;
        setTimeout(() => response.writeHead(204).end(), 100);
      },
    });
    let api = await fleet.startApi();
    await fleet.startWorker();
    const tally: Tally = {};
    const urls = Array.from({ length: count }, (_, index) => `http://${fleet.hosts[index % 30]}/${index}`);
    const asking = urls.map(async (url, index) =>
      after((index / count) * 4000).then(() => fleet.ask(() => api, url, tally)),
    );
    for (let kills = 0; kills < 3; kills += 1) {
      const next = await fleet.startApi();
      await after(600);
      const old = api;
      api = next;
      old.process.kill('SIGKILL');
    }
    const answers = await Promise.all(asking);
    console.log(
      `api killed 3 times: ${count} checks, ${JSON.stringify(tally)}, ${visits} visits to the targets`,
    );
    expect(answers.map(({ status }) => status)).toEqual(urls.map(() => 200));
    expect(visits).toBe(count);
    expect(await fleet.leftovers()).toMatchObject({ duplicates: 0, reports: count });
  }, 240_000);

  test('told to stop one after another under load: no request fails', async () => {
    const rotation = [await fleet.startApi(), await fleet.startApi()];
    let worker = await fleet.startWorker();
    const tally: Tally = {};
    const urls = Array.from(
      { length: count },
      (_, index) => `http://${fleet.hosts[index % 30]}/roll/${index}`,
    );
    const pick = () => rotation[Math.floor(Math.random() * rotation.length)] as Member;
    const asking = urls.map(async (url, index) =>
      after((index / count) * rollingMs).then(() => fleet.ask(pick, url, tally)),
    );
    for (let turn = 0; turn < rollingMs / 3000; turn += 1) {
      const [fresh, freshWorker] = await Promise.all([fleet.startApi(), fleet.startWorker()]);
      // As a load balancer does: out of the rotation first, then the signal.
      const old = rotation.shift() as Member;
      rotation.push(fresh);
      old.process.kill('SIGTERM');
      worker.process.kill('SIGTERM');
      worker = freshWorker;
      await after(1000);
    }
    const answers = await Promise.all(asking);
    console.log(`rolling stop: ${count} checks, ${JSON.stringify(tally)}`);
    expect(answers.map(({ body }) => body['state'])).toEqual(urls.map(() => 'complete'));
    // A process that a busy machine keeps from its work says so with 503, or is slow, and is asked again. A stop that loses requests would
    // lose those on their way: a connection that is refused or cut, or a defect.
    const lost = Object.keys(tally).filter((outcome) => !/^(?:200|202|503 .*|TimeoutError.*)$/.test(outcome));
    expect(lost).toEqual([]);
  }, 300_000);
});
