import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasMongo } from '../kit/mongo.ts';
import { hasRedis } from '../kit/redis.ts';
import { openCommandProxy, type Strike } from './command-proxy.ts';
import { type Fleet, get, type Member, openFleet } from './fleet.ts';

const steps: readonly { readonly name: string; readonly host: number; readonly at: Strike }[] = [
  { name: 'before it adds the job', host: 0, at: { script: 0, when: 'before' } },
  { name: 'before it hears that the job was added', host: 1, at: { script: 0, when: 'after' } },
];

describe.skipIf(!hasRedis || !hasMongo)('an API process that is killed', () => {
  let fleet: Fleet;
  let other: Member;
  const visits = new Map<string, number>();
  beforeAll(async () => {
    fleet = await openFleet({
      hosts: steps.length,
      answer: (request, response) => {
        const host = String(request.headers.host);
        visits.set(host, (visits.get(host) ?? 0) + 1);
        setTimeout(() => response.writeHead(204).end(), 100);
      },
      settings: { FRESH_SECONDS: '600' },
    });
    other = await fleet.startApi();
    await fleet.startWorker();
  }, 240_000);
  afterAll(() => fleet?.close());

  test.for(steps)(
    '$name leaves nothing behind: another answers the repeated GET, from one run',
    { timeout: 90_000 },
    async ({ name, host: index, at }) => {
      const host = fleet.hosts[index] ?? '';
      const url = `http://${host}/page`;
      const proxy = await openCommandProxy(fleet.redis.url);
      const api = await fleet.startApi({ REDIS_URL: proxy.url });
      const isDead = new Promise((resolve) => api.process.once('exit', resolve));
      proxy.arm(at, () => void api.process.kill('SIGKILL'));
      const broken = await get(api, url).catch(() => 'broken');
      await isDead;
      await proxy.close();
      expect(broken).toBe('broken');

      const start = performance.now();
      const answer = await fleet.ask(() => other, url, {});
      console.log(
        `killed ${name}: answered by another after ${((performance.now() - start) / 1000).toFixed(1)} s`,
      );
      expect(answer.body['state']).toBe('complete');
      expect(visits.get(host)).toBe(1);
    },
  );

  test('and in the end no slot, no place in a line and no second report is left', async () => {
    await expect
      .poll(() => fleet.leftovers(), { timeout: 50_000, interval: 1000 })
      .toEqual({ slots: 0, parked: 0, duplicates: 0, reports: steps.length });
  }, 240_000);
});
