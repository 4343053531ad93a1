import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeToken } from '#shared/stores/tokens/make-token';
import { openMongoTokenStore } from '#shared/stores/tokens/mongo';
import { hasMongo } from '../kit/mongo.ts';
import { hasRedis } from '../kit/redis.ts';
import { type Fleet, type Member, openFleet } from './fleet.ts';

const log = { error: console.error, warn: () => undefined, info: () => undefined, debug: () => undefined };
const most = 3;

describe.skipIf(!hasRedis || !hasMongo)('streams of an account', () => {
  let fleet: Fleet;
  /** Answers that are held back, so that the batch has no line while its results are read. */
  const held: (() => void)[] = [];
  beforeAll(async () => {
    fleet = await openFleet({
      hosts: 1,
      settings: { QUEUE_SECONDS: '300' },
      answer: (_request, response) => held.push(() => response.end()),
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

  test('are counted over all API processes, and one that is killed gives its places back', async () => {
    const [first, second] = [await fleet.startApi(), await fleet.startApi()];
    const headers = await drawToken();
    const made = await fetch(`${second.url}/api/batches`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ check: 'redirect-check', targets: [`http://${fleet.hosts[0]}/`] }),
    });
    const { batchId } = (await made.json()) as { readonly batchId: string };
    const read = async (api: Member, waitS: number) => {
      const response = await fetch(`${api.url}/api/batches/${batchId}/results?wait=${waitS}`, { headers });
      const text = await response.text();
      return response.ok ? 200 : `${response.status} ${(JSON.parse(text) as { policy?: string }).policy}`;
    };
    // No worker runs, so that each of these waits for a line. A look of the second API takes a place for a moment:
    // who comes in that moment comes again.
    const stay = async (): Promise<string | number> => {
      const end = await read(first, 55).catch(() => 'gone');
      return end === '429 streams' ? stay() : end;
    };
    const open = Array.from({ length: most }, stay);
    await expect.poll(() => read(second, 0), { timeout: 30_000 }).toBe('429 streams');
    first.process.kill('SIGKILL');
    expect(await Promise.all(open)).toEqual(['gone', 'gone', 'gone']);
    expect(await read(second, 0)).toBe('429 streams');
    await expect.poll(() => read(second, 0), { timeout: 90_000, interval: 1000 }).toBe(200);
  });
});
