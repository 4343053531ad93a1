import { Long } from 'mongodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { randomId } from '#shared/model/job';
import { makeReport } from '#shared/model/report';
import type { ReportStore } from '#shared/ports/report-store';
import { openMongoReportStore } from '#shared/stores/reports/mongo';
import type { Logger } from '#shared/telemetry/logger';
import { type Command, type Fate, type MongoProxy, openMongoProxy, refusal } from '../kit/mongo-proxy.ts';
import { hasMongo, startMongo, type TestMongo } from '../kit/mongo.ts';

const lines: string[] = [];
const told = (_fields: object, message: string) => void lines.push(message);
const log: Logger = { error: told, warn: told, info: told, debug: () => undefined };

const isWrite = ({ name }: Command) => ['insert', 'update', 'delete', 'findAndModify'].includes(name);
const isFind = ({ name }: Command) => name === 'find';
const always = (meant: (command: Command) => boolean, fate: Fate) => (command: Command) =>
  meant(command) ? fate : 'pass';
const once = (meant: (command: Command) => boolean, fate: Fate) => {
  let isSpent = false;
  return (command: Command): Fate => {
    if (isSpent || !meant(command)) return 'pass';
    isSpent = true;
    return fate;
  };
};
const codeOf = (error: unknown) => (error as { code?: string | number }).code ?? String(error);
const outcomeOf = (acting: Promise<unknown>) => acting.then(() => 'works', codeOf);

function insert(store: ReportStore, reportId = randomId()) {
  const keys = { reportId, jobId: randomId(), jobKey: randomId() };
  const facts = {
    check: 'redirect-check',
    target: { url: 'http://a.test/' },
    rules: {},
    rulesVersion: 1,
    reportId,
    checkedAtMs: Date.now(),
    durationMs: 1,
    freshForS: 60,
    keepForS: 600,
  };
  return store.insert(makeReport(facts, { state: 'complete', verdicts: {}, fields: {} }), keys);
}

describe.skipIf(!hasMongo)('a server of MongoDB that answers ping', () => {
  let mongo: TestMongo;
  let proxy: MongoProxy;
  let store: ReportStore;
  beforeAll(async () => {
    mongo = await startMongo();
  });
  afterAll(() => mongo.stop());
  beforeEach(async () => {
    lines.length = 0;
    proxy = await openMongoProxy(mongo.url);
    store = openMongoReportStore(proxy.url, { log, limitBytes: 1e9 });
    await expect.poll(() => store.ping()).toBe(true);
  });
  afterEach(async () => {
    await store.close();
    await proxy.close();
  });
  const state = () => store.ping();
  const works = async () => {
    proxy.decide(() => 'pass');
    await expect.poll(state).toBe(true);
    await expect.poll(() => store.fault()).toBeUndefined();
    expect(await outcomeOf(insert(store))).toBe('works');
  };

  test('and no reads: it is away, few reads are at it at once, and each ends on it by itself', async () => {
    proxy.decide(always(isFind, 'hang'));
    const before = proxy.commands.length;
    const reads = Array.from({ length: 300 }, () => outcomeOf(store.get(randomId())));
    await expect.poll(state).toMatch(/^MongoDB does not answer/);
    expect(new Set(await Promise.all(reads))).toEqual(new Set(['store_unavailable']));
    const finds = proxy.commands.slice(before).filter(isFind);
    expect(proxy.mostAtOnce('find')).toBeLessThanOrEqual(50);
    expect(finds.filter(({ document }) => !(Number(document['maxTimeMS']) > 0))).toEqual([]);
    await works();
  });

  test('and no large reads, though the small ones of its trial work: most of the last reads failed', async () => {
    proxy.decide(
      always(
        ({ document }) =>
          'jobKey' in ((document['filter'] as object | undefined) ?? {}) &&
          document['projection'] === undefined,
        'hang',
      ),
    );
    const ask = () =>
      outcomeOf(store.findFresh([{ jobKey: randomId(), wanted: { since: 0, orFresh: true } }]));
    expect(new Set(await Promise.all(Array.from({ length: 20 }, ask)))).toEqual(
      new Set(['store_unavailable']),
    );
    expect(await state()).toMatch(
      /^\d+ of the last \d+ reads of MongoDB failed: it does not answer in time$/,
    );
    await works();
  });

  const refused: readonly { readonly name: string; readonly fate: Fate; readonly words: RegExp }[] = [
    {
      name: 'a user that may only read',
      fate: { answer: refusal(13, 'Unauthorized') },
      words: /may not do that/,
    },
    { name: 'a full disk', fate: { answer: refusal(14_031, 'OutOfDiskSpace') }, words: /disk is full/ },
    { name: 'writes that hang', fate: 'hang', words: /does not answer/ },
    {
      name: 'writes that are confirmed and lost',
      fate: { answer: { ok: 1, n: 1, nModified: 1 } },
      words: /is not there/,
    },
    {
      name: 'a set without its majority',
      fate: {
        instead: {
          ok: 1,
          n: 1,
          nModified: 1,
          writeConcernError: {
            code: 64,
            codeName: 'WriteConcernFailed',
            errmsg: 'waiting for replication timed out',
          },
        },
      },
      words: /no majority/,
    },
  ];
  test.for(refused)(
    'and has $name: no new check is taken, and the log says why once',
    async ({ fate, words }) => {
      proxy.decide(always(isWrite, fate));
      await expect.poll(state).toMatch(words);
      await expect.poll(() => store.fault()?.code).toBe('store_unavailable');
      expect(await outcomeOf(store.get('x'))).toBe('works');
      await works();
      expect(lines.filter((line) => line.startsWith('reports can'))).toEqual([
        'reports cannot be written',
        'reports can be written again',
      ]);
    },
  );

  test('and refuses the password: every call and the trial say so', async () => {
    proxy.decide(always(() => true, { answer: refusal(18, 'AuthenticationFailed') }));
    await expect.poll(state).toMatch(/refuses the user or the password/);
    expect(await outcomeOf(store.get('x'))).toBe('store_unavailable');
    await works();
  });

  test('a report that no majority confirmed is not kept, also where it is there at the next try', async () => {
    const reportId = randomId();
    const unconfirmed = { code: 64, codeName: 'WriteConcernFailed', errmsg: 'timed out' };
    proxy.decide(
      always(({ name }) => name === 'insert', { instead: { ok: 1, n: 1, writeConcernError: unconfirmed } }),
    );
    expect(await outcomeOf(insert(store, reportId))).toBe('store_unavailable');
    // It stands on one server; a read of what a majority has does not find it.
    const isMajorityRead = ({ document }: Command) =>
      (document['readConcern'] as { level?: string } | undefined)?.level === 'majority';
    const empty = { ok: 1, cursor: { id: Long.ZERO, ns: 'diag.reports', firstBatch: [] } };
    proxy.decide(always(isMajorityRead, { answer: empty }));
    expect(await outcomeOf(insert(store, reportId))).toBe('store_unavailable');
    proxy.decide(() => 'pass');
    expect((await insert(store, reportId)).reportId).toBe(reportId);
  });

  const changes = [
    [10_107, 'NotWritablePrimary'],
    [189, 'PrimarySteppedDown'],
    [91, 'ShutdownInProgress'],
    [11_600, 'InterruptedAtShutdown'],
    [11_602, 'InterruptedDueToReplStateChange'],
    [13_435, 'NotPrimaryNoSecondaryOk'],
  ] as const;
  test.for(changes)(
    'and answers a write once with %i %s: it is kept at the second try',
    async ([code, name]) => {
      const reportId = randomId();
      proxy.decide(once(({ name: command }) => command === 'insert', { answer: refusal(code, name) }));
      expect((await insert(store, reportId)).reportId).toBe(reportId);
      expect((await store.get(reportId))?.reportId).toBe(reportId);
    },
  );

  const others = [
    [13, 'Unauthorized'],
    [18, 'AuthenticationFailed'],
    [50, 'MaxTimeMSExpired'],
    [10_107, 'NotWritablePrimary'],
    [11_600, 'InterruptedAtShutdown'],
    [11_602, 'InterruptedDueToReplStateChange'],
  ] as const;
  test.for(others)(
    'and answers for a while with %i %s: 503, and what is asked again is kept',
    async ([code, name]) => {
      const reportId = randomId();
      proxy.decide(always((command) => isFind(command) || isWrite(command), { answer: refusal(code, name) }));
      expect(await outcomeOf(store.get(reportId))).toBe('store_unavailable');
      expect(await outcomeOf(insert(store, reportId))).toBe('store_unavailable');
      expect(
        await outcomeOf(
          store.keepBlob({ reportId, kind: 'evidence' }, new Uint8Array(3), Date.now() + 60_000),
        ),
      ).toBe('store_unavailable');
      await works();
      expect((await insert(store, reportId)).reportId).toBe(reportId);
    },
  );

  test('a report that is too large for every server is no outage', async () => {
    proxy.decide(once(({ name }) => name === 'insert', { answer: refusal(10_334, 'BSONObjectTooLarge') }));
    expect(await outcomeOf(insert(store))).toBe(10_334);
    expect(await state()).toBe(true);
  });

  test('a duplicate without its key pattern is told from other errors', async () => {
    const reportId = randomId();
    await insert(store, reportId);
    proxy.decide(
      once(({ name }) => name === 'insert', {
        answer: { ok: 1, n: 0, writeErrors: [{ index: 0, code: 11_000, errmsg: 'E11000' }] },
      }),
    );
    expect((await insert(store, reportId)).reportId).toBe(reportId);
  });
});
