import { setTimeout as delay } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { describe, expect, test } from 'vitest';
import { hasMongo } from '../kit/mongo.ts';
import { hasRedis } from '../kit/redis.ts';
import { get, type Member, openFleet } from './fleet.ts';

const starts = process.env['LONG'] === undefined ? 6 : 100;
const asked = 100;

/** Why requests were refused, as the log has it. */
const causesIn = ({ lines }: Member) =>
  lines.flatMap((line) => {
    if (!line.includes('"msg":"requests are refused"')) return [];
    const told = JSON.parse(line) as { problem: string; detail: string; err?: { message: string } };
    return `${told.problem}: ${told.err?.message ?? told.detail}`;
  });

/** What so many GETs are answered at the first moment at which the process says that it is ready. */
async function askWhenReady(api: Member, start: number): Promise<readonly string[]> {
  for (;;) {
    const readiness = await fetch(`${api.adminUrl}/readyz`);
    const { status } = (await readiness.json()) as { readonly status: string };
    if (status === 'ready') break;
    await delay(10);
  }
  const urls = Array.from({ length: asked }, (_, n) => `http://t${n % 10}.test/${start}/${n}`);
  const answers = await Promise.all(urls.map((url) => get(api, url)));
  return answers.map(({ status, body }) => (status < 300 ? 'works' : `${status} ${String(body['code'])}`));
}

async function indexesIn(url: string): Promise<number> {
  const client = new MongoClient(url);
  try {
    const collections = await client.db().listCollections().toArray();
    const indexes = await Promise.all(
      collections.map(({ name }) => client.db().collection(name).listIndexes().toArray()),
    );
    // Each collection has the one of its ids.
    return indexes.reduce((sum, each) => sum + each.length - 1, 0);
  } finally {
    await client.close();
  }
}

describe.skipIf(!hasRedis || !hasMongo)('two APIs and two workers over an empty store', () => {
  test.for(Array.from({ length: starts }, (_, start) => start + 1))(
    'start %i: who is ready refuses nothing, and has made all indexes',
    async (start) => {
      const fleet = await openFleet({
        hosts: 10,
        answer: (_request, response) => void response.writeHead(204).end(),
        settings: { FRESH_SECONDS: '600' },
      });
      try {
        const atReady: number[] = [];
        // Without a worker no check starts, which is reported as what it is.
        const workers = Promise.all([fleet.startWorker(), fleet.startWorker()]);
        const api = async () => {
          const member = await fleet.startApi();
          atReady.push(await indexesIn(fleet.mongo.url));
          await workers;
          const answers = await askWhenReady(member, start);
          for (const cause of causesIn(member)) console.log(`start ${start}: ${cause}`);
          return answers;
        };
        const [one, other] = await Promise.all([api(), api()]);
        const tally = Object.groupBy([...one, ...other], (outcome) => outcome);
        console.log(
          `start ${start}: ${Object.entries(tally)
            .map(([outcome, all]) => `${all?.length} ${outcome}`)
            .join(', ')}`,
        );
        expect(Object.keys(tally)).toEqual(['works']);
        const inTheEnd = await indexesIn(fleet.mongo.url);
        expect(atReady).toEqual([inTheEnd, inTheEnd]);
      } finally {
        await fleet.close();
      }
    },
  );
});
