import { setTimeout as delay } from 'node:timers/promises';
import { type Document, ObjectId } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Command, type Fate, type MongoProxy, openMongoProxy, refusal } from '../kit/mongo-proxy.ts';
import { hasMongo } from '../kit/mongo.ts';
import { hasRedis } from '../kit/redis.ts';
import { type Fleet, get, type Member, openFleet } from './fleet.ts';

/** An election takes so long at most, by MongoDB's manual. */
const electionMs = 12_000;
const hosts = 6;

type Role = 'primary' | 'secondary';

/** Two members of a replica set as a driver sees them, over one server: which of them is primary is decided here. */
async function openSet(toUrl: string) {
  const members = [await openMongoProxy(toUrl), await openMongoProxy(toUrl)] as const;
  const names = members.map(({ url }) => new URL(url).host);
  const roles = new Map<MongoProxy, Role>([
    [members[0], 'primary'],
    [members[1], 'secondary'],
  ]);
  let electionId = new ObjectId('7fffffff0000000000000001');
  const helloOf = (member: MongoProxy) => (answer: Document) => {
    const isPrimary = roles.get(member) === 'primary';
    const primary = members.find((each) => roles.get(each) === 'primary');
    // Without it the driver asks again and again, and no answer of the server comes by itself.
    const { topologyVersion: _topologyVersion, ...plain } = answer;
    return {
      ...plain,
      ismaster: isPrimary,
      isWritablePrimary: isPrimary,
      secondary: !isPrimary,
      setName: 'rs',
      setVersion: 1,
      hosts: names,
      me: new URL(member.url).host,
      ...(primary ? { primary: new URL(primary.url).host } : {}),
      ...(isPrimary ? { electionId } : {}),
    };
  };
  const isHello = ({ name }: Command) => /^(?:hello|ismaster)$/i.test(name);
  const isOfData = ({ name }: Command) =>
    /^(?:find|insert|update|delete|aggregate|findAndModify|createIndexes|listIndexes|dbStats)$/.test(name);
  for (const member of members)
    member.decide((command): Fate => {
      if (isHello(command)) return { alter: helloOf(member) };
      if (roles.get(member) === 'primary' || !isOfData(command)) return 'pass';
      const isWrite = /^(?:insert|update|delete|findAndModify|createIndexes)$/.test(command.name);
      return {
        answer: isWrite ? refusal(10_107, 'NotWritablePrimary') : refusal(13_435, 'NotPrimaryNoSecondaryOk'),
      };
    });
  return {
    url: `mongodb://${names.join(',')}/diag?replicaSet=rs`,
    /** The primary steps down, and nobody is elected yet. */
    stepDown: () => members.forEach((member) => roles.set(member, 'secondary')),
    elect(index: 0 | 1) {
      electionId = new ObjectId(`7fffffff000000000000000${index + 2}`);
      roles.set(members[index], 'primary');
    },
    close: async () => void (await Promise.all(members.map((member) => member.close()))),
  };
}

describe.skipIf(!hasRedis || !hasMongo)('a replica set that elects a new primary for 12 s', () => {
  let fleet: Fleet;
  let set: Awaited<ReturnType<typeof openSet>>;
  let api: Member;
  /** How often each URL was asked for. */
  const visits = new Map<string, number>();
  beforeAll(async () => {
    fleet = await openFleet({
      hosts,
      settings: { FRESH_SECONDS: '600', QUEUE_SECONDS: '120' },
      answer: (request, response) => {
        const visited = `${request.headers.host}${request.url}`;
        visits.set(visited, (visits.get(visited) ?? 0) + 1);
        setTimeout(() => response.writeHead(204).end(), 1500);
      },
    });
    set = await openSet(fleet.mongo.url);
    const settings = { MONGODB_URL: set.url };
    [api] = await Promise.all([fleet.startApi(settings), fleet.startWorker(settings)]);
  }, 90_000);
  afterAll(async () => {
    await fleet?.close();
    await set?.close();
  });

  test('costs callers at most a 503 with Retry-After, and keeps what ended meanwhile', async () => {
    const url = (index: number) => `http://t${index % hosts}.test/${index}`;
    expect((await get(api, url(1000))).status).toBe(200);
    // These run when the primary steps down, and end while there is none.
    const running = Array.from({ length: 12 }, (_, index) => get(api, url(index), '&wait=50'));
    await delay(700);
    set.stepDown();
    const statuses: string[] = [];
    const until = performance.now() + electionMs;
    for (let index = 100; performance.now() < until; index += 1) {
      const { status, headers, body, ms } = await get(api, url(index), '&wait=2');
      statuses.push(`${status}${headers.has('retry-after') ? ' with Retry-After' : ''}`);
      expect(ms).toBeLessThan(10_000);
      expect([undefined, 'store_unavailable']).toContain(body['code']);
      await delay(200);
    }
    set.elect(1);
    const told = new Set(statuses);
    console.log(`an election of ${electionMs} ms: ${JSON.stringify(tallyOf(statuses))}`);
    expect(
      [...told].filter((each) => !/^(?:200|202 with Retry-After|503 with Retry-After)$/.test(each)),
    ).toEqual([]);
    const first = await Promise.all(running);
    const expected = first.map(({ status }) => status).filter((status) => ![200, 202, 503].includes(status));
    expect(expected).toEqual([]);
    // Each is there by now, from its own run: nobody visits a target twice for it.
    const tally = {};
    const kept = await Promise.all(first.map((_, index) => fleet.ask(() => api, url(index), tally)));
    expect(kept.map(({ body }) => body['state'])).toEqual(first.map(() => 'complete'));
    const visited = first.map((_, index) => visits.get(`t${index % hosts}.test/${index}`));
    console.log(`visits of what ended meanwhile: ${visited.join(', ')}`);
    expect(visited).toEqual(first.map(() => 1));
    const { duplicates } = await fleet.leftovers();
    expect(duplicates).toBe(0);
  }, 120_000);
});

function tallyOf(all: readonly string[]): Record<string, number> {
  const tally: Record<string, number> = {};
  for (const each of all) tally[each] = (tally[each] ?? 0) + 1;
  return tally;
}
