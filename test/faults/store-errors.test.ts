import type { Document } from 'mongodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { randomId } from '#shared/model/job';
import type { ReportStore } from '#shared/ports/report-store';
import { openMongoReportStore } from '#shared/stores/reports/mongo';
import { purgeMongo } from '#shared/stores/reports/purge-mongo';
import { reportOf } from '../contract/report-store.contract.ts';
import { type Command, type MongoProxy, openMongoProxy, refusal } from '../kit/mongo-proxy.ts';
import { hasMongo, startMongo, type TestMongo } from '../kit/mongo.ts';

const quiet = { error() {}, warn() {}, info() {}, debug() {} };

/** What a server may answer to a write (MongoDB, "Error Codes"). */
const answers: readonly { readonly name: string; readonly answer: Document }[] = [
  ...(
    [
      [13, 'Unauthorized'],
      [18, 'AuthenticationFailed'],
      [50, 'MaxTimeMSExpired'],
      [64, 'WriteConcernFailed'],
      [85, 'IndexOptionsConflict'],
      [86, 'IndexKeySpecsConflict'],
      [91, 'ShutdownInProgress'],
      [100, 'UnsatisfiableWriteConcern'],
      [189, 'PrimarySteppedDown'],
      [10_107, 'NotWritablePrimary'],
      [11_600, 'InterruptedAtShutdown'],
      [11_602, 'InterruptedDueToReplStateChange'],
      [13_435, 'NotPrimaryNoSecondaryOk'],
      [13_436, 'NotPrimaryOrSecondary'],
      [14_031, 'OutOfDiskSpace'],
    ] as const
  ).map(([code, name]) => ({ name: `${code} ${name}`, answer: refusal(code, name) })),
  {
    name: 'writeConcernError 64',
    answer: { ok: 1, n: 1, writeConcernError: { code: 64, codeName: 'WriteConcernFailed', errmsg: 'late' } },
  },
  {
    name: 'writeConcernError 91',
    answer: { ok: 1, n: 1, writeConcernError: { code: 91, codeName: 'ShutdownInProgress', errmsg: 'ends' } },
  },
];
/** With one of these, another server has become the one to ask: one more try is right. */
const isWorthATry = (name: string) => /^(?:189|10107|11600|11602|13435|13436) |\b91\b/.test(name);

describe.skipIf(!hasMongo)('what a server of MongoDB answers', () => {
  let mongo: TestMongo;
  let proxy: MongoProxy;
  let store: ReportStore;
  const rows: string[] = [];
  beforeAll(async () => {
    mongo = await startMongo();
  });
  afterAll(async () => {
    await mongo.stop();
    console.log(
      ['| answer | a read | a write, once | a write, for a while | kept in the end |', ...rows].join('\n'),
    );
  });
  beforeEach(async () => {
    proxy = await openMongoProxy(mongo.url);
    store = openMongoReportStore(proxy.url, { log: quiet, limitBytes: 1e9 });
    await expect.poll(() => store.ping()).toBe(true);
  });
  afterEach(async () => {
    await store.close();
    await proxy.close();
  });

  const outcomeOf = (acting: Promise<unknown>) =>
    acting.then(
      () => 'works',
      ({ code, retryAfterS }: { code?: string; retryAfterS?: number }) =>
        retryAfterS === undefined ? String(code) : `503 ${code}, Retry-After ${retryAfterS}`,
    );
  const keep = (reportId: string) =>
    store.insert(reportOf({ reportId, note: reportId }), { reportId, jobId: randomId(), jobKey: randomId() });
  const isInsert = ({ name, document }: Command) => name === 'insert' && document['insert'] === 'reports';
  const once = (isMeant: (command: Command) => boolean, answer: Document) => {
    let isSpent = false;
    proxy.decide((command) => {
      if (isSpent || !isMeant(command)) return 'pass';
      isSpent = true;
      return { answer };
    });
  };
  const refused = '503 store_unavailable, Retry-After 5';

  test.for(answers)('$name: 503 or one more try, and no report is lost', async ({ name, answer }) => {
    const [first, second] = [randomId(), randomId()];
    proxy.decide((command) => (command.name === 'find' ? { answer } : 'pass'));
    // An error of write concern comes with an answer that is good: as one to a read it means nothing.
    const read = name.startsWith('writeConcernError') ? refused : await outcomeOf(store.get(first));
    expect(read).toBe(refused);
    once(isInsert, answer);
    const writtenOnce = await outcomeOf(keep(first));
    expect(writtenOnce).toBe(isWorthATry(name) ? 'works' : refused);
    proxy.decide((command) => (isInsert(command) ? { answer } : 'pass'));
    const written = await outcomeOf(keep(second));
    expect(written).toBe(refused);
    proxy.decide(() => 'pass');
    // As a worker does with a report that it could not store: again, by its id.
    await Promise.all([keep(first), keep(second)]);
    const kept = await Promise.all([first, second].map((id) => store.get(id)));
    expect(kept.map((each) => each?.reportId)).toEqual([first, second]);
    rows.push(`| ${name} | ${read} | ${writtenOnce} | ${written} | yes |`);
  });

  test.for([
    ['11000 with its key', { keyPattern: { _id: 1 }, keyValue: { _id: 'x' } }],
    ['11000 without its key', {}],
  ] as const)('%s: what is there already is kept, once', async ([name, more]) => {
    const reportId = randomId();
    await keep(reportId);
    const error = { index: 0, code: 11_000, errmsg: 'E11000 duplicate key error', ...more };
    once(isInsert, { ok: 1, n: 0, writeErrors: [error] });
    expect((await keep(reportId)).reportId).toBe(reportId);
    rows.push(`| ${name} | – | works | works | yes, the first |`);
  });

  test('a cursor that is gone: deleting says so, and the next run deletes the rest', async () => {
    const ids = Array.from({ length: 120 }, () => randomId());
    for (const id of ids) await keep(id);
    const isMore = ({ name }: Command) => name === 'getMore';
    proxy.decide((command) => (isMore(command) ? { answer: refusal(43, 'CursorNotFound') } : 'pass'));
    const purge = () => purgeMongo(proxy.url, { madeBefore: Date.now() + 60_000 });
    const outcome = await outcomeOf(purge());
    expect(outcome).toBe(refused);
    proxy.decide(() => 'pass');
    expect((await purge()).reports).toBeGreaterThanOrEqual(ids.length);
    rows.push(`| 43 CursorNotFound | ${outcome} | – | – | deleted by the next run |`);
  });
});
