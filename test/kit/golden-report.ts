import { readFileSync } from 'node:fs';
import { anonymousAccount, grantOf } from '#shared/model/grant';
import { randomId } from '#shared/model/job';
import type { Report } from '#shared/model/report';
import type { ReportStore, StoredReport } from '#shared/ports/report-store';

/** Puts the golden report of a check in a store, as one that was made for a caller without a token and given to one, and is not expired. */
export async function keepGolden(
  reportStore: ReportStore,
  check: string,
  change: Partial<Report> = {},
  jobKey = `golden ${check}`,
): Promise<StoredReport> {
  const golden = JSON.parse(readFileSync(`test/fixtures/golden/${check}.json`, 'utf8')) as Report;
  const now = Date.now();
  const at = (ms: number) => new Date(now + ms).toISOString();
  const times = { checkedAt: at(0), freshUntil: at(300_000), expiresAt: at(3_600_000) };
  const ids = { reportId: randomId(), jobId: randomId(), jobKey };
  const report = { ...golden, ...times, ...change, reportId: ids.reportId };
  const stored = await reportStore.insert(report, { ...ids, isAnonymous: true });
  await reportStore.grants.give(anonymousAccount, grantOf(stored));
  return stored;
}
