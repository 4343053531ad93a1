import { readFileSync } from 'node:fs';
import { Binary, MongoClient } from 'mongodb';
import { openLogger } from '#shared/logger';
import { randomId } from '#shared/model/job';
import { databaseNameOf } from '#shared/mongo';
import { openMongoReportStore } from '#shared/report-store/mongo';
import { type ReportDocument, toDocument } from '#shared/report-store/mongo-documents';
import { toRow } from '#shared/report-store/row';
import type { TestMongo } from '../test/kit/mongo.ts';
import { type Side, sampleReport } from './store-measure.ts';

const reportsOfKey = 10;
const dayMs = 86_400_000;
const insertedAtOnce = 500;

/** Fills a server with reports, ten of each key over a month, and opens the store on it. */
export async function openMongoSide(mongo: TestMongo, count: number): Promise<Side> {
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
  const documents = documentsOf(keys);
  for (let at = 0; at < documents.length; at += insertedAtOnce)
    await reports.insertMany(documents.slice(at, at + insertedAtOnce));
  for (const [index, { _id, checkedAt, expiresAt }] of documents.entries())
    if (index % 50 === 0)
      await grants.insertOne({
        account: accounts[(index / 50) % accounts.length],
        reportId: _id,
        check: 'c',
        target: 't',
        checkedAt,
        expiresAt,
        score: 1,
        grade: 'F',
        state: 'complete',
      });
  let expiring: string[] = [];
  let left = documents.map(({ _id }) => _id);
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
    async makeExpired(rows) {
      expiring = left.slice(0, rows);
      for (let at = 0; at < expiring.length; at += insertedAtOnce)
        await reports.updateMany(
          { _id: { $in: expiring.slice(at, at + insertedAtOnce) } },
          { $set: { expiresAt: new Date(1) } },
        );
      left = left.slice(rows);
    },
    hasExpired: async () =>
      (await reports.findOne({ _id: { $in: expiring } }, { projection: { _id: 1 } })) !== null,
    count: () => reports.countDocuments(),
    diskBytes: async () => Number((await database.command({ dbStats: 1 }))['totalSize'] ?? 0),
    serverCpuMs: () => cpuMsOf(mongo.process?.pid),
    async close() {
      await store.close();
      await client.close();
    },
  };
}

function documentsOf(keys: readonly string[]): ReportDocument[] {
  const { row: sample } = toRow(sampleReport(randomId()), { reportId: '', jobId: '', jobKey: '' });
  const now = Date.now();
  return Array.from({ length: reportsOfKey }, (_, age) =>
    keys.map((jobKey, index) => {
      const checkedAt = now - age * 3 * dayMs - (index % 1000) * 1000 - dayMs;
      const isFresh = age === 0 && index < keys.length / 2;
      const freshUntil = isFresh ? now + dayMs : checkedAt + 300_000;
      const times = { checkedAt, freshUntil, expiresAt: checkedAt + 60 * dayMs };
      return toDocument({ ...sample, ...times, reportId: randomId(), jobId: randomId(), jobKey });
    }),
  )
    .flat()
    .map((document) => ({ ...document, body: new Binary(document.body.value()) }));
}

// utime and stime of proc(5), in hundredths of a second.
function cpuMsOf(pid: number | undefined): number {
  if (pid === undefined) return 0;
  const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const fields = rest.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
