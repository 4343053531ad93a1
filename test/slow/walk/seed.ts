import { hash } from 'node:crypto';
import { outlineOf, packOutline } from '#shared/catalogue/outline';
import { makeDeliveries } from '#shared/catalogue/watch-event';
import { openBackend } from '#shared/lifecycle/backend';
import { grantOf } from '#shared/model/grant';
import { randomId } from '#shared/model/job';
import type { Watch, WatchTarget } from '#shared/model/watch';
import { bytesOfBatch, noneEnded, type BatchEnd } from '#shared/ports/batch-store';
import { readConfig } from '#shared/settings/config';
import { readReport } from '#shared/stores/reports/read-report';
import { makeToken } from '#shared/stores/tokens/make-token';
import { openLogger } from '#shared/telemetry/logger';
import { keepGolden } from '../../kit/golden-report.ts';

/** What an account with much of everything has, and its token and keys. */
export type Seeded = {
  readonly token: string;
  readonly feedKey: string;
  readonly watchId: string;
  readonly batchId: string;
  readonly reportId: string;
  readonly otherReportId: string;
};

/** How much there is of each. */
export type Counts = Readonly<
  Record<'targets' | 'deliveries' | 'watches' | 'batches' | 'ends' | 'reports', number>
>;

/** Fills the stores of a service that is not started yet: an account with as much as it may have of what its lists show. @param letter of the account, where there are several */
export async function seed(
  settings: Readonly<Record<string, string>>,
  counts: Counts,
  letter = 'k',
): Promise<Seeded> {
  const backend = await openBackend(readConfig(settings), openLogger('silent'));
  const { tokenStore, watches, batches, reportStore } = backend;
  const scopes = ['tools', 'reports:read', 'watch'] as const;
  const { text, token } = makeToken({ name: 'all', scopes, limits: {}, expiresAt: null }, Date.now());
  await tokenStore.insert(token);
  const { account } = token;
  const key = letter.repeat(22);
  const digest = hash('sha256', key, 'base64url');
  await watches.setLinks(account, { feed: digest, calendar: digest });

  const first = await keepGolden(reportStore, 'domain-health');
  const reportIds: string[] = [];
  for (let at = 0; at < counts.reports; at += 1) {
    const stored = await keepGolden(
      reportStore,
      at % 3 === 0 ? 'dns-check' : 'domain-health',
      { target: { domain: 'a.test' } },
      `${letter}${at}`,
    );
    await reportStore.grants.give(account, grantOf(stored));
    reportIds.push(stored.reportId);
  }
  const base = `${first.reportId} ${Buffer.from(packOutline(outlineOf(readReport(first)))).toString('base64')}`;
  const watchOf = (targetCount: number, label: string): Watch => ({
    watchId: randomId(),
    account,
    label,
    check: 'domain-health',
    options: {},
    everySeconds: 2_592_000,
    targetCount,
    pausedReason: null,
    notify: { webhook: null, email: null, minSeverity: 'medium', daysBefore: [30, 7, 1] },
    secret: null,
    oldSecret: null,
    isConfirmed: false,
    createdAt: Date.now(),
    isWhole: true,
  });
  const targetOf = (watch: Watch, target: string): WatchTarget => ({
    watchId: watch.watchId,
    account,
    target,
    host: target,
    dueAt: Date.now() + 86_400_000,
    isActive: true,
    state: 'ok',
    reportId: first.reportId,
    checkedAt: Date.now(),
    score: 90,
    grade: 'A',
    problem: null,
    missed: 0,
    paidFor: null,
    base,
    memory: {},
    pending: [],
    second: null,
    expiries: {},
  });
  const large = watchOf(counts.targets, 'large');
  await watches.create(
    large,
    Array.from({ length: counts.targets }, (_, at) => targetOf(large, `t${at}.test`)),
  );
  for (let at = 0; at < counts.watches; at += 1) await watches.create(watchOf(0, `w${at}`), []);
  const summary = 'A finding. '.repeat(20);
  const wish = { type: 'watch.changed', target: 't1.test', severity: 'high', summary } as const;
  await watches.keepDeliveries(
    Array.from({ length: counts.deliveries }, () =>
      makeDeliveries(large, wish, Date.now(), undefined),
    ).flat(),
  );

  const targets = Array.from({ length: counts.ends }, (_, at) =>
    at % 2 ? `no target ${at}` : `t${at}.test`,
  );
  let batchId = '';
  for (let at = 0; at < counts.batches; at += 1) {
    batchId = randomId();
    const createdAt = Date.now() - at;
    await batches.insert(
      {
        batchId,
        account,
        check: 'domain-health',
        options: {},
        label: null,
        maxAgeS: null,
        total: at === counts.batches - 1 ? targets.length : 1,
        createdAt,
        expiresAt: createdAt + 86_400_000,
        endedAt: createdAt,
        cancelledAt: null,
        running: 0,
        leaseUntil: 0,
        feeder: null,
        bytes: bytesOfBatch([]),
        ...noneEnded,
      },
      at === counts.batches - 1 ? targets : ['a.test'],
    );
  }
  for (let start = 0; start < counts.ends; start += 500) {
    const ends = Array.from({ length: 500 }, (_, at): BatchEnd => {
      const index = start + at;
      const reportId = reportIds[index % reportIds.length] ?? '';
      const isRefused = index % 2 === 1;
      return {
        index,
        cursor: index + 1,
        outcome: isRefused ? 'refused' : 'done',
        reportId: isRefused ? null : reportId,
        problem: isRefused ? 'invalid_request' : null,
        endedAt: Date.now(),
      };
    });
    await batches.addEnds(batchId, ends, { ...noneEnded, done: start / 2, refused: start / 2 });
  }
  await backend.close(0);
  const [reportId = '', otherReportId = ''] = reportIds;
  return { token: text, feedKey: key, watchId: large.watchId, batchId, reportId, otherReportId };
}
