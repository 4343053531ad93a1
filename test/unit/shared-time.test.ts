import { expect, test } from 'vitest';
import { makeReport } from '#shared/model/report';
import { openSqliteReportStore } from '#shared/report-store/sqlite';
import { inSharedTime } from '#shared/shared-time';

const quiet = () => undefined;
const log = { error: quiet, warn: quiet, info: quiet, debug: quiet };
const store = openSqliteReportStore(':memory:', { log, limitBytes: 1e8, onForeignWrite: () => undefined });
const minutes = 60_000;

test("a report keeps the shared time it was made with, also where this machine's clock is set before it is stored", async () => {
  let offsetMs = 0;
  const seen = inSharedTime(store, () => offsetMs);
  const checkedAtMs = Date.now();
  const facts = {
    check: 'redirect-check',
    target: { url: 'http://a.test/' },
    rules: {},
    rulesVersion: 1,
    reportId: 'a'.repeat(32),
    checkedAtMs,
    durationMs: 1,
    freshForS: 300,
    keepForS: 3600,
  };
  const report = makeReport(facts, { state: 'complete', verdicts: {}, score: null, fields: {} });
  offsetMs = -11 * minutes;
  const ids = { reportId: 'a'.repeat(32), jobId: 'b'.repeat(32), jobKey: 'key', target: 'http://a.test/' };
  const told = await seen.insert(report, { ...ids, isAnonymous: true });
  expect((await store.get(ids.reportId))?.checkedAt).toBe(checkedAtMs);
  // What it tells is in this machine's time again.
  expect(told.checkedAt).toBe(checkedAtMs + 11 * minutes);
  expect((await seen.get(ids.reportId))?.checkedAt).toBe(checkedAtMs + 11 * minutes);
  const question = { jobKey: 'key', wanted: { since: checkedAtMs + 11 * minutes, orFresh: false } };
  expect((await seen.findFresh([question])).has('key')).toBe(true);
});
