import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeToken } from '#shared/stores/tokens/make-token';
import { openMongoTokenStore } from '#shared/stores/tokens/mongo';
import { hasMongo } from '../kit/mongo.ts';
import { hasRedis } from '../kit/redis.ts';
import { type Fleet, type Member, openFleet } from './fleet.ts';

const hosts = 20;
const paths = 6;
/** Runs of a worker at once, and checks of a caller beside a batch. */
const slots = 4;
const singles = 6;
const log = { error: console.error, warn: () => undefined, info: () => undefined, debug: () => undefined };

describe.skipIf(!hasRedis || !hasMongo)('a batch', () => {
  let fleet: Fleet;
  /** URL → how often it was asked for. */
  const visits = new Map<string, number>();
  /** Answers that are held back until they are let go. */
  const held: (() => void)[] = [];
  beforeAll(async () => {
    fleet = await openFleet({
      hosts,
      settings: { FRESH_SECONDS: '600', QUEUE_SECONDS: '120' },
      answer: (request, response) => {
        const url = `http://${request.headers.host}${request.url}`;
        visits.set(url, (visits.get(url) ?? 0) + 1);
        const end = () => response.writeHead(204).end();
        if (url.includes('/held/')) held.push(end);
        else setTimeout(end, 150);
      },
    });
  }, 60_000);
  afterAll(() => fleet?.close());

  async function drawToken(): Promise<Record<string, string>> {
    const wish = { name: 'test', scopes: ['tools' as const], limits: {}, expiresAt: null };
    const { text, token } = makeToken(wish, Date.now());
    const announcements = { announce: async () => undefined, heard: () => 0, close: () => undefined };
    const store = openMongoTokenStore(fleet.mongo.url, announcements, log);
    await store.insert(token);
    await store.close();
    return { authorization: `Bearer ${text}` };
  }

  type Standing = {
    readonly state: string;
    readonly total: number;
    readonly done: number;
    readonly waiting: number;
  };

  test('goes on beside single callers, who get the next slot that comes free, and its lines can be read from any process', async () => {
    await fleet.startWorker({ WORKER_CONCURRENCY: String(slots) });
    const [feeding, other] = [await fleet.startApi(), await fleet.startApi()];
    const headers = await drawToken();
    const targets = fleet.hosts.flatMap((host) =>
      Array.from({ length: 2 * paths }, (_, index) => `http://${host}/beside/${index}`),
    );
    const made = await fetch(`${feeding.url}/api/batches`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ check: 'redirect-check', targets }),
    });
    const { batchId } = (await made.json()) as { readonly batchId: string };
    const visited = () => [...visits.keys()].filter((url) => url.includes('/beside/')).length;
    // All its lines, some at a time, from one process after the other.
    const reading = readInTurns(batchId, headers, targets.length, [feeding, other]);
    await expect.poll(visited, { timeout: 60_000 }).toBeGreaterThan(slots);
    const passed: number[] = [];
    const times: number[] = [];
    for (let single = 0; single < singles; single += 1) {
      const before = visited();
      const start = performance.now();
      const url = `http://${fleet.hosts[single]}/single/${single}`;
      await fleet.ask(() => other, url, {});
      times.push(Math.round(performance.now() - start));
      passed.push(visited() - before);
    }
    expect(visited()).toBeLessThan(targets.length);
    console.log(`targets of the batch that began meanwhile: ${passed.join(' ')}; ms: ${times.join(' ')}`);
    // Of the fifty that the batch has in the queue: those that ran, and those that began while its own run went on.
    expect(passed.toSorted((a, b) => a - b)[singles / 2]).toBeLessThanOrEqual(4 * slots);
    const indexes = await reading;
    expect(indexes).toHaveLength(targets.length);
    expect(new Set(indexes).size).toBe(targets.length);
    // It would count among the slots of the next test for a while.
    fleet.killWorkers();
  }, 240_000);

  test('that is cancelled sends nothing more than the runs that had begun', async () => {
    await fleet.startWorker({ WORKER_CONCURRENCY: String(slots) });
    const api = await fleet.startApi();
    const headers = await drawToken();
    const targets = fleet.hosts.flatMap((host) => [`http://${host}/held/0`, `http://${host}/held/1`]);
    const made = await fetch(`${api.url}/api/batches`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ check: 'redirect-check', targets }),
    });
    const path = `${api.url}/api/batches/${((await made.json()) as { batchId: string }).batchId}`;
    type Counts = Standing & { readonly running: number; readonly endedAt: string | null };
    const look = async () => (await (await fetch(path, { headers })).json()) as Counts;
    const begun = () => [...visits.keys()].filter((url) => url.includes('/held/')).length;
    await expect.poll(async () => (await look()).running, { timeout: 30_000 }).toBe(targets.length);
    await expect.poll(begun, { timeout: 30_000 }).toBeGreaterThanOrEqual(slots);
    expect((await fetch(path, { method: 'DELETE', headers })).status).toBe(204);
    // What has begun goes on; all the rest has left the queue.
    await expect.poll(async () => (await look()).running - begun(), { timeout: 30_000 }).toBe(0);
    const atCancel = begun();
    expect(atCancel).toBeLessThan(targets.length);
    const letGo = setInterval(() => held.splice(0).forEach((end) => end()), 50);
    await expect.poll(async () => (await look()).endedAt, { timeout: 60_000 }).not.toBeNull();
    clearInterval(letGo);
    expect(await look()).toMatchObject({ state: 'cancelled', done: atCancel });
    expect(begun()).toBe(atCancel);
  }, 180_000);

  test('loses no target and doubles none when its workers and APIs are killed and Redis is emptied', async () => {
    const headers = await drawToken();
    let [api, other] = [await fleet.startApi(), await fleet.startApi()];
    await fleet.startWorker();
    const targets = fleet.hosts.flatMap((host) =>
      Array.from({ length: paths }, (_, index) => `http://${host}/${index}`),
    );
    const made = await fetch(`${api.url}/api/batches`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ check: 'redirect-check', targets }),
    });
    expect(made.status).toBe(201);
    const { batchId } = (await made.json()) as { readonly batchId: string };
    const look = async (member: Member): Promise<Standing> => {
      const response = await fetch(`${member.url}/api/batches/${batchId}`, { headers });
      return (await response.json()) as Standing;
    };
    const until = (share: number) =>
      expect
        .poll(async () => (await look(other)).done, { timeout: 90_000 })
        .toBeGreaterThanOrEqual(targets.length * share);

    await until(0.1);
    fleet.killWorkers();
    await fleet.startWorker();
    await until(0.3);
    // Whichever of the two feeds it: the other one goes on, in time.
    api.process.kill('SIGKILL');
    [api] = [await fleet.startApi()];
    await until(0.5);
    const redis = new Redis(fleet.redis.url);
    await redis.flushall();
    redis.disconnect();
    await until(0.7);
    other.process.kill('SIGKILL');
    [other] = [await fleet.startApi()];
    await expect
      .poll(async () => (await look(other)).state, { timeout: 120_000, interval: 500 })
      .toBe('done');
    const response = await fetch(`${api.url}/api/batches/${batchId}/results`, { headers });
    const lines = (await response.text())
      .split('\n')
      .filter((line) => line !== '')
      .map(
        (line) =>
          JSON.parse(line) as {
            readonly index: number;
            readonly outcome: string;
            readonly report: object | null;
          },
      );
    expect(lines.map(({ index }) => index).toSorted((a, b) => a - b)).toEqual(
      targets.map((_, index) => index),
    );
    expect(lines.filter(({ outcome, report }) => outcome !== 'done' || report === null)).toEqual([]);
    const { duplicates } = await fleet.leftovers();
    const asked = targets.map((target) => visits.get(target) ?? 0);
    console.log(
      `${targets.length} targets, ${lines.length} lines; reports of one key: ${duplicates}; asked more than once: ${asked.filter((times) => times > 1).length}`,
    );
    expect(Math.min(...asked)).toBeGreaterThan(0);
    await delay(0);
  }, 360_000);

  /** Reads the results to their end, and gives the index of each line. */
  async function readInTurns(
    batchId: string,
    headers: Record<string, string>,
    count: number,
    members: readonly Member[],
  ): Promise<number[]> {
    const indexes: number[] = [];
    let after = '0';
    for (let turn = 0; ; turn += 1) {
      const { url } = members[turn % members.length] as Member;
      const query = `after=${after}&wait=5&limit=7`;
      const response = await fetch(`${url}/api/batches/${batchId}/results?${query}`, { headers });
      expect(response.status).toBe(200);
      for (const line of (await response.text()).split('\n').filter((text) => text !== '')) {
        const { index, cursor } = JSON.parse(line) as { readonly index: number; readonly cursor: string };
        indexes.push(index);
        after = cursor;
      }
      if (indexes.length >= count) return indexes;
    }
  }
});
