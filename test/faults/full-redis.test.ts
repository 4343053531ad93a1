import { Redis } from 'ioredis';
import { afterAll, describe, expect, test } from 'vitest';
import { hasMongo } from '../kit/mongo.ts';
import { hasRedis } from '../kit/redis.ts';
import { type Fleet, get, type Member, openFleet } from './fleet.ts';

const limitBytes = 48 * 1024 * 1024;

describe.skipIf(!hasRedis || !hasMongo)('Redis at its maxmemory', () => {
  let fleet: Fleet;
  let worker: Member;
  afterAll(() => fleet?.close());

  test('new checks are 503 at once and /readyz says why; cached answers and running jobs go on; it recovers alone', async () => {
    const held: (() => void)[] = [];
    fleet = await openFleet({
      hosts: 12,
      settings: { FRESH_SECONDS: '600', RATE_LIMIT: 'on' },
      answer: (request, response) => {
        const answer = () => void response.writeHead(204).end();
        if (request.url === '/held') held.push(answer);
        else answer();
      },
    });
    const api = await fleet.startApi();
    worker = await fleet.startWorker();
    await fleet.ask(() => api, 'http://t0.test/early', {});
    const running = get(api, 'http://t1.test/held', '&wait=30');
    await expect.poll(() => held.length).toBe(1);

    const admin = new Redis(fleet.redis.url);
    await admin.set('foreign', 'x'.repeat(limitBytes));
    await admin.config('SET', 'maxmemory', String(limitBytes));

    const refused = await Promise.all(
      Array.from({ length: 10 }, (_, index) => get(api, `http://t${index + 2}.test/new`)),
    );
    for (const { status, body, headers, ms } of refused) {
      expect([status, body['code']]).toEqual([503, 'queue_unavailable']);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(ms).toBeLessThan(5000);
    }
    // The API still answers from reports it holds; a worker can do nothing at all.
    for (const [{ adminUrl }, status] of [
      [api, 200],
      [worker, 503],
    ] as const) {
      const ready = await fetch(`${adminUrl}/readyz`);
      expect(ready.status).toBe(status);
      expect(await ready.text()).toContain('Redis is full');
    }
    expect((await get(api, 'http://t0.test/early')).status).toBe(200);
    // The worker has the job already: it ends, and its caller hears of it.
    held[0]?.();
    expect((await running).body['state']).toBe('complete');

    await admin.del('foreign');
    await expect
      .poll(async () => ((await (await fetch(`${api.adminUrl}/readyz`)).json()) as { status: string }).status)
      .toBe('ready');
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => fleet.ask(() => api, `http://t${index + 2}.test/new`, {})),
    );
    expect(answers.map(({ body }) => body['state'])).toEqual(answers.map(() => 'complete'));
    // One line that a person must act on from each process, and no more of what Redis was asked than its own message.
    for (const { lines } of [api, worker]) {
      const errors = lines.filter((line) => line.includes('"level":50'));
      const reasons = errors.map((line) => {
        const { reason, msg } = JSON.parse(line) as { reason?: string; msg: string };
        return reason ?? msg;
      });
      // On a machine that is too busy, Redis or the store may seem away for a moment as well, also at the start.
      const others =
        /^(?:Redis|MongoDB) does not answer$|^(?:queue|store) is away$|^a setting leads to a server that cannot be used$/;
      expect(reasons.filter((reason) => !others.test(reason))).toEqual([
        'Redis is full: it has reached its maxmemory',
      ]);
      expect(errors.join()).not.toContain('t2.test');
    }
    admin.disconnect();
  }, 240_000);

  test('jobs that wait meanwhile are lost to nobody, and a worker neither spins nor floods its log', async () => {
    const api = await fleet.startApi();
    const admin = new Redis(fleet.redis.url);
    await admin.config('SET', 'maxmemory', '0');
    fleet.killWorkers();
    await expect.poll(() => worker.process.signalCode).toBe('SIGKILL');
    // Nobody takes jobs now, and the API goes on to accept them.
    await admin.zadd('diag:jobs:alive:network', Date.now() + 120_000, 'nobody');
    const waiting = Array.from({ length: 10 }, (_, index) =>
      get(api, `http://t${index}.test/waiting`, '&wait=50'),
    );
    // Also those that were handed out, and nobody has begun.
    const kept = () => admin.zcard('diag:jobs:waits:network');
    await expect.poll(kept).toBe(10);
    await admin.set('foreign', 'x'.repeat(limitBytes));
    await admin.config('SET', 'maxmemory', String(limitBytes));
    const next = await fleet.startWorker({}, 'not-ready');
    const saidBy = async () => (await fetch(`${next.adminUrl}/readyz`)).text();
    await expect.poll(saidBy).toContain('Redis is full');
    const linesBefore = next.lines.length;
    const { commands } = await watchCommands(admin, 3000);
    await admin.del('foreign');
    console.log(`full Redis: ${commands} commands and ${next.lines.length - linesBefore} log lines in 3 s`);
    expect(commands).toBeLessThan(300);
    expect(next.lines.length - linesBefore).toBeLessThan(10);
    const answers = await Promise.all(waiting);
    expect(answers.map(({ body }) => body['state'])).toEqual(answers.map(() => 'complete'));
    admin.disconnect();
  }, 240_000);
});

async function watchCommands(admin: Redis, ms: number): Promise<{ readonly commands: number }> {
  const count = async () => Number(/total_commands_processed:(\d+)/.exec(await admin.info('stats'))?.[1]);
  const before = await count();
  await new Promise((resolve) => setTimeout(resolve, ms));
  return { commands: (await count()) - before };
}
