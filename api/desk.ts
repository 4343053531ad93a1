import type { Backend } from '#shared/lifecycle/backend';
import type { ConnectionLimits } from '#shared/lifecycle/connections';
import { openHostCheck } from '#shared/lifecycle/known-host';
import { openWindows } from '#shared/limits/rates/windows';
import { noStrikes } from '#shared/limits/strikes/memory';
import type { AccountTurns } from '#shared/ports/account-turns';
import type { IdempotencyStore } from '#shared/ports/idempotency';
import type { Done, JobQueue, Missed } from '#shared/ports/job-queue';
import type { Tracing } from '#shared/ports/tracing';
import type { WatchStore } from '#shared/ports/watch-store';
import { openJobKeys } from '#shared/queue/job-keys';
import { openWaiting } from '#shared/queue/waiting/waiting';
import type { Config } from '#shared/settings/config';
import { costOf, isOffered } from '#shared/settings/offered';
import { targetPolicyOf } from '#shared/settings/policy';
import type { TargetPolicy } from '#shared/targets/parse-target';
import type { Logger } from '#shared/telemetry/logger';
import type { Metrics } from '#shared/telemetry/metrics';
import { openReportCache } from './answer/ready-report.ts';
import { openSite, type Site } from './answer/site.ts';
import { type Batches, openBatchQuotas } from './batches/batch-desk.ts';
import { idleFeeder, openFeeder } from './batches/feed/feeder.ts';
import { openFeedingCallers } from './batches/feed/feeding-caller.ts';
import { openHolds, openWaits } from './limits/holds.ts';
import { type AccountQuotas, type Kept, openKept } from './limits/kept.ts';
import { openLoadShedding, type LoadSheddingLimits } from './limits/load-shedding.ts';
import { openPace, type Pace } from './limits/pace.ts';
import { openPayments } from './limits/payments.ts';
import { openQuotas, type Quotas } from './limits/quotas.ts';
import { openStreams, type Streams } from './limits/streams.ts';
import { type Deprecation, deprecations } from './listener/deprecations.ts';
import type { Door } from './listener/front-door.ts';
import { openOtherSiteCheck, openOwnPageCheck, openProgramCheck } from './listener/other-site.ts';
import { withoutDenied } from './reports/without-denied.ts';
import type { Admission } from './request/admit.ts';
import { openAskReader, type ReadAsk } from './request/ask.ts';
import { openCallers } from './request/caller.ts';
import { type Bodies, openBodies } from './request/read-body.ts';
import type { Witness } from './request/request-log.ts';
import { openSessions, type Sessions } from './request/sessions.ts';
import type { Runs } from './tools/runs.ts';
import type { Shelf } from './tools/shelf.ts';
import { type WatchLimits, watchQuotas } from './watches/quotas.ts';

export type ApiContext = {
  readonly config: Config;
  readonly backend: Pick<
    Backend,
    | 'jobQueue'
    | 'reportStore'
    | 'rateLimiter'
    | 'tokenStore'
    | 'strikes'
    | 'streamPlaces'
    | 'idempotency'
    | 'batches'
    | 'watches'
    | 'accountTurns'
  >;
  readonly log: Logger;
  readonly metrics?: Metrics;
  readonly tracing?: Tracing | undefined;
  /** Paths that will end; those of the service where left out. */
  readonly deprecations?: readonly Deprecation[];
  /** When requests are turned away; production's where left out. */
  readonly loadSheddingLimits?: LoadSheddingLimits;
  /** Bytes that one account may keep; production's where left out. */
  readonly keptBytes?: number;
  /** How many connections, and how long a request may take to arrive; production's where left out. */
  readonly connectionLimits?: ConnectionLimits;
};

/** Everything that answering requests takes, opened once for a process. Each room takes the parts that it names. */
export type Desk = {
  readonly witness: Witness;
  readonly door: Door;
  readonly admission: Admission;
  readonly sessions: Sessions;
  readonly bodies: Bodies;
  readonly idempotency: IdempotencyStore;
  readonly accountTurns: AccountTurns;
  readonly kept: Kept;
  readonly watches: WatchStore;
  readonly watchLimits: WatchLimits;
  /** What /api/me shows of an account; each kind of thing that accounts make adds its own. */
  readonly accountQuotas: readonly AccountQuotas[];
  readonly batches: Batches;
  readonly streams: Streams;
  readonly readAsk: ReadAsk;
  readonly targetPolicy: TargetPolicy;
  readonly shelf: Shelf;
  readonly runs: Runs;
  readonly site: Site;
  close(): Promise<void>;
};

/** GETs of one caller that wait at once; the next is answered 202. */
const waitsOfCaller = 100;
const reportCacheBytes = 64 * 1024 * 1024;
const usualLimits: LoadSheddingLimits = { lagMs: 200, windowMs: 2000, waits: 10_000 };

/** Opens the desk. */
export function openDesk(context: ApiContext): Desk {
  const { config, backend, log, metrics, tracing } = context;
  const targetPolicy = targetPolicyOf(config);
  const site = openSite(config);
  const quotas = openQuotas(openWindows(), backend.rateLimiter, config.RATE_LIMIT);
  const shelf = {
    reports: openReportCache(reportCacheBytes, site.linksOf),
    reportStore: withoutDenied(backend.reportStore, targetPolicy.denied),
  };
  const runs = openRuns(context, shelf, quotas);
  const readAsk = openAskReader(targetPolicy, openJobKeys(config), site.isOffered);
  const kept = openKept(backend, context.keptBytes);
  const batches = openBatches(context, { readAsk, runs, shelf, site, quotas });
  return {
    witness: { log, metrics, tracing },
    door: openDoor(context),
    admission: { callers: openCallers(config, backend.tokenStore, log), quotas },
    sessions: openSessions(config, backend.tokenStore),
    bodies: openBodies(quotas),
    idempotency: backend.idempotency,
    accountTurns: backend.accountTurns,
    kept,
    watches: backend.watches,
    watchLimits: {
      minSeconds: config.WATCH_MIN_SECONDS,
      targets: config.LIMIT_ACCOUNT_WATCHES,
      isLimited: config.RATE_LIMIT,
    },
    accountQuotas: [
      openBatchQuotas(batches),
      watchQuotas(backend.watches, config.LIMIT_ACCOUNT_WATCHES),
      kept.quotas,
    ],
    batches,
    streams: openStreams(backend.streamPlaces),
    readAsk,
    targetPolicy,
    shelf,
    runs,
    site,
    async close() {
      await batches.feeder.close();
      runs.waiting.close();
      runs.loadShedding.close();
    },
  };
}

function openDoor({ config, deprecations: own }: ApiContext): Door {
  return {
    isKnownHost: openHostCheck({ host: config.HOST, publicUrl: config.PUBLIC_URL }),
    isFromOtherSite: openOtherSiteCheck(config),
    isOwnPage: openOwnPageCheck(config),
    isProgram: openProgramCheck(config),
    corsOrigins: config.CORS_ORIGINS ?? [],
    deprecations: own ?? deprecations,
  };
}

type FeedParts = Pick<Desk, 'readAsk' | 'runs' | 'shelf' | 'site'> & { readonly quotas: Quotas };

function openBatches({ config, backend, log }: ApiContext, parts: FeedParts): Batches {
  const store = backend.batches;
  const callerOf = openFeedingCallers(config, backend.tokenStore);
  const now = () => Date.now() + backend.jobQueue.clockOffsetMs();
  return {
    store,
    feeder: config.REPORT_IDS ? openFeeder({ ...parts, store, callerOf, log, now }) : idleFeeder,
    keptMs: config.REPORT_TTL_DAYS * 86_400_000,
    limits: { batches: config.LIMIT_ACCOUNT_BATCHES, targets: config.LIMIT_ACCOUNT_TARGETS },
  };
}

function openRuns(
  { config, backend, log, loadSheddingLimits }: ApiContext,
  shelf: Shelf,
  quotas: Quotas,
): Runs {
  const { jobQueue } = backend;
  const { reportStore } = shelf;
  const holds = openHolds(config.RATE_LIMIT);
  const payments = openPayments(quotas);
  const pace = openPace({ queueSeconds: config.QUEUE_SECONDS, hostConcurrency: config.HOST_CONCURRENCY });
  const onDone = settleJobs({ log, reports: shelf.reports, holds, pace, payments });
  const paced: JobQueue = { ...jobQueue, submit: (job) => jobQueue.submit(job, pace.lineLimit(job)) };
  const waiting = openWaiting({ jobQueue: paced, reportStore, log, onDone });
  return {
    jobQueue,
    waiting,
    payments,
    strikes: config.RATE_LIMIT ? backend.strikes : noStrikes,
    holds,
    waits: openWaits(waitsOfCaller),
    loadShedding: openLoadShedding(loadSheddingLimits ?? usualLimits, () => waiting.waits()),
    waitSeconds: config.WAIT_SECONDS,
    queueSeconds: config.QUEUE_SECONDS,
    costOf: (spec, options) => costOf((one) => isOffered(config, one), spec, options),
  };
}

type JobRecords = Pick<Shelf, 'reports'> &
  Pick<Runs, 'holds' | 'payments'> & { readonly log: Logger; readonly pace: Pace };

// When a job ends, in this process or another, this one lets go of what it holds for it.
function settleJobs({ log, reports, holds, pace, payments }: JobRecords): (done: Done | Missed) => void {
  return (done) => {
    if (done === 'missed') return reports.clear();
    reports.drop(done.jobKey);
    holds.release(done.jobKey);
    pace.observe(done);
    payments
      .settle(done)
      .catch((error: unknown) => log.error({ err: error, jobId: done.jobId }, 'scans not given back'));
  };
}
