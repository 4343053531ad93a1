import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { drawToken } from '../kit/draw-token.ts';
import { hasMongo, startMongo, type TestMongo } from '../kit/mongo.ts';
import { hasRedis, startRedis, type TestRedis } from '../kit/redis.ts';
import { type ServiceProcess, startService } from '../kit/service-process.ts';
import { type Lab, openLab } from '../lab/kit/lab.ts';

// What an account has is judged in the same turn in which it gets more, over all processes; and what it writes is paid for over all of them.

describe.skipIf(!hasMongo || !hasRedis)('two APIs that are asked at once', () => {
  let mongo: TestMongo;
  let redis: TestRedis;
  let lab: Lab;
  let apis: readonly ServiceProcess[] = [];
  const settingsOf = (more: Record<string, string>) =>
    lab.settings({
      REDIS_URL: redis.url,
      MONGODB_URL: mongo.url,
      LOG_LEVEL: 'info',
      LIMIT_ACCOUNT_BATCHES: '3',
      ...more,
    });
  beforeAll(async () => {
    [mongo, redis] = await Promise.all([startMongo(), startRedis()]);
    lab = await openLab({});
    apis = await Promise.all(
      [1, 2].map(() =>
        startService({
          program: process.execPath,
          args: ['cli/diag.js', 'api'],
          environment: settingsOf({}),
        }),
      ),
    );
  }, 120_000);
  afterAll(async () => {
    for (const api of apis) api.kill('SIGKILL');
    await Promise.all(apis.map(({ closed }) => closed));
    await lab?.close();
    await Promise.all([mongo?.stop(), redis?.stop()]);
  });

  const drawHeaders = async () => ({
    authorization: `Bearer ${await drawToken(settingsOf({}), ['--scopes', 'tools,reports:read,watch'])}`,
    'content-type': 'application/json',
  });
  type Answer = { readonly status: number; readonly policy: unknown; readonly retryAfter: string | null };
  const sendAll = async (
    [method, path]: readonly [method: string, path: string],
    count: number,
    headers: Record<string, string>,
    body?: object,
  ) =>
    Promise.all(
      Array.from({ length: count }, async (_, at): Promise<Answer> => {
        const response = await fetch(`${apis[at % 2]?.url}${path}`, {
          method,
          headers,
          ...(body ? { body: JSON.stringify(body) } : {}),
        });
        const { policy } = (await response.json()) as { readonly policy?: unknown };
        return { status: response.status, policy, retryAfter: response.headers.get('retry-after') };
      }),
    );
  const countOf = (answers: readonly Answer[]) => {
    const counts: Record<string, number> = {};
    for (const { status, policy } of answers) {
      const name = policy === undefined ? String(status) : `${status} ${String(policy)}`;
      counts[name] = (counts[name] ?? 0) + 1;
    }
    return counts;
  };

  test('make no more watches of a domain, and no more open batches, than an account may have', async () => {
    const headers = await drawHeaders();
    const targets = Array.from({ length: 50 }, (_, at) => `w${at}.a.test`);
    const watches = await sendAll(['POST', '/api/watches'], 20, headers, {
      check: 'dns-check',
      targets,
      everySeconds: 2_592_000,
    });
    expect(countOf(watches)).toEqual({ 201: 2, '429 watchesOfDomain': 18 });
    const batches = await sendAll(['POST', '/api/batches'], 12, headers, {
      check: 'dns-check',
      targets: ['never.b.test'],
    });
    expect(countOf(batches)).toEqual({ 201: 3, '429 batches': 9 });
    const me = (await (await fetch(`${apis[0]?.url}/api/me`, { headers })).json()) as {
      readonly quotas: Record<string, { readonly used: number }>;
    };
    expect(me.quotas).toMatchObject({
      watches: { used: 100 },
      watchesOfDomain: { used: 100 },
      batches: { used: 3 },
      kept: { limit: 160_000_000 },
    });
    expect(me.quotas['kept']?.used).toBeGreaterThan(100 * 500);
  }, 60_000);

  test('let an account write 120 points a minute', async () => {
    const headers = await drawHeaders();
    // Of what is not there, so that nothing but the price is counted.
    const answers = await sendAll(['DELETE', `/api/batches/${'0'.repeat(32)}`], 150, headers);
    const { 404: done = 0, '429 writes': refused = 0, 503: late = 0, ...others } = countOf(answers);
    // A busy machine is late with some, before or after they are paid for.
    expect(others).toEqual({});
    expect(late).toBeLessThan(60);
    expect(done).toBeLessThanOrEqual(120);
    expect(done + late).toBeGreaterThanOrEqual(120);
    expect(refused).toBe(150 - done - late);
    expect(
      answers.filter(({ status }) => status === 429).every(({ retryAfter }) => Number(retryAfter) > 0),
    ).toBe(true);
  }, 60_000);
});
