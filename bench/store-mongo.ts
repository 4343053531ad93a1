import { readFileSync } from 'node:fs';
import { MongoClient } from 'mongodb';
import { databaseNameOf } from '#shared/backends/mongo';
import { randomId } from '#shared/model/job';
import { openMongoReportStore } from '#shared/stores/reports/mongo';
import { type ReportDocument, toDocument } from '#shared/stores/reports/mongo-documents';
import { toRow } from '#shared/stores/reports/row';
import { openLogger } from '#shared/telemetry/logger';
import type { TestMongo } from '../test/kit/mongo.ts';
import { type StoreUnderTest, sampleReport } from './store-measure.ts';

const reportsOfKey = 10;
const dayMs = 86_400_000;
const insertedAtOnce = 500;
const grantsOneOf = 50;

/** Fills a server with reports, ten of each key over a month, and opens the store on it. */
export async function openMongoSide(mongo: TestMongo, count: number): Promise<StoreUnderTest> {
  const store = openMongoReportStore(mongo.url, {
    log: openLogger('silent'),
    limitBytes: 1e12,
    upkeepEveryMs: 2000,
  });
  await store.ping();
  const client = new MongoClient(mongo.url);
  const database = client.db(databaseNameOf(mongo.url));
  const reports = database.collection<ReportDocument>('reports');
  const grants = database.collection('grants');
  const keys = Array.from({ length: count / reportsOfKey }, () => randomId());
  const accounts = Array.from({ length: 20 }, () => randomId());
  for (const documents of batchesOf(keys)) {
    await reports.insertMany(documents, { ordered: false });
    const given = documents.filter((_, index) => index % grantsOneOf === 0);
    await grants.insertMany(
      given.map((document, index) => grantFor(document, accounts[index % accounts.length])),
    );
  }
  let unexpired = 0;
  // Whose turn it is to delete what has expired: nobody's until all of it is there, then at once.
  const takeTurn = (until: Date) =>
    database
      .collection<{ _id: string }>('upkeep')
      .updateOne({ _id: 'turn' }, { $set: { until } }, { upsert: true });
  return {
    name: 'a server of MongoDB’s protocol',
    store,
    bare: {
      insert: async (report, rowKeys) =>
        reports.insertOne(toDocument(toRow(report, rowKeys).row), { writeConcern: { w: 'majority' } }),
      async findFresh(jobKey) {
        return reports
          .find({ jobKey, freshUntil: { $gt: new Date() } })
          .sort({ checkedAt: -1 })
          .limit(1)
          .toArray();
      },
      history: async (account) =>
        grants
          .find({ account, expiresAt: { $gt: new Date() } })
          .sort({ checkedAt: -1, reportId: -1 })
          .limit(20)
          .toArray(),
      expire: async () => void (await reports.deleteMany({ expiresAt: { $lte: new Date() } })),
    },
    freshKeys: keys.slice(0, keys.length / 2),
    oldKeys: keys.slice(keys.length / 2),
    accounts,
    tickKeys: 100,
    // Added in place of changed: an update costs the stand-in a walk over all.
    async makeExpired(rows) {
      unexpired = await reports.estimatedDocumentCount();
      await takeTurn(new Date(Date.now() + dayMs));
      const keysOfExpired = Array.from({ length: Math.ceil(rows / reportsOfKey) }, () => randomId());
      for (const documents of batchesOf(keysOfExpired))
        await reports.insertMany(documents.map((document) => ({ ...document, expiresAt: new Date(1) })));
      await takeTurn(new Date(0));
    },
    countExpired: async () => Math.max(0, (await reports.estimatedDocumentCount()) - unexpired),
    count: () => reports.countDocuments(),
    diskBytes: async () => Number((await database.command({ dbStats: 1 }))['totalSize'] ?? 0),
    serverCpuMs: () => cpuMsOf(mongo.process?.pid),
    async close() {
      await store.close();
      await client.close();
    },
  };
}

/** All documents, in lists that one command inserts: the oldest of each key first, as they would have come. */
function* batchesOf(keys: readonly string[]): Generator<ReportDocument[]> {
  const { row: sample } = toRow(sampleReport(randomId()), { reportId: '', jobId: '', jobKey: '' });
  const now = Date.now();
  let batch: ReportDocument[] = [];
  for (let age = reportsOfKey - 1; age >= 0; age -= 1)
    for (const [index, jobKey] of keys.entries()) {
      const checkedAt = now - age * 3 * dayMs - (index % 1000) * 1000 - dayMs;
      const isFresh = age === 0 && index < keys.length / 2;
      const freshUntil = isFresh ? now + dayMs : checkedAt + 300_000;
      const times = { checkedAt, freshUntil, expiresAt: checkedAt + 60 * dayMs };
      batch.push(toDocument({ ...sample, ...times, reportId: randomId(), jobId: randomId(), jobKey }));
      if (batch.length < insertedAtOnce) continue;
      yield batch;
      batch = [];
    }
  if (batch.length > 0) yield batch;
}

function grantFor({ _id, checkedAt, expiresAt }: ReportDocument, account: string | undefined) {
  const about = { check: 'c', target: 't', score: 1, grade: 'F', state: 'complete' };
  return { account, reportId: _id, checkedAt, expiresAt, ...about };
}

// utime and stime of proc(5), in hundredths of a second.
function cpuMsOf(pid: number | undefined): number {
  if (pid === undefined) return 0;
  const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const fields = rest.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
