import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Freshness } from '#shared/model/freshness';
import { anonymousAccount, grantOf } from '#shared/model/grant';
import { randomId } from '#shared/model/job';
import { makeReport, type Report } from '#shared/model/report';
import type { ReportStore, StoredReport } from '#shared/ports/report-store';

export const aFreshOne: Freshness = { since: Number.MAX_SAFE_INTEGER, orFresh: true };

/** A report that differs from others only where it is said; times in seconds from now. */
export function reportOf({
  reportId = randomId(),
  checked = 0,
  freshFor = 300,
  keepFor = 86_400,
  note = '',
} = {}): Report & { reportId: string } {
  const facts = {
    check: 'redirect-check',
    target: { url: 'http://a.test/' },
    rules: {},
    rulesVersion: 1,
    reportId,
    checkedAtMs: Date.now() + checked * 1000,
    durationMs: 12.4,
    freshForS: freshFor,
    keepForS: keepFor,
  };
  return { ...makeReport(facts, { state: 'complete', verdicts: {}, fields: { note } }), reportId };
}

/** What every report store promises. */
export function reportStoreContract(open: () => Promise<ReportStore>): void {
  let store: ReportStore;
  beforeEach(async () => {
    store = await open();
  });
  afterEach(async () => {
    await store.close();
  });
  const insert = (report: Report & { reportId: string }, jobKey: string) =>
    store.insert(report, { reportId: report.reportId, jobId: randomId(), jobKey });
  const find = async (jobKey: string, wanted: Freshness) =>
    (await store.findFresh([{ jobKey, wanted }])).get(jobKey)?.reportId;

  test('a report comes back byte for byte as it was kept', async () => {
    const report = reportOf({ note: 'snow ☃ and \u0000 and "quotes"' });
    const stored = await insert(report, randomId());
    const back = await store.get(report.reportId);
    expect(textOf(back)).toBe(JSON.stringify(report));
    expect(textOf(stored)).toBe(JSON.stringify(report));
    expect(back).toMatchObject({
      check: 'redirect-check',
      checkedAt: Date.parse(report.checkedAt),
      freshUntil: Date.parse(report.freshUntil),
    });
  });

  test('a report comes back in the form in which it is sent: under gzip, with the digest and the length of its JSON', async () => {
    const report = reportOf({ note: 'snow ☃' });
    const json = Buffer.from(JSON.stringify(report));
    const stored = await insert(report, randomId());
    // The second look reads the row.
    await store.get(report.reportId);
    for (const { prepared } of [stored, (await store.get(report.reportId)) ?? never()]) {
      expect(gunzipSync(prepared?.gzip ?? Buffer.alloc(0))).toEqual(json);
      expect(prepared?.jsonBytes).toBe(json.length);
      expect(prepared?.digest).toBe(createHash('sha256').update(json).digest('base64url').slice(0, 22));
    }
  });

  test('bytes leave the store in memory of their own, of exactly their length', async () => {
    const report = reportOf({ note: 'x'.repeat(2000) });
    const jobKey = randomId();
    const name = { reportId: report.reportId, kind: 'evidence' } as const;
    await store.keepBlob(name, Buffer.from('a few bytes'), Date.now() + 60_000);
    const reports = [
      await insert(report, jobKey),
      await store.get(report.reportId),
      await store.get(report.reportId),
      (await store.findFresh([{ jobKey, wanted: aFreshOne }])).get(jobKey),
    ];
    const given = [
      ...reports.flatMap((stored) => [stored?.json(), stored?.prepared?.gzip]),
      await store.getBlob(name),
    ];
    expect(given.map((bytes) => bytes?.buffer.byteLength)).toEqual(given.map((bytes) => bytes?.byteLength));
    expect(given.map((bytes) => bytes?.byteLength)).not.toContain(undefined);
  });

  test('the first report of an id wins, and a second writer is given the first', async () => {
    const reportId = randomId();
    const jobKey = randomId();
    await insert(reportOf({ reportId, note: 'first' }), jobKey);
    const second = await insert(reportOf({ reportId, note: 'second' }), jobKey);
    expect(JSON.parse(textOf(second))).toMatchObject({ note: 'first' });
  });

  test('of two writers at once, both are given the same report', async () => {
    const reportId = randomId();
    const jobKey = randomId();
    const given = await Promise.all(
      Array.from({ length: 10 }, (_, index) => insert(reportOf({ reportId, note: String(index) }), jobKey)),
    );
    expect(new Set(given.map(textOf)).size).toBe(1);
  });

  test('a fresh report answers; one past its freshness only when its age is accepted', async () => {
    const jobKey = randomId();
    const old = reportOf({ checked: -100, freshFor: 60 });
    await insert(old, jobKey);
    expect(await find(jobKey, aFreshOne)).toBeUndefined();
    expect(await find(jobKey, { since: Date.now() - 50_000, orFresh: true })).toBeUndefined();
    expect(await find(jobKey, { since: Date.now() - 200_000, orFresh: false })).toBe(old.reportId);
    const fresh = reportOf({ checked: -10, freshFor: 60 });
    await insert(fresh, jobKey);
    expect(await find(jobKey, aFreshOne)).toBe(fresh.reportId);
    expect(await find(jobKey, { since: Date.now() - 5000, orFresh: false })).toBeUndefined();
  });

  test('what is fresh is judged by the time that it is given: another clock may be right', async () => {
    const jobKey = randomId();
    await insert(reportOf({ freshFor: 60 }), jobKey);
    const asked = [{ jobKey, wanted: aFreshOne }];
    for (const [aheadMs, isFound] of [
      [30_000, true],
      [90_000, false],
    ] as const)
      expect((await store.findFresh(asked, Date.now() + aheadMs)).has(jobKey)).toBe(isFound);
  });

  test('of several that answer, the newest is given', async () => {
    const jobKey = randomId();
    const [newest] = await Promise.all(
      [reportOf({ checked: -1 }), reportOf({ checked: -30 }), reportOf({ checked: -20 })].map(
        async (report) => (await insert(report, jobKey)).reportId,
      ),
    );
    expect(await find(jobKey, aFreshOne)).toBe(newest);
  });

  test('many questions are answered at once, and only those that have an answer', async () => {
    const keys = Array.from({ length: 200 }, () => randomId());
    await Promise.all(keys.slice(0, 100).map((key) => insert(reportOf(), key)));
    const found = await store.findFresh(keys.map((jobKey) => ({ jobKey, wanted: aFreshOne })));
    expect([...found.keys()].sort()).toEqual(keys.slice(0, 100).sort());
    expect(await store.findFresh([])).toEqual(new Map());
  });

  test('old reports of some keys hide no fresh one of another, nor an older one that is still fresh', async () => {
    const keys = Array.from({ length: 8 }, () => randomId());
    const old = keys.flatMap((jobKey) =>
      Array.from({ length: 25 }, (_, index) =>
        insert(reportOf({ checked: -100 - index, freshFor: 60 }), jobKey),
      ),
    );
    await Promise.all(old);
    const fresh = await Promise.all(
      keys.slice(0, 4).map((key) => insert(reportOf({ checked: -5000, freshFor: 6000 }), key)),
    );
    const found = await store.findFresh(keys.map((jobKey) => ({ jobKey, wanted: aFreshOne })));
    expect([...found].map(([jobKey, { reportId }]) => [jobKey, reportId]).sort()).toEqual(
      fresh.map(({ jobKey, reportId }) => [jobKey, reportId]).sort(),
    );
    for (const { jobKey, reportId } of fresh) expect(await find(jobKey, aFreshOne)).toBe(reportId);
  });

  test('a newest report that has expired hides no older one that answers', async () => {
    const jobKey = randomId();
    await insert(reportOf({ checked: -100, freshFor: 300, keepFor: 50 }), jobKey);
    const older = reportOf({ checked: -200, freshFor: 600 });
    await insert(older, jobKey);
    expect(await find(jobKey, aFreshOne)).toBe(older.reportId);
    expect(await find(jobKey, { since: Date.now() - 300_000, orFresh: false })).toBe(older.reportId);
  });

  test('it tells how full it is', async () => {
    const before = await store.use();
    await Promise.all(
      Array.from({ length: 40 }, () => insert(reportOf({ note: randomId().repeat(60) }), randomId())),
    );
    const after = await store.use();
    expect(after.usedBytes).toBeGreaterThan(before.usedBytes);
    expect(after.limitBytes).toBe(before.limitBytes);
    expect(store.fault()).toBeUndefined();
  });

  test('an expired report is gone for every reader', async () => {
    const jobKey = randomId();
    const report = reportOf({ checked: -100, freshFor: 300, keepFor: 50 });
    await insert(report, jobKey);
    expect(await store.get(report.reportId)).toBeUndefined();
    expect(await find(jobKey, aFreshOne)).toBeUndefined();
  });

  test('an unknown id is nothing', async () => {
    expect(await store.get(randomId())).toBeUndefined();
    expect(await store.get('{"$ne":null}')).toBeUndefined();
  });

  test('bytes are kept beside a report, replaced by a second write, and gone when they expire', async () => {
    const name = { reportId: randomId(), kind: 'evidence' } as const;
    expect(await store.getBlob(name)).toBeUndefined();
    await store.keepBlob(name, Buffer.from('first'), Date.now() + 60_000);
    await store.keepBlob(name, Buffer.from('second'), Date.now() + 60_000);
    expect(Buffer.from((await store.getBlob(name)) ?? []).toString()).toBe('second');
    expect(await store.getBlob({ ...name, kind: 'screenshot' })).toBeUndefined();
    await store.keepBlob(name, Buffer.from('third'), Date.now() - 1);
    expect(await store.getBlob(name)).toBeUndefined();
    const many = Array.from({ length: 3 }, () => ({ reportId: randomId(), kind: 'evidence' }) as const);
    await store.keepBlobs(
      many.map((each) => ({ name: each, bytes: Buffer.from(each.reportId), expiresAt: Date.now() + 60_000 })),
    );
    const back = await Promise.all(many.map((each) => store.getBlob(each)));
    expect(back.map((bytes) => Buffer.from(bytes ?? []).toString())).toEqual(
      many.map(({ reportId }) => reportId),
    );
    await store.keepBlobs([]);
  });

  test('a report is readable by the account it was given to, or by all once it was given without a token', async () => {
    const { grants } = store;
    const report = await insert(reportOf(), randomId());
    const [a, b] = [randomId(), randomId()];
    expect(await grants.isGiven(a, report.reportId)).toBe(false);
    await grants.give(a, grantOf(report));
    await Promise.all([grants.give(a, grantOf(report)), grants.give(a, grantOf(report))]);
    expect(await grants.isGiven(a, report.reportId)).toBe(true);
    expect(await grants.isGiven(b, report.reportId)).toBe(false);
    await grants.give(anonymousAccount, grantOf(report));
    expect(await grants.isGiven(b, report.reportId)).toBe(true);
    expect(await grants.isGiven(a, '{"$ne":null}')).toBe(false);
    expect(await grants.list({ account: a, limit: 10 })).toEqual([grantOf(report)]);
  });

  test('a report that was made for a caller without a token is readable by every account, without a grant', async () => {
    const report = reportOf();
    const keys = { reportId: report.reportId, jobId: randomId(), jobKey: randomId() };
    const stored = await store.insert(report, { ...keys, isAnonymous: true });
    expect([stored.isOpen, (await store.get(report.reportId))?.isOpen]).toEqual([true, true]);
    expect(await store.grants.isGiven(randomId(), report.reportId)).toBe(true);
    expect(await store.grants.isGiven(randomId(), randomId())).toBe(false);
    const closed = reportOf();
    expect((await insert(closed, randomId())).isOpen).toBe(false);
    expect(await store.grants.isGiven(randomId(), closed.reportId)).toBe(false);
  });

  test('a history is newest first, in pages without a gap or a double, of one target and check where asked', async () => {
    const { grants } = store;
    const account = randomId();
    const rows = Array.from({ length: 25 }, (_, index) => ({
      reportId: randomId(),
      check: index % 2 === 0 ? 'dns-check' : 'ssl-check',
      target: `${index % 3}.test`,
      checkedAt: 1_700_000_000_000 + Math.floor(index / 2),
      expiresAt: Date.now() + 60_000,
      score: index % 4 === 0 ? null : index,
      grade: index % 4 === 0 ? null : 'F',
      state: 'complete',
      options: index % 5 === 0 ? null : index % 5 === 1 ? '{"port":"8443"}' : '{}',
      rulesVersion: index % 5 === 0 ? null : 3,
    }));
    await Promise.all(rows.map((row) => grants.give(account, row)));
    await grants.give(randomId(), { ...(rows[0] ?? never()), reportId: randomId() });
    const sorted = rows.toSorted((a, b) => b.checkedAt - a.checkedAt || (b.reportId < a.reportId ? -1 : 1));
    const pages = [];
    for (let page = await grants.list({ account, limit: 10 }); page.length > 0;) {
      pages.push(...page);
      page = await grants.list({ account, limit: 10, before: page.at(-1) });
    }
    expect(pages).toEqual(sorted);
    const few = await grants.list({ account, limit: 100, target: '1.test', check: 'dns-check' });
    expect(few).toEqual(sorted.filter(({ target, check }) => target === '1.test' && check === 'dns-check'));
    // What was kept without its options may have had some, where its check has any.
    const plain = await grants.list({ account, limit: 100, options: 'plain' });
    expect(plain).toEqual(sorted.filter(({ options }) => options === '{}'));
    const oldHealth = { ...(rows[0] ?? never()), reportId: randomId(), check: 'domain-health' };
    await grants.give(account, oldHealth);
    const health = await grants.list({ account, limit: 100, check: 'domain-health', options: 'plain' });
    expect(health).toEqual([oldHealth]);
    const port = { text: '{"port":"8443"}' };
    const since = 1_700_000_000_006;
    const late = await grants.list({ account, limit: 3, options: port, since, before: sorted[0] });
    expect(late).toEqual(
      sorted.slice(1).filter(({ options, checkedAt }) => options === port.text && checkedAt >= since),
    );
  });

  test('the outlines of reports are read by their ids, and those that have none are left out', async () => {
    const [with_, without, gone] = [reportOf(), reportOf(), reportOf({ keepFor: -1 })];
    const outline = Buffer.from('packed');
    for (const { reportId, ...report } of [with_, gone])
      await store.insert(
        { ...report, reportId },
        { reportId, jobId: randomId(), jobKey: randomId(), options: {}, outline },
      );
    await insert(without, randomId());
    const ids = [with_, without, gone].map(({ reportId }) => reportId);
    const found = await store.findOutlines([...ids, randomId()]);
    expect([...found].map(([id, bytes]) => [id, Buffer.from(bytes).toString()])).toEqual([
      [with_.reportId, 'packed'],
    ]);
    expect(await store.get(with_.reportId)).toMatchObject({ options: '{}', rulesVersion: 1 });
    expect(await store.get(without.reportId)).toMatchObject({ options: null, rulesVersion: 1 });
  });

  test('an expired grant is gone for every reader', async () => {
    const { grants } = store;
    const account = randomId();
    const grant = { ...grantOf(await insert(reportOf(), randomId())), expiresAt: Date.now() - 1 };
    await grants.give(account, grant);
    expect(await grants.isGiven(account, grant.reportId)).toBe(false);
    expect(await grants.list({ account, limit: 10 })).toEqual([]);
  });

  test('it says that it is there', async () => {
    expect(await store.ping()).toBe(true);
  });
}

function textOf(stored: StoredReport | undefined): string {
  return Buffer.from(stored?.json() ?? []).toString();
}

function never(): never {
  throw new Error('there is one');
}

export const log = {
  error: console.error,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
};
export const options = { log, limitBytes: 1_000_000_000 };

/** A log that remembers its errors. */
export function openErrorLog() {
  const errors: string[] = [];
  return { errors, log: { ...log, error: (_fields: object, message: string) => void errors.push(message) } };
}

/** Keeps reports of about 4 kB that no packing makes smaller, one second apart; the first expires first. */
export async function keepMany(store: ReportStore, count: number, keepFor = 86_400): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const note = Array.from({ length: 120 }, () => randomId()).join('');
    const report = reportOf({ note, keepFor: keepFor + index });
    await store.insert(report, { reportId: report.reportId, jobId: randomId(), jobKey: randomId() });
    ids.push(report.reportId);
  }
  return ids;
}
