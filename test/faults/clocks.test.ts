import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasMongo } from '../kit/mongo.ts';
import { hasRedis } from '../kit/redis.ts';
import { type Fleet, get, type Member, openFleet, type Tally } from './fleet.ts';

const hosts = 4;
const checks = 40;
const preload = fileURLToPath(new URL('shifted-clock.ts', import.meta.url));

/** Settings of a process whose clock shows so much more than the real time. */
const withClock = (shiftMs: number) => ({
  NODE_OPTIONS: `--import=${preload}`,
  CLOCK_SHIFT_MS: String(shiftMs),
});

const clocks = [
  { name: '2 s behind', shiftMs: -2000 },
  { name: '2 s ahead', shiftMs: 2000 },
];

/** Beyond what a process may be off. */
const wrongClocks = [
  { name: '20 s behind', shiftMs: -20_000 },
  { name: '11 minutes ahead', shiftMs: 660_000 },
];

describe.skipIf(!hasRedis || !hasMongo)('a worker whose clock is', () => {
  let fleet: Fleet;
  let api: Member;
  let asked = 0;
  beforeAll(async () => {
    fleet = await openFleet({
      hosts,
      settings: { FRESH_SECONDS: '300', QUEUE_SECONDS: '600' },
      answer: (_request, response) => void setTimeout(() => response.writeHead(204).end(), 30),
    });
    api = await fleet.startApi();
  }, 240_000);
  afterAll(() => fleet?.close());

  test.for(clocks)('$name loses and stalls no job', { timeout: 120_000 }, async ({ name, shiftMs }) => {
    const worker = await fleet.startWorker(withClock(shiftMs));
    const tally: Tally = {};
    // More of each host than run at once: some wait for their turn.
    const urls = Array.from(
      { length: checks },
      (_, index) => `http://${fleet.hosts[index % hosts]}/${shiftMs}/${index}`,
    );
    const before = Date.now();
    asked += checks;
    const answers = await Promise.all(urls.map((url) => fleet.ask(() => api, url, tally)));
    console.log(`clock ${name}: ${JSON.stringify(tally)}`);
    expect(answers.map(({ body }) => body['state'])).toEqual(urls.map(() => 'complete'));
    // Each was run once, and its report is dated by its worker's clock.
    for (const { body } of answers) {
      expect(Date.parse(String(body['checkedAt']))).toBeGreaterThan(before - 3000);
      expect(Date.parse(String(body['checkedAt']))).toBeLessThan(Date.now() + 3000);
    }
    const again = await Promise.all(urls.map((url) => get(api, url)));
    expect(again.map(({ body }) => body['reportId'])).toEqual(answers.map(({ body }) => body['reportId']));
    const ready = await fetch(`${worker.adminUrl}/readyz`);
    const text = await ready.text();
    expect([ready.status, text.includes("this machine's clock is")]).toEqual([200, false]);
    worker.process.kill('SIGKILL');
  });

  test.for(wrongClocks)(
    '$name says so, tells nobody that it is there, and takes no job; one that is right does them all',
    { timeout: 120_000 },
    async ({ shiftMs }) => {
      const wrong = await fleet.startWorker(withClock(shiftMs), 'not-ready');
      const ready = await fetch(`${wrong.adminUrl}/readyz`);
      expect([ready.status, await ready.json()]).toMatchObject([
        503,
        { checks: { queue: true, clock: expect.stringMatching(/^this machine's clock is/) as unknown } },
      ]);
      const metrics = await (await fetch(`${wrong.adminUrl}/metrics`)).text();
      expect(metrics).toMatch(/^diag_degraded\{part="clock"\} 1$/m);
      expect(metrics).toMatch(/^diag_backend_up\{backend="queue"\} 1$/m);
      // Nobody who lives serves the queue, once those before are forgotten; what was accepted until then is waited for.
      const url = (name: string) => `http://${fleet.hosts[0]}/wrong${shiftMs}/${name}`;
      const wanted = Array.from({ length: 12 }, (_, index) => url(String(index)));
      const askNew = async () => {
        const next = url(randomUUID());
        const { status, body } = await get(api, next, '&wait=0');
        if (status === 202) wanted.push(next);
        return body['code'];
      };
      await expect.poll(askNew, { timeout: 40_000, interval: 1000 }).toBe('queue_unavailable');
      const right = await fleet.startWorker();
      asked += wanted.length;
      const tally: Tally = {};
      await Promise.all(wanted.map((each) => fleet.ask(() => api, each, tally)));
      // Not one: neither run, nor put back, nor answered from the store.
      expect(wrong.lines.filter((line) => line.includes('"jobId"'))).toEqual([]);
      const done = () => right.lines.filter((line) => line.includes('"msg":"job done"')).length;
      await expect.poll(done).toBeGreaterThanOrEqual(12);
      for (const member of [wrong, right]) member.process.kill('SIGKILL');
    },
  );

  test('and in the end nothing is left: no slot, no place in a line, no report twice', async () => {
    await expect
      .poll(() => fleet.leftovers(), { timeout: 50_000, interval: 1000 })
      .toEqual({ slots: 0, parked: 0, duplicates: 0, reports: asked });
  }, 240_000);
});

/** A chain that takes twice as long as the lock of a job, which its worker has to renew. */
const longHops = 4;
const hopMs = 2500;

const jumps = [
  { name: 'a worker, 11 minutes ahead', jumpMs: 660_000 },
  { name: 'a worker, 11 minutes back', jumpMs: -660_000 },
] as const;

describe.skipIf(!hasRedis || !hasMongo)('a clock that is set while jobs run and wait:', () => {
  let fleet: Fleet;
  let asked = 0;
  /** Called for each request that a target gets. */
  let onVisit = () => {};
  beforeAll(async () => {
    fleet = await openFleet({
      hosts,
      settings: { FRESH_SECONDS: '300', QUEUE_SECONDS: '600' },
      answer(request, response) {
        onVisit();
        const [, hop] = /^\/long\/(\d+)$/.exec(request.url ?? '') ?? [];
        if (hop === undefined) return void setTimeout(() => response.writeHead(204).end(), 30);
        const next = Number(hop) + 1;
        const end = () =>
          next > longHops
            ? response.writeHead(204).end()
            : response.writeHead(302, { location: `/long/${next}` }).end();
        setTimeout(end, hopMs);
      },
    });
  }, 60_000);
  afterAll(() => fleet?.close());

  test.for(jumps)('$name: no job is lost, stalled or run twice', { timeout: 120_000 }, async ({ jumpMs }) => {
    const settings = { NODE_OPTIONS: `--import=${preload}`, CLOCK_JUMP_MS: String(jumpMs) };
    const api = await fleet.startApi();
    const worker = await fleet.startWorker(settings);
    // One whose clock is wrong takes no more jobs: the other does what is left.
    const other = await fleet.startWorker();
    const tally: Tally = {};
    let visits = 0;
    // In the midst of it: some are done, some run, and some wait for their host.
    onVisit = () => {
      visits += 1;
      if (visits === checks / 2) worker.process.kill('SIGUSR2');
    };
    const urls = Array.from(
      { length: checks },
      (_, index) => `http://${fleet.hosts[index % hosts]}/worker${jumpMs}/${index}`,
    );
    asked += checks;
    const answers = await Promise.all(urls.map((url) => fleet.ask(() => api, url, tally)));
    console.log(`clock of a worker set by ${jumpMs} ms: ${JSON.stringify(tally)}`);
    expect(answers.map(({ body }) => body['state'])).toEqual(urls.map(() => 'complete'));
    const answered = ([outcome]: [string, number]) => /^20[02]$/.test(outcome);
    const refused = Object.entries(tally).filter((outcome) => !answered(outcome));
    const expected = /^503 (?:busy|queue_unavailable|store_unavailable)$/;
    expect(refused.filter(([outcome]) => !expected.test(outcome))).toEqual([]);
    // It is reported, and the process is not ready while its clock is that far off.
    const ready = await fetch(`${worker.adminUrl}/readyz`);
    expect(await ready.text()).toContain("this machine's clock is");
    // A store that is slow for a moment is 503; a second run would be another report.
    const again = await Promise.all(urls.map((url) => fleet.ask(() => api, url, {})));
    expect(again.map(({ body }) => body['reportId'])).toEqual(answers.map(({ body }) => body['reportId']));
    for (const member of [api, worker, other]) member.process.kill('SIGKILL');
    expect((await fleet.leftovers()).reports).toBe(asked);
  });

  test('a run that lasts is not run twice where the clock of its worker is set back', async () => {
    const api = await fleet.startApi();
    const jumping = await fleet.startWorker({
      NODE_OPTIONS: `--import=${preload}`,
      CLOCK_JUMP_MS: '-660000',
    });
    let visits = 0;
    onVisit = () => {
      visits += 1;
      if (visits === 1) jumping.process.kill('SIGUSR2');
    };
    asked += 1;
    const answer = fleet.ask(() => api, `http://${fleet.hosts[0]}/long/0`, {});
    await expect.poll(() => visits).toBe(1);
    // It would take the job, were its lock to run out.
    const other = await fleet.startWorker();
    expect((await answer).body).toMatchObject({ state: 'complete' });
    expect(visits).toBe(longHops + 1);
    for (const member of [api, jumping, other]) member.process.kill('SIGKILL');
  }, 90_000);

  test('and in the end nothing is left: no slot, no place in a line, no report twice', async () => {
    await expect
      .poll(() => fleet.leftovers(), { timeout: 50_000, interval: 1000 })
      .toEqual({ slots: 0, parked: 0, duplicates: 0, reports: asked });
  }, 60_000);
});
