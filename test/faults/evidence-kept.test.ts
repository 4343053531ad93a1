import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { blobId } from '#shared/stores/reports/mongo-documents';
import { hasMongo } from '../kit/mongo.ts';
import { hasRedis } from '../kit/redis.ts';
import { type Fleet, get, type Member, openFleet, type Tally } from './fleet.ts';
import { type InsertWatch, openInsertWatch } from './insert-watch.ts';

const kills = 8;
const runsAtOnce = 6;

describe.skipIf(!hasRedis || !hasMongo)('workers that are killed when they store a report', () => {
  let fleet: Fleet;
  let watch: InsertWatch;
  let api: Member;
  beforeAll(async () => {
    fleet = await openFleet({
      hosts: runsAtOnce,
      answer: (_request, response) => void response.writeHead(200).end('<h1>here</h1>'),
      settings: { FRESH_SECONDS: '600', WORKER_QUEUES: 'network' },
    });
    watch = await openInsertWatch(Number(new URL(fleet.mongo.url).port));
    api = await fleet.startApi();
  }, 240_000);
  afterAll(async () => {
    await watch?.close();
    await fleet?.close();
  });

  test(`after ${kills} kills every report has its evidence`, async () => {
    const urls: string[] = [];
    for (let kill = 0; kill < kills; kill += 1) {
      const worker = await fleet.startWorker({ MONGODB_URL: `mongodb://127.0.0.1:${watch.port}/diag` });
      const isDead = new Promise((resolve) => worker.process.once('exit', resolve));
      // Now the first report of several, now one in their middle.
      watch.arm(1 + (kill % 3), () => worker.process.kill('SIGKILL'));
      const asked = fleet.hosts.map((host) => `http://${host}/${kill}`);
      urls.push(...asked);
      await Promise.all(asked.map((url) => get(api, url, '&wait=0')));
      await isDead;
    }
    const atKills = await countReports(fleet.mongo.url);
    await fleet.startWorker();
    const tally: Tally = {};
    await Promise.all(urls.map((url) => fleet.ask(() => api, url, tally)));
    const atEnd = () => countReports(fleet.mongo.url);
    console.log(`killed ${kills} times: ${JSON.stringify({ atKills, atEnd: await atEnd(), tally })}`);
    expect(atKills.reports).toBeGreaterThanOrEqual(kills);
    expect(atKills.withoutEvidence).toBe(0);
    await expect.poll(atEnd).toMatchObject({ reports: urls.length, withoutEvidence: 0 });
  });
});

async function countReports(url: string) {
  const mongo = new MongoClient(url);
  const database = mongo.db('diag');
  const reports = await database.collection('reports').find().toArray();
  const blobs = await database
    .collection('blobs')
    .find({}, { projection: { _id: 1 } })
    .toArray();
  await mongo.close();
  const names = new Set(blobs.map(({ _id }) => String(_id)));
  const isBare = ({ _id }: { readonly _id: unknown }) =>
    !names.has(blobId({ reportId: String(_id), kind: 'evidence' }));
  // A job that lost its worker twice has seen nothing that its report could be judged from.
  const isJudged = ({ state }: Readonly<Record<string, unknown>>) => state !== 'failed';
  return { reports: reports.length, withoutEvidence: reports.filter(isJudged).filter(isBare).length };
}
