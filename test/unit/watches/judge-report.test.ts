import { readFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import type { Finding } from '#shared/model/finding';
import type { Report } from '#shared/model/report';
import type { Watch, WatchTarget } from '#shared/model/watch';
import { openSqliteReportStore } from '#shared/stores/reports/sqlite';
import { openLogger } from '#shared/telemetry/logger';
import type { WatchContext } from '../../../worker/watches/context.ts';
import { judgeReport } from '../../../worker/watches/judge-report.ts';
import { keepGolden } from '../../kit/golden-report.ts';

const log = openLogger('silent');
const reportStore = openSqliteReportStore(':memory:', { log, limitBytes: 1_000_000_000 });
afterAll(() => reportStore.close());

const check = 'security-header-check';
const { findings } = JSON.parse(readFileSync(`test/fixtures/golden/${check}.json`, 'utf8')) as Report;
const context = {
  backend: { reportStore },
  config: { REPORT_IDS: true },
  now: () => Date.now(),
} as unknown as WatchContext;
const watch: Watch = {
  watchId: 'w1',
  account: 'a1',
  label: null,
  check,
  options: {},
  everySeconds: 3600,
  targetCount: 1,
  pausedReason: null,
  notify: { webhook: null, email: null, minSeverity: 'low', daysBefore: [30] },
  secret: null,
  oldSecret: null,
  isConfirmed: false,
  createdAt: 0,
  isWhole: true,
};
const fresh: WatchTarget = {
  watchId: 'w1',
  account: 'a1',
  target: 'https://a.test/',
  host: 'a.test',
  dueAt: 1000,
  isActive: true,
  state: 'new',
  reportId: null,
  checkedAt: null,
  score: null,
  grade: null,
  problem: null,
  missed: 0,
  paidFor: null,
  base: null,
  memory: {},
  pending: [],
  second: null,
  expiries: {},
};

/** Judges a new report with these findings. */
async function judge(target: WatchTarget, broken: readonly Finding[]) {
  const stored = await keepGolden(reportStore, check, { findings: [...broken] }, `key ${broken.length}`);
  const { settled, deliveries } = await judgeReport(context, watch, target, stored);
  return { settled, ids: deliveries.map(({ deliveryId }) => deliveryId) };
}

test('a turn that is taken again tells the same once, whenever that is, and tells what is new by then', async () => {
  const first = await judge(fresh, []);
  expect(first.ids).toEqual([]);
  const told = await judge(first.settled, findings.slice(0, 1));
  expect(told.ids).toHaveLength(1);
  // It was told, and its process ended before that was written down; meanwhile the queue was away.
  const again = await judge({ ...first.settled, dueAt: 9000 }, findings.slice(0, 1));
  expect(again.ids).toEqual(told.ids);
  const more = await judge({ ...first.settled, dueAt: 9000 }, findings.slice(0, 2));
  expect(more.ids).toHaveLength(1);
  expect(more.ids).not.toEqual(told.ids);
});

test('the same news after a rest are told anew', async () => {
  const base = (await judge(fresh, [])).settled;
  const told = await judge(base, findings.slice(0, 1));
  const good = await judge(told.settled, []);
  // Another day: the memory of what flaps is over.
  const bad = await judge({ ...good.settled, memory: {} }, findings.slice(0, 1));
  expect(bad.ids).toHaveLength(1);
  expect(bad.ids).not.toEqual(told.ids);
});
