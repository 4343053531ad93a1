import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { MongoClient } from 'mongodb';
import { databaseNameOf } from '#shared/backends/mongo';
import { randomId } from '#shared/model/job';
import { makeReport, type Report } from '#shared/model/report';
import type { ReportKeys, ReportStore } from '#shared/ports/report-store';
import { openMongoReportStore } from '#shared/stores/reports/mongo';
import { type ReportDocument, toDocument } from '#shared/stores/reports/mongo-documents';
import { toRow } from '#shared/stores/reports/row';
import { openSqliteReportStore } from '#shared/stores/reports/sqlite';
import { openLogger } from '#shared/telemetry/logger';
import type { TestMongo } from '../test/kit/mongo.ts';

/** The same acts without our store: the driver's own calls, on the same data. */
type Bare = {
  insert(report: Report, keys: ReportKeys): Promise<unknown>;
  findFresh(jobKey: string): Promise<unknown>;
  history(account: string): Promise<unknown>;
  /** Deletes what has expired. */
  expire(): Promise<void>;
};

/** A store that is full of reports, and the bare driver on the same data. */
export type StoreUnderTest = {
  readonly name: string;
  readonly store: ReportStore;
  readonly bare: Bare;
  /** Keys of which the newest report is fresh, and keys of which ten old ones are all there is. */
  readonly freshKeys: readonly string[];
  readonly oldKeys: readonly string[];
  readonly accounts: readonly string[];
  /** Keys that one look asks for. */
  readonly tickKeys: number;
  /** Has so many reports expired: stored ones, or new ones. */
  makeExpired(count: number): Promise<void>;
  /** How many reports are left that have expired. */
  countExpired(): Promise<number>;
  /** Reports that are there. */
  count(): Promise<number>;
  /** Size of the file or files, in bytes. */
  diskBytes(): Promise<number>;
  close(): Promise<void>;
};

const reportsOfKey = 10;
const dayMs = 86_400_000;
const insertedAtOnce = 500;
const grantsOneOf = 50;

/** A report of about 10 kB, as a check of many findings gives it. */
export function sampleReport(reportId: string, more: { readonly checkedAtMs?: number } = {}): Report {
  const evidence = Array.from({ length: 8 }, (_, index) => ({ hop: index, value: randomId() }));
  const findings = Array.from(
    { length: 20 },
    (_, index) =>
      [
        `rule-${index}`,
        {
          severity: 'low',
          points: 1,
          title: 'The header lets others read what it should not',
          detail: 'Hop {hop} answers {value}, which every site that is named in it may read.',
          fix: 'Name the sites that may read it, each by its own origin.',
          references: ['RFC 9110 §15.4'],
        },
      ] as const,
  );
  const facts = {
    check: 'redirect-check',
    target: { url: 'http://a.test/' },
    rules: Object.fromEntries(findings),
    rulesVersion: 1,
    reportId,
    checkedAtMs: more.checkedAtMs ?? Date.now(),
    durationMs: 12,
    freshForS: 300,
    keepForS: 30 * 86_400,
  };
  const verdicts = Object.fromEntries(findings.map(([code]) => [code, { broken: evidence }]));
  return makeReport(facts, { state: 'complete', verdicts, fields: {} });
}

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
  const acquireLease = (until: Date) =>
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
      await acquireLease(new Date(Date.now() + dayMs));
      const keysOfExpired = Array.from({ length: Math.ceil(rows / reportsOfKey) }, () => randomId());
      for (const documents of batchesOf(keysOfExpired))
        await reports.insertMany(documents.map((document) => ({ ...document, expiresAt: new Date(1) })));
      await acquireLease(new Date(0));
    },
    countExpired: async () => Math.max(0, (await reports.estimatedDocumentCount()) - unexpired),
    count: () => reports.countDocuments(),
    diskBytes: async () => Number((await database.command({ dbStats: 1 }))['totalSize'] ?? 0),
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

/** Fills a file with reports, ten of each key over a month, and opens the store on it. */
export async function openSqliteSide(path: string, count: number): Promise<StoreUnderTest> {
  const options = { log: openLogger('silent'), limitBytes: 1e12 };
  await openSqliteReportStore(path, options).close();
  const database = new DatabaseSync(path, { timeout: 5000 });
  database.exec('PRAGMA synchronous = NORMAL; PRAGMA cache_size = -200000;');
  const keys = Array.from({ length: count / reportsOfKey }, () => randomId());
  const accounts = Array.from({ length: 100 }, () => randomId());
  fill(database, keys, accounts);
  const store = openSqliteReportStore(path, options);
  const half = keys.length / 2;
  return {
    name: 'sqlite',
    store,
    bare: openBare(database),
    freshKeys: keys.slice(0, half),
    oldKeys: keys.slice(half),
    accounts,
    tickKeys: 500,
    async makeExpired(rows) {
      database.exec(
        `UPDATE reports SET expiresAt = 1 WHERE rowid IN (SELECT rowid FROM reports WHERE expiresAt > 1 ORDER BY rowid LIMIT ${rows})`,
      );
    },
    countExpired: async () =>
      Number(database.prepare('SELECT COUNT(*) AS n FROM reports WHERE expiresAt <= 1').get()?.['n']),
    count: async () => Number(database.prepare('SELECT COUNT(*) AS n FROM reports').get()?.['n']),
    diskBytes: async () => statSync(path).size,
    async close() {
      database.close();
      await store.close();
    },
  };
}

const columns =
  'reportId jobId jobKey target check state score grade checkedAt freshUntil expiresAt body isOpen digest jsonBytes bodyCrc options rulesVersion outline'.split(
    ' ',
  );
const insertSql = `INSERT INTO reports (${columns.map((name) => `"${name}"`).join(', ')}) VALUES (${columns.map((name) => `:${name}`).join(', ')})`;

// The newest report of the first half of the keys is fresh; all bodies are the same.
function fill(database: DatabaseSync, keys: readonly string[], accounts: readonly string[]): void {
  const insert = database.prepare(insertSql);
  const give = database.prepare(
    `INSERT INTO grants (account, reportId, "check", target, checkedAt, expiresAt, score, grade, state) VALUES (?, ?, 'c', 't', ?, ?, 1, 'F', 'complete')`,
  );
  const { row: sample } = toRow(sampleReport(randomId()), { reportId: '', jobId: '', jobKey: '' });
  const now = Date.now();
  for (let age = reportsOfKey - 1; age >= 0; age -= 1) {
    database.exec('BEGIN');
    for (const [index, jobKey] of keys.entries()) {
      const checkedAt = now - age * 3 * dayMs - (index % 1000) * 1000 - dayMs;
      const isFresh = age === 0 && index < keys.length / 2;
      const row = { ...sample, reportId: randomId(), jobId: randomId(), jobKey, checkedAt, isOpen: 0 };
      insert.run({
        ...row,
        freshUntil: isFresh ? now + dayMs : checkedAt + 300_000,
        expiresAt: checkedAt + 60 * dayMs,
      });
      if (index % 10 === 0)
        give.run(
          accounts[(index / 10) % accounts.length] ?? '',
          row.reportId,
          checkedAt,
          checkedAt + 60 * dayMs,
        );
    }
    database.exec('COMMIT');
  }
  database.exec('PRAGMA wal_checkpoint(TRUNCATE); PRAGMA cache_size = -16000;');
}

function openBare(database: DatabaseSync): StoreUnderTest['bare'] {
  const insert = database.prepare(insertSql);
  const find = database.prepare(
    'SELECT * FROM reports WHERE jobKey = ? AND freshUntil > ? ORDER BY checkedAt DESC LIMIT 1',
  );
  const list = database.prepare(
    'SELECT * FROM grants WHERE account = ? AND expiresAt > ? ORDER BY checkedAt DESC, reportId DESC LIMIT 20',
  );
  return {
    async insert(report, keys) {
      insert.run({ ...toRow(report, keys).row, isOpen: 0 });
    },
    async findFresh(jobKey) {
      return find.get(jobKey, Date.now());
    },
    history: async (account) => list.all(account, Date.now()),
    async expire() {
      database.exec('DELETE FROM reports WHERE expiresAt = 1');
    },
  };
}
