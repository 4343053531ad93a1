import type { ChildProcess } from 'node:child_process';
import { zstdCompressSync } from 'node:zlib';
import { Binary, MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { randomId } from '#shared/model/job';
import { openMongoReportStore } from '#shared/stores/reports/mongo';
import {
  aFreshOne,
  keepMany,
  log,
  openErrorLog,
  options,
  reportOf,
  reportStoreContract,
} from '../contract/report-store.contract.ts';
import { freeze } from '../kit/freeze.ts';
import { canStopMongo, hasMongo, startMongo, type TestMongo, withOptions } from '../kit/mongo.ts';

describe.skipIf(!hasMongo)('MongoDB report store', () => {
  let mongo: TestMongo;
  beforeAll(async () => {
    mongo = await startMongo();
  });
  afterAll(() => mongo.stop());
  // Patient: what a store does is the question here, not how long it takes on a busy machine.
  const patient = {
    serverSelectionTimeoutMS: '20000',
    connectTimeoutMS: '20000',
    socketTimeoutMS: '20000',
  };
  reportStoreContract(async () =>
    openMongoReportStore(withOptions(mongo.url, patient), { ...options, isPatient: true }),
  );

  test.skipIf(!canStopMongo)(
    'answers for a server that is frozen within 5 s, within a second once that is known, and works again with it',
    async () => {
      const store = openMongoReportStore(mongo.url, options);
      expect(await store.ping()).toBe(true);
      await freeze(mongo.process);
      for (const withinMs of [6000, 1500]) {
        const start = performance.now();
        await expect(store.get('x')).rejects.toMatchObject({ code: 'store_unavailable', retryAfterS: 5 });
        expect(performance.now() - start).toBeLessThan(withinMs);
      }
      mongo.process?.kill('SIGCONT');
      await expect.poll(() => store.ping()).toBe(true);
      await store.close();
    },
  );

  test.skipIf(!canStopMongo).for(['frozen', 'absent'] as const)(
    'works once the server is there, where that was %s when the process started',
    async (how) => {
      const late = await startMongo();
      if (how === 'frozen') await freeze(late.process);
      else await kill(late.process);
      const store = openMongoReportStore(late.url, options);
      const look = () => store.get('x').catch((error: unknown) => (error as { code: string }).code);
      expect(await Promise.all([look(), look()])).toEqual(['store_unavailable', 'store_unavailable']);
      if (how === 'frozen') late.process?.kill('SIGCONT');
      else await late.restart();
      await expect.poll(look).toBeUndefined();
      await expect.poll(() => store.ping()).toBe(true);
      await store.close();
      await late.stop();
    },
  );

  describe('over collections of others', () => {
    let client: MongoClient;
    beforeAll(() => {
      client = new MongoClient(mongo.url);
    });
    afterAll(() => client.close());

    test('a document that somebody spoilt is absent, and logged once', async () => {
      const { errors, log: errorLog } = openErrorLog();
      const store = openMongoReportStore(mongo.url, { ...options, log: errorLog });
      const spoils = [
        { body: 'text' },
        { state: 'fine' },
        { checkedAt: 'today' },
        { score: 'high' },
        { isOpen: 1 },
        { bodyCrc: 1 },
        { digest: 'too short' },
      ];
      const ids = await keepMany(store, spoils.length);
      const jobKey = randomId();
      for (const [index, spoil] of spoils.entries())
        await client
          .db()
          .collection<{ _id: string }>('reports')
          .replaceOne(
            { _id: ids[index] ?? '' },
            { ...(await readOne(client, ids[index])), ...spoil, jobKey },
          );
      for (const id of [...ids, ...ids]) expect(await store.get(id)).toBeUndefined();
      expect(await store.findFresh([{ jobKey, wanted: aFreshOne }])).toEqual(new Map());
      expect(errors).toHaveLength(spoils.length);
      await store.close();
    });

    test('a document of an earlier version is read as it was kept', async () => {
      const store = openMongoReportStore(withOptions(mongo.url, patient), options);
      const report = reportOf({ note: 'snow ☃' });
      const jobKey = randomId();
      await store.insert(report, { reportId: report.reportId, jobId: randomId(), jobKey });
      const { digest, jsonBytes, bodyCrc, ...rest } = await readOne(client, report.reportId);
      expect([typeof digest, typeof jsonBytes, typeof bodyCrc]).toEqual(['string', 'number', 'number']);
      const body = new Binary(zstdCompressSync(JSON.stringify(report)));
      const reports = client.db().collection<{ _id: string }>('reports');
      await reports.replaceOne({ _id: report.reportId }, { ...rest, body });
      const found = [
        await store.get(report.reportId),
        (await store.findFresh([{ jobKey, wanted: aFreshOne }])).get(jobKey),
      ];
      for (const stored of found) {
        expect(Buffer.from(stored?.json() ?? []).toString()).toBe(JSON.stringify(report));
        expect(stored?.prepared).toBeUndefined();
      }
      await store.close();
    });

    test('a dropped collection has its indexes again soon, what has expired is deleted, and what is too much goes', async () => {
      const store = openMongoReportStore(mongo.url, { ...options, upkeepEveryMs: 200 });
      expect(await store.ping()).toBe(true);
      await client.db().collection('reports').drop();
      const ids = await keepMany(store, 30);
      await keepMany(store, 5, 0);
      const reports = client.db().collection('reports');
      await expect
        .poll(async () => Object.keys(await reports.indexInformation()).sort(), { timeout: 45_000 })
        .toEqual(['_id_', 'by_expiry', 'reports_by_freshness', 'reports_by_key']);
      await expect.poll(() => reports.countDocuments(), { timeout: 45_000 }).toBe(ids.length);
      await store.close();
      const small = openMongoReportStore(mongo.url, { log, limitBytes: 1, upkeepEveryMs: 200 });
      await small.ping();
      await expect.poll(() => reports.countDocuments(), { timeout: 45_000 }).toBe(0);
      await small.close();
    });
  });
});

function kill(child: ChildProcess | undefined): Promise<unknown> {
  return new Promise((resolve) => {
    child?.once('exit', resolve);
    child?.kill('SIGKILL');
  });
}

async function readOne(client: MongoClient, id = ''): Promise<Record<string, unknown>> {
  const { _id, ...rest } =
    (await client.db().collection<{ _id: string }>('reports').findOne({ _id: id })) ?? {};
  return rest;
}
