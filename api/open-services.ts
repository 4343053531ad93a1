import { openAskParts, questionsOf } from '#shared/ask/open';
import type { Backend } from '#shared/lifecycle/backend';
import type { ConnectionLimits } from '#shared/lifecycle/connections';
import { openHostCheck } from '#shared/lifecycle/known-host';
import { openAccountCallers } from '#shared/limits/account-callers';
import { openHolds } from '#shared/limits/holds';
import { openKept } from '#shared/limits/kept';
import { openPayments } from '#shared/limits/payments';
import { openQuotas, type Quotas } from '#shared/limits/quotas';
import { openWindows } from '#shared/limits/rates/windows';
import { noStrikes } from '#shared/limits/strikes/memory';
import type { Done, JobQueue, Missed } from '#shared/ports/job-queue';
import type { Tracing } from '#shared/ports/tracing';
import { openWaiting } from '#shared/queue/waiting/waiting';
import type { Config } from '#shared/settings/config';
import { targetPolicyOf } from '#shared/settings/policy';
import type { Logger } from '#shared/telemetry/logger';
import type { Metrics } from '#shared/telemetry/metrics';
import { openReportCache, type Reports } from './answer/ready-report.ts';
import { openSite } from './answer/site.ts';
import type { Jobs } from './ask/ask-as-caller.ts';
import { openSoFar } from './ask/so-far.ts';
import { openBatchQuotas } from './batches/batch-services.ts';
import { type Feeder, idleFeeder, openFeeder } from './batches/feed/feeder.ts';
import { openLoadShedding, type LoadShedding, type LoadSheddingLimits } from './limits/load-shedding.ts';
import { openPace, type Pace } from './limits/pace.ts';
import { openStreams } from './limits/streams.ts';
import { openWaits } from './limits/waits.ts';
import { type Deprecation, deprecations } from './origins/deprecations.ts';
import type { Origins } from './origins/front-door.ts';
import { openOtherSiteCheck, openOwnPageCheck, openProgramCheck } from './origins/other-site.ts';
import { withoutDenied } from './reports/without-denied.ts';
import { openCallers } from './request/caller.ts';
import { openAskReader } from './request/read-ask.ts';
import { openBodies } from './request/read-body.ts';
import { openSessions } from './request/sessions.ts';
import type { Batches, Services } from './services.ts';
import { watchQuotas } from './watches/quotas.ts';

export type ApiContext = {
  readonly config: Config;
  readonly backend: Pick<
    Backend,
    | 'mode'
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

/** GETs of one caller that wait at once; the next is answered 202. */
const waitsOfCaller = 100;
const reportCacheBytes = 64 * 1024 * 1024;
const usualLimits: LoadSheddingLimits = { lagMs: 200, windowMs: 2000, waits: 10_000 };

export type OpenServices = { readonly services: Services; close(): Promise<void> };

/** Opens what answering requests takes. */
export function openServices(context: ApiContext): OpenServices {
  const { config, backend, log, metrics, tracing } = context;
  const targetPolicy = targetPolicyOf(config);
  const site = openSite(config);
  const quotas = openQuotas(openWindows(), backend.rateLimiter, config.RATE_LIMIT);
  const reports: Reports = {
    remembered: openReportCache(reportCacheBytes, site.linksOf),
    reportStore: withoutDenied(backend.reportStore, targetPolicy.denied),
    reportIds: config.REPORT_IDS,
  };
  const { jobs, loadShedding } = openJobs(context, reports, quotas);
  const questions = questionsOf(config);
  const feeder = openBatchFeeder(context, { questions, jobs, site, quotas });
  const services: Services = {
    telemetry: { log, metrics, tracing },
    origins: openOrigins(context),
    limits: { callers: openCallers(config, backend.tokenStore, log), quotas },
    reports,
    jobs,
    readSoFar: openSoFar(reports, site, targetPolicy.denied),
    questions,
    readAsk: openAskReader(questions),
    targetPolicy,
    site,
    sessions: openSessions(config, backend.tokenStore),
    bodies: openBodies(quotas),
    streams: openStreams(backend.streamPlaces),
    ...openAccountParts(context, () => feeder.wake()),
  };
  return {
    services,
    async close() {
      await feeder.close();
      jobs.asking.waiting.close();
      loadShedding.close();
    },
  };
}

type AccountParts = Pick<
  Services,
  'idempotency' | 'kept' | 'accountQuotas' | 'batches' | 'watches' | 'watchLimits'
>;

/** What accounts make, and may have. */
function openAccountParts({ config, backend, keptBytes }: ApiContext, wake: () => void): AccountParts {
  const kept = openKept(backend, keptBytes);
  const batches: Batches = {
    store: backend.batches,
    wake,
    keptMs: config.REPORT_TTL_DAYS * 86_400_000,
    limits: { batches: config.LIMIT_ACCOUNT_BATCHES, targets: config.LIMIT_ACCOUNT_TARGETS },
  };
  return {
    idempotency: backend.idempotency,
    kept,
    accountQuotas: [
      openBatchQuotas(batches),
      watchQuotas(backend.watches, config.LIMIT_ACCOUNT_WATCHES),
      kept.quotas,
    ],
    batches,
    watches: backend.watches,
    watchLimits: {
      minSeconds: config.WATCH_MIN_SECONDS,
      targets: config.LIMIT_ACCOUNT_WATCHES,
      isLimited: config.RATE_LIMIT,
    },
  };
}

function openOrigins({ config, deprecations: own }: ApiContext): Origins {
  return {
    isKnownHost: openHostCheck({ host: config.HOST, publicUrl: config.PUBLIC_URL }),
    isFromOtherSite: openOtherSiteCheck(config),
    isOwnPage: openOwnPageCheck(config),
    isProgram: openProgramCheck(config),
    corsOrigins: config.CORS_ORIGINS ?? [],
    deprecations: own ?? deprecations,
  };
}

type FeedParts = Pick<Services, 'questions' | 'jobs' | 'site'> & { readonly quotas: Quotas };

function openBatchFeeder({ config, backend, log }: ApiContext, parts: FeedParts): Feeder {
  if (!config.REPORT_IDS) return idleFeeder;
  const callerOf = openAccountCallers(config, backend.tokenStore);
  // A lease is compared by several machines.
  const now = () => backend.jobQueue.nowMs();
  return openFeeder({
    ...parts,
    store: backend.batches,
    callerOf,
    log,
    now,
    isAlone: backend.mode === 'embedded',
  });
}

function openJobs(
  { config, backend, log, loadSheddingLimits }: ApiContext,
  reports: Reports,
  quotas: Quotas,
): { readonly jobs: Jobs; readonly loadShedding: LoadShedding } {
  const { jobQueue } = backend;
  const { remembered, reportStore } = reports;
  const holds = openHolds(config.RATE_LIMIT);
  const payments = openPayments(quotas);
  const pace = openPace({ queueSeconds: config.QUEUE_SECONDS, hostConcurrency: config.HOST_CONCURRENCY });
  const onDone = settleJobs({ log, remembered, holds, pace, payments });
  const paced: JobQueue = { ...jobQueue, submit: (job) => jobQueue.submit(job, pace.hostWaitingLimit(job)) };
  const waiting = openWaiting({ jobQueue: paced, reportStore, log, onDone });
  const loadShedding = openLoadShedding(loadSheddingLimits ?? usualLimits, () => waiting.waits());
  const jobs: Jobs = {
    asking: openAskParts(config, { remembered, reportStore, jobQueue, waiting }),
    jobQueue,
    runLimits: {
      payments,
      strikes: config.RATE_LIMIT ? backend.strikes : noStrikes,
      holds,
      shedLoad: (hasFew) => loadShedding.check(hasFew),
    },
    waits: openWaits(waitsOfCaller),
    waitSeconds: config.WAIT_SECONDS,
  };
  return { jobs, loadShedding };
}

type JobRecords = Pick<Reports, 'remembered'> &
  Pick<Jobs['runLimits'], 'holds' | 'payments'> & { readonly log: Logger; readonly pace: Pace };

// When a job ends, in this process or another, this one lets go of what it holds for it.
function settleJobs({ log, remembered, holds, pace, payments }: JobRecords): (done: Done | Missed) => void {
  return (done) => {
    if (done === 'missed') return remembered.clear();
    remembered.drop(done.jobKey);
    holds.release(done.jobKey);
    pace.observe(done);
    payments
      .settle(done)
      .catch((error: unknown) => log.error({ err: error, jobId: done.jobId }, 'could not refund scans'));
  };
}
