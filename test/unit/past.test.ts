import { expect, test } from 'vitest';
import { grantOf } from '#shared/model/grant';
import { randomId } from '#shared/model/job';
import { openSqliteReportStore } from '#shared/stores/reports/sqlite';
import type { PageServices } from '../../api/pages/page-services.ts';
import { findPast } from '../../api/pages/past.ts';
import { keepGolden } from '../kit/golden-report.ts';
import { quietLog } from '../kit/ready-redis.ts';

test('a report that another process has told of by another millisecond is not its own past', async () => {
  const options = { log: quietLog, limitBytes: 1e8, onForeignWrite: () => undefined };
  const reportStore = openSqliteReportStore(':memory:', options);
  const services = { reports: { reportStore }, site: { reportIds: true } } as unknown as PageServices;
  const stored = await keepGolden(reportStore, 'dns-check');
  const grant = grantOf(stored);
  const account = randomId();
  await reportStore.grants.give(account, { ...grant, checkedAt: grant.checkedAt - 1 });
  const past = await findPast(services, account, { grant, jobKey: stored.jobKey });
  expect(past.previous).toBeUndefined();
  await reportStore.close();
});
