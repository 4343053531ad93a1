import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { randomId } from '#shared/model/job';
import type { Token } from '#shared/ports/token-store';
import { openMongoAccess } from '#shared/stores/access/mongo';
import { openMongoReportStore } from '#shared/stores/reports/mongo';
import { purgeMongo } from '#shared/stores/reports/purge-mongo';
import { makeToken } from '#shared/stores/tokens/make-token';
import { openMongoTokenStore } from '#shared/stores/tokens/mongo';
import { reportOf, reportStoreContract } from '../contract/report-store.contract.ts';
import { tokenStoreContract } from '../contract/token-store.contract.ts';
import { sketch, unknownIn } from '../kit/mongo-manual.ts';
import { type MongoProxy, openMongoProxy } from '../kit/mongo-proxy.ts';
import { hasMongo, startMongo, type TestMongo, withOptions } from '../kit/mongo.ts';

const log = { error: console.error, warn: () => undefined, info: () => undefined, debug: () => undefined };
const options = { log, limitBytes: 1e9, longestFreshMs: 400 * 86_400_000, isPatient: true };
let changes = 0;
/** What Redis carries between processes, here within one. */
const announcements = {
  announce: async () => void (changes += 1),
  heard: () => changes,
  close: () => undefined,
};
// Patient: what is sent is the question here, not how long it takes on a busy machine.
const patient = { serverSelectionTimeoutMS: '20000', connectTimeoutMS: '20000', socketTimeoutMS: '20000' };

describe.skipIf(!hasMongo)('what the driver sends', () => {
  let mongo: TestMongo;
  let proxy: MongoProxy;
  beforeAll(async () => {
    mongo = await startMongo();
    proxy = await openMongoProxy(mongo.url);
  });
  afterAll(async () => {
    await proxy.close();
    await mongo.stop();
  });
  const url = () => withOptions(proxy.url, patient);

  describe('for the contract of reports', () => {
    reportStoreContract(async () => openMongoReportStore(url(), options));
  });
  describe('for the contract of tokens', () => {
    tokenStoreContract(async () => openMongoTokenStore(url(), announcements, log));
  });

  test('for upkeep and for deleting on request', async () => {
    const store = openMongoReportStore(url(), { ...options, limitBytes: 1, upkeepEveryMs: 100 });
    expect(await store.ping()).toBe(true);
    await store.identity?.();
    await store.use();
    for (let count = 0; count < 3; count += 1) {
      const report = reportOf({ note: 'x' });
      await store.insert(report, { reportId: report.reportId, jobId: randomId(), jobKey: randomId() });
    }
    await expect.poll(() => proxy.commands.some(({ name }) => name === 'dbStats')).toBe(true);
    for (const wish of [{ target: 'a.test' }, { account: randomId() }, { madeBefore: Date.now() }])
      await purgeMongo(url(), wish);
    const { token } = makeToken({ name: 't', scopes: ['tools'], limits: {}, expiresAt: null }, Date.now());
    const tokens = openMongoTokenStore(url(), announcements, log);
    await tokens.insert(token satisfies Token);
    await tokens.touch(token.tokenId, Date.now());
    await tokens.close();
    await store.close();
  });

  test('for the record of runs', async () => {
    const access = openMongoAccess(url(), log);
    const run = { runId: randomId(), check: 'dns-check', host: 'a.test', caller: '203.0.113.7' };
    const record = { ...run, startedAt: Date.now(), endedAt: Date.now(), contacts: [] };
    await access.keep([record], Date.now() + 60_000);
    const found = [];
    for await (const each of access.find({ since: 0, until: Date.now() })) found.push(each);
    expect(found).toEqual([record]);
    for (const wish of [{ target: 'a.test' }, { account: 'x' }, { madeBefore: Date.now() }])
      await access.purge(wish);
    await access.close();
  });

  test('is what the manual of MongoDB 7 and 8 has', () => {
    const unknown = new Set(proxy.commands.flatMap(unknownIn));
    expect([...unknown]).toEqual([]);
    const sketches = new Set(proxy.commands.map(sketch));
    console.log(`sent: ${[...sketches].sort().join(' · ')}`);
    expect(sketches.size).toBeGreaterThan(15);
  });

  test('every read of a request ends by itself, and every write of one waits for a majority, but not for ever', () => {
    const isOfRequest = ({ document }: MongoProxy['commands'][number]) =>
      document['lsid'] !== undefined || document['$db'] !== 'admin';
    const reads = proxy.commands.filter((each) => each.name === 'find' && isOfRequest(each));
    // Those of upkeep and of deleting on request have minutes.
    const endless = reads.filter(({ document }) => document['maxTimeMS'] === undefined);
    expect(
      [...new Set(endless.map(sketch))].filter((each) => /by jobKey|find (?:tokens|blobs by _id)/.test(each)),
    ).toEqual([]);
    const writes = proxy.commands.filter(({ name }) => name === 'insert');
    const careless = writes.filter(({ document }) => {
      const concern = document['writeConcern'] as { w?: unknown; wtimeout?: unknown } | undefined;
      return concern?.w !== 'majority' || !(Number(concern.wtimeout) > 0);
    });
    expect([...new Set(careless.map(sketch))]).toEqual([]);
  });

  test('a look for a fresh report reads no further back than one can be fresh', () => {
    const looks = proxy.commands.filter(
      ({ name, document }) =>
        name === 'find' && 'jobKey' in ((document['filter'] as object | undefined) ?? {}),
    );
    const fresh = looks.filter(({ document }) => '$or' in (document['filter'] as object));
    expect(fresh.length).toBeGreaterThan(0);
    expect(fresh.filter(({ document }) => !('checkedAt' in (document['filter'] as object)))).toEqual([]);
  });
});
