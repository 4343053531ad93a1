import type { Backend } from '../shared/backend.ts';
import type { Config } from '../shared/config.ts';
import { type JobKeyOf, openJobKeys } from '../shared/job-keys.ts';
import type { Done, JobQueue, Missed } from '../shared/job-queue/port.ts';
import type { Logger } from '../shared/logger.ts';
import type { Metrics } from '../shared/metrics.ts';
import { targetPolicyOf } from '../shared/policy.ts';
import { openMemoryRateLimiter } from '../shared/rate-limiter/memory.ts';
import type { ReportStore } from '../shared/report-store/port.ts';
import type { TargetPolicy } from '../shared/target/parse-target.ts';
import { openWaiting, type Waiting } from '../shared/waiting/waiting.ts';
import { type Deprecation, deprecations } from './deprecations.ts';
import { type IsKnownHost, openHostCheck } from './front-door.ts';
import { type Holds, openHolds } from './limits/holds.ts';
import { openPace, type Pace } from './limits/pace.ts';
import { openPayments, type Payments } from './limits/payments.ts';
import { openQuotas, type Quotas } from './limits/quotas.ts';
import { openShed, type Shed, type ShedLimits } from './limits/shed.ts';
import { openWaits, type Waits } from './limits/waits.ts';
import { openLinks } from './links.ts';
import { openReportCache, type ReportCache } from './report-cache.ts';
import { openAskReader, type ReadAsk } from './request/ask.ts';
import { type Callers, openCallers } from './request/caller.ts';

export type ApiContext = {
  readonly config: Config;
  readonly backend: Pick<Backend, 'jobQueue' | 'reportStore' | 'rateLimiter' | 'tokenStore'>;
  readonly log: Logger;
  readonly metrics?: Metrics;
  /** Paths that will end; those of the service where left out. */
  readonly deprecations?: readonly Deprecation[];
  /** When requests are turned away; production's where left out. */
  readonly shedLimits?: ShedLimits;
};

/** Everything that answering a request takes, opened once for a process. */
export type Desk = {
  readonly log: Logger;
  readonly metrics: Metrics | undefined;
  readonly jobQueue: JobQueue;
  readonly reportStore: ReportStore;
  readonly reports: ReportCache;
  readonly waiting: Waiting;
  readonly quotas: Quotas;
  readonly payments: Payments;
  readonly holds: Holds;
  readonly waits: Waits;
  readonly shed: Shed;
  readonly callers: Callers;
  readonly readAsk: ReadAsk;
  /** Part of every job, for the worker that makes its key again. */
  readonly keyVersionOf: JobKeyOf['versionOf'];
  readonly waitSeconds: number | undefined;
  readonly queueSeconds: number;
  /** Prefix of every link we give: PUBLIC_URL, or "" for links relative to the host. */
  readonly publicPath: string;
  /** The Link field of a report: its own addresses, where reports have ids, and the API's description. */
  readonly linksOf: (reportId: string) => string;
  /** Off: no report can be asked for by its id. */
  readonly reportIds: boolean;
  readonly targetPolicy: TargetPolicy;
  readonly isKnownHost: IsKnownHost;
  readonly corsOrigins: readonly string[];
  /** No token is needed: anonymous answers may be kept by shared caches. */
  readonly isOpen: boolean;
  readonly deprecations: readonly Deprecation[];
  close(): void;
};

/** GETs of one caller that wait at once; the next is answered 202. */
const waitsOfCaller = 100;
const reportCacheBytes = 64 * 1024 * 1024;
const usualLimits: ShedLimits = { lagMs: 200, windowMs: 2000, waits: 10_000 };

/** Opens the desk. */
export function openDesk({ config, backend, log, metrics, ...more }: ApiContext): Desk {
  const { jobQueue, reportStore, rateLimiter, tokenStore } = backend;
  const linksOf = openLinks(config);
  const reports = openReportCache(reportCacheBytes, linksOf);
  const holds = openHolds(config.RATE_LIMIT);
  const quotas = openQuotas(openMemoryRateLimiter(), rateLimiter, config.RATE_LIMIT);
  const payments = openPayments(quotas);
  const pace = openPace({ queueSeconds: config.QUEUE_SECONDS, hostConcurrency: config.HOST_CONCURRENCY });
  const onDone = closeBooksOf({ log, reports, holds, pace, payments });
  const paced: JobQueue = { ...jobQueue, submit: (job) => jobQueue.submit(job, pace.lineLimit(job)) };
  const waiting = openWaiting({ jobQueue: paced, reportStore, log, onDone });
  const shed = openShed(more.shedLimits ?? usualLimits, () => waiting.waits());
  const targetPolicy = targetPolicyOf(config);
  const jobKeyOf = openJobKeys(config);
  return {
    log,
    metrics,
    jobQueue,
    reportStore,
    reports,
    waiting,
    quotas,
    payments,
    holds,
    waits: openWaits(waitsOfCaller),
    shed,
    callers: openCallers(config, tokenStore, log),
    readAsk: openAskReader(targetPolicy, jobKeyOf),
    keyVersionOf: jobKeyOf.versionOf,
    waitSeconds: config.WAIT_SECONDS,
    queueSeconds: config.QUEUE_SECONDS,
    publicPath: config.PUBLIC_URL ?? '',
    linksOf,
    reportIds: config.REPORT_IDS,
    targetPolicy,
    isKnownHost: openHostCheck(config),
    corsOrigins: config.CORS_ORIGINS ?? [],
    isOpen: config.AUTH_MODE === 'open',
    deprecations: more.deprecations ?? deprecations,
    close() {
      waiting.close();
      shed.close();
    },
  };
}

type Books = Pick<Desk, 'log' | 'reports' | 'holds' | 'payments'> & { readonly pace: Pace };

// What this process wrote down of a job is settled when it ends, whoever ran it and whoever waited.
function closeBooksOf({ log, reports, holds, pace, payments }: Books): (done: Done | Missed) => void {
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
