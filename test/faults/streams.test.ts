import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeToken } from '#shared/stores/tokens/make-token';
import { openMongoTokenStore } from '#shared/stores/tokens/mongo';
import { hasMongo } from '../kit/mongo.ts';
import { hasRedis } from '../kit/redis.ts';
import { type Fleet, type Member, openFleet } from './fleet.ts';

const log = { error: console.error, warn: () => undefined, info: () => undefined, debug: () => undefined };
const most = 3;
type Told = { readonly state?: string; readonly policy?: string };

describe.skipIf(!hasRedis || !hasMongo)('streams of an account', () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await openFleet({ hosts: 1, answer: (_request, response) => void response.end() });
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

  test('are counted over all API processes, and one that is killed gives its places back', async () => {
    const [first, second] = [await fleet.startApi(), await fleet.startApi()];
    const headers = await drawToken();
    // Each of them is refused, so that no worker is needed for a line; all lines are more than a connection holds that is not read.
    const targets = Array.from({ length: 10_000 }, (_, at) => `no target ${at} ${'x'.repeat(150)}`);
    const made = await fetch(`${second.url}/api/batches`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ check: 'redirect-check', targets }),
    });
    const { batchId } = (await made.json()) as { readonly batchId: string };
    const address = ({ url }: Member) => `${url}/api/batches/${batchId}`;
    const ended = async () => ((await (await fetch(address(second), { headers })).json()) as Told).state;
    await expect.poll(ended, { timeout: 120_000, interval: 1000 }).toBe('done');
    // An API on a busy machine may ask to come again.
    const read = async (api: Member): Promise<number | string> => {
      const response = await fetch(`${address(api)}/results?limit=1`, { headers });
      if (response.status === 503) return delay(1000).then(() => read(api));
      const text = await response.text();
      return response.ok ? 200 : `${response.status} ${(JSON.parse(text) as Told).policy}`;
    };
    // These take a place and read nothing.
    const openOne = async (): Promise<Response> => {
      const response = await fetch(`${address(first)}/results`, { headers });
      if (response.status !== 503) return response;
      console.log(await response.text());
      await delay(1000);
      return openOne();
    };
    const open = await Promise.all(Array.from({ length: most }, openOne));
    expect(open.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await read(second)).toBe('429 streams');
    // Held until here: fetch ends the stream of an answer that nobody can read any more.
    expect(open.every(({ bodyUsed }) => !bodyUsed)).toBe(true);
    first.process.kill('SIGKILL');
    expect(await read(second)).toBe('429 streams');
    await expect.poll(() => read(second), { timeout: 90_000, interval: 1000 }).toBe(200);
  });
});
