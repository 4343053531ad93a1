import { expect, test } from 'vitest';
import { openSqliteReportStore } from '#shared/stores/reports/sqlite';
import { inSharedTime } from '#shared/time/shared-time';
import { reportOf } from '../contract/report-store.contract.ts';
import { quietLog } from '../kit/ready-redis.ts';

const store = openSqliteReportStore(':memory:', {
  log: quietLog,
  limitBytes: 1e8,
  onForeignWrite: () => undefined,
});
const minutes = 60_000;

test("a report keeps the shared time it was made with, also where this machine's clock is set before it is stored", async () => {
  let offsetMs = 0;
  const seen = inSharedTime(store, () => offsetMs);
  const report = reportOf({ reportId: 'a'.repeat(32), checked: -11 * 60 });
  const checkedAtMs = Date.parse(report.checkedAt);
  offsetMs = -11 * minutes;
  const ids = { reportId: 'a'.repeat(32), jobId: 'b'.repeat(32), jobKey: 'key', target: 'http://a.test/' };
  const told = await seen.insert(report, { ...ids, isAnonymous: true });
  expect((await store.get(ids.reportId))?.checkedAt).toBe(checkedAtMs);
  // What it tells is in this machine's time again.
  expect(told.checkedAt).toBe(checkedAtMs + 11 * minutes);
  expect((await seen.get(ids.reportId))?.checkedAt).toBe(checkedAtMs + 11 * minutes);
  const question = { jobKey: 'key', wanted: { notBefore: checkedAtMs + 11 * minutes, acceptFresh: false } };
  expect((await seen.findFresh([question])).has('key')).toBe(true);
});

test("what expires soon is there by the shared time, also where this machine's clock is ahead of it", async () => {
  const aheadMs = 11 * minutes;
  const seen = inSharedTime(store, () => -aheadMs);
  const ids = { reportId: 'c'.repeat(32), jobId: 'd'.repeat(32), jobKey: 'soon', target: 'http://a.test/' };
  const blob = { reportId: ids.reportId, kind: 'pdf' } as const;
  const report = reportOf({ reportId: ids.reportId, checked: -aheadMs / 1000, keepFor: 300 });
  const sharedMs = Date.parse(report.checkedAt);
  await seen.insert(report, { ...ids, isAnonymous: true });
  await seen.keepBlob(blob, new Uint8Array([1]), sharedMs + 5 * minutes);
  // Kept for the first who asks, then read from the table.
  for (let asked = 0; asked < 2; asked += 1)
    expect((await seen.get(ids.reportId))?.expiresAt).toBe(sharedMs + 5 * minutes + aheadMs);
  expect(await seen.getBlob(blob)).toEqual(new Uint8Array([1]));
  expect(await inSharedTime(store, () => 0).get(ids.reportId)).toBeUndefined();
});
