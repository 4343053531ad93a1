import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasMongo } from '../kit/mongo.ts';
import { hasRedis } from '../kit/redis.ts';
import { type Fleet, get, type Member, openFleet } from './fleet.ts';

const answerMs = 3000;

describe.skipIf(!hasRedis || !hasMongo)('equal asks of one caller at once, over Redis', () => {
  let fleet: Fleet;
  let api: Member;
  beforeAll(async () => {
    fleet = await openFleet({
      hosts: 3,
      settings: { RATE_LIMIT: 'on', LIMIT_ANON_SCANS: '100/60', LIMIT_ANON_REQUESTS: '1000/60' },
      answer: (_request, response) => void setTimeout(() => response.writeHead(204).end(), answerMs),
    });
    [api] = await Promise.all([fleet.startApi(), fleet.startWorker()]);
  }, 90_000);
  afterAll(() => fleet?.close());

  test.for([0, 1, 2])('ten of them are one scan, though the run outlasts their waits (%i)', async (host) => {
    const scansLeft = async () => {
      const me = (await (await fetch(`${api.url}/api/me`)).json()) as {
        limits: { scans: { remaining: number } };
      };
      return me.limits.scans.remaining;
    };
    const before = await scansLeft();
    const asked = Array.from({ length: 10 }, () => get(api, `http://t${host}.test/equal`, '&wait=1'));
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(asked.map(() => 202));
    expect(before - (await scansLeft())).toBe(1);
  });
});
