import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { hasMongo, startMongo } from '../kit/mongo.ts';
import { hasRedis, startRedis } from '../kit/redis.ts';
import { type ServiceProcess, startService } from '../kit/service-process.ts';
import { openLab } from '../lab/kit/lab.ts';

// Somebody with a /64 and sixty domains ends our processes as fast as the limits allow. All of it is refused after the third; nobody else fails,
// and once it is refused, no process ends any more.

const poisons = ['loop', 'abort', 'assertion', 'exit', 'fault', 'regex'];
const attacks = 60;
const innocents = 90;
const everyMs = 150;
const poison = fileURLToPath(new URL('../kit/poison.mjs', import.meta.url));

const lab = await openLab({
  sites: {
    ...Object.fromEntries(
      Array.from({ length: attacks + 1 }, (_, at) => [
        `http://poison${at}.test`,
        (_request: unknown, response: { end(text: string): unknown }) =>
          void response.end(`<html>POISON-${poisons[at % poisons.length]}!`),
      ]),
    ),
    ...Object.fromEntries(
      Array.from({ length: innocents }, (_, at) => [
        `http://well${at}.test`,
        (_request: unknown, response: { end(text: string): unknown }) =>
          void setTimeout(() => response.end('<html>well'), 50),
      ]),
    ),
  },
});
afterAll(() => lab.close());

type Told = { readonly status: number; readonly state: string };

async function ask(url: string, host: string, caller: string): Promise<Told> {
  const target = encodeURIComponent(`http://${host}.test/`);
  const response = await fetch(`${url}/api/tools/redirect-check?url=${target}&wait=50`, {
    headers: { 'x-forwarded-for': caller },
  });
  const { state = '', code = '' } = (await response.json()) as { state?: string; code?: string };
  return { status: response.status, state: state || code };
}

async function attack(url: string) {
  // A store that has just been started is asked for the first time.
  await expect
    .poll(async () => (await ask(url, 'well0', '192.0.2.200')).state, { timeout: 60_000 })
    .toBe('complete');
  const attacked: Promise<Told>[] = [];
  const asked: Promise<Told>[] = [];
  for (let at = 0; at < innocents; at += 1) {
    asked.push(ask(url, `well${at}`, `192.0.2.${at + 1}`));
    if (at < attacks) attacked.push(ask(url, `poison${at}`, `2001:db8:1:1::${(at + 1).toString(16)}`));
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
  const told = { attacked: await Promise.all(attacked), asked: await Promise.all(asked) };
  // What was asked for before the third has been given up without a visit; what is asked for now is refused.
  expect(await ask(url, `poison${attacks}`, '2001:db8:1:1::ffff')).toMatchObject({
    status: 429,
    state: 'rate_limited',
  });
  return told;
}

/** Gives how many processes ended. */
function judge({ attacked, asked }: Awaited<ReturnType<typeof attack>>, worker: ServiceProcess): number {
  expect(asked.filter(({ state }) => state !== 'complete')).toEqual([]);
  const ended = worker.lines.filter((line) => line.includes('a target ended the runner process'));
  expect(attacked.filter(({ state }) => state === 'complete')).toEqual([]);
  // What is under way when a process ends begins anew in the next, once for each of them; then the way is clear.
  const all = worker.lines.filter((line) => line.includes('the runner process ended'));
  expect(all.length).toBe(ended.length);
  return ended.length;
}

/** Processes that end: three, and one whose run was on its way when the third was counted. */
const ends = [3, 4];

const settings = {
  LOG_LEVEL: 'info',
  TRUST_PROXY: '1',
  NODE_OPTIONS: `--import ${poison}`,
};
const start = (name: string, more: Record<string, string> = {}) =>
  startService({
    program: process.execPath,
    args: ['cli/diag.js', name],
    environment: lab.settings({ ...settings, ...more }),
  });

async function stop(...services: readonly ServiceProcess[]): Promise<void> {
  for (const service of services) service.kill('SIGTERM');
  for (const service of services) expect(await service.closed).toBe(0);
}

test('embedded', { timeout: 180_000 }, async () => {
  const service = await start('serve');
  expect(ends).toContain(judge(await attack(service.url), service));
  await stop(service);
});

describe.skipIf(!hasRedis || !hasMongo)('over Redis', () => {
  test('scaled', { timeout: 180_000 }, async () => {
    const [redis, mongo] = await Promise.all([startRedis(), startMongo()]);
    const backend = { REDIS_URL: redis.url, MONGODB_URL: mongo.url };
    const [api, worker] = await Promise.all([start('api', backend), start('worker', backend)]);
    expect(ends).toContain(judge(await attack(api.url), worker));
    await stop(api, worker);
    await Promise.all([redis.stop(), mongo.stop()]);
  });
});
