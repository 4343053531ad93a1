import type { Backend } from '../shared/backend.ts';
import type { Config } from '../shared/config.ts';
import { openJobKeys } from '../shared/job-keys.ts';
import type { Done, JobQueue, Missed } from '../shared/job-queue/port.ts';
import type { Logger } from '../shared/logger.ts';
import type { Metrics } from '../shared/metrics.ts';
import { targetPolicyOf } from '../shared/policy.ts';
import { openMemoryRateLimiter } from '../shared/rate-limiter/memory.ts';
import type { ReportStore } from '../shared/report-store/port.ts';
import type { TargetPolicy } from '../shared/target/parse-target.ts';
import { openWaiting, type Waiting } from '../shared/waiting/waiting.ts';
import { openAskReader, type ReadAsk } from './ask.ts';
import { type Callers, openCallers } from './caller.ts';
import { type Deprecation, deprecations } from './deprecations.ts';
import { type IsKnownHost, openHostCheck } from './front-door.ts';
import { type Holds, openHolds } from './holds.ts';
import { openLinks } from './links.ts';
import { makeOpenapi } from './openapi.ts';
import { openQuotas, type Quotas } from './quotas.ts';
import { openReportCache, type ReportCache } from './report-cache.ts';
import { prepareJson, type Representation } from './representation.ts';
import { openShed, type Shed, type ShedLimits } from './shed.ts';

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
  readonly holds: Holds;
  readonly shed: Shed;
  readonly callers: Callers;
  readonly readAsk: ReadAsk;
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
  /** The OpenAPI document of this service. */
  readonly openapi: () => Representation;
  close(): void;
};

const reportCacheBytes = 64 * 1024 * 1024;
const usualLimits: ShedLimits = { lagMs: 200, windowMs: 2000, waits: 10_000 };

/** Opens the desk. */
export function openDesk({ config, backend, log, metrics, ...more }: ApiContext): Desk {
  const { jobQueue, reportStore, rateLimiter, tokenStore } = backend;
  const linksOf = openLinks(config);
  const reports = openReportCache(reportCacheBytes, linksOf);
  const holds = openHolds(config.RATE_LIMIT);
  const onDone = (done: Done | Missed) => {
    if (done === 'missed') return reports.clear();
    const { jobKey } = done;
    reports.drop(jobKey);
    holds.release(jobKey);
  };
  const waiting = openWaiting({ jobQueue, reportStore, log, onDone });
  const shed = openShed(more.shedLimits ?? usualLimits, () => waiting.waits());
  const local = openMemoryRateLimiter();
  const targetPolicy = targetPolicyOf(config);
  const publicPath = config.PUBLIC_URL ?? '';
  const isOpen = config.AUTH_MODE === 'open';
  return {
    log,
    metrics,
    jobQueue,
    reportStore,
    reports,
    waiting,
    quotas: openQuotas(local, rateLimiter, config.RATE_LIMIT),
    holds,
    shed,
    callers: openCallers(config, tokenStore, log),
    readAsk: openAskReader(targetPolicy, openJobKeys(config)),
    waitSeconds: config.WAIT_SECONDS,
    queueSeconds: config.QUEUE_SECONDS,
    publicPath,
    linksOf,
    reportIds: config.REPORT_IDS,
    targetPolicy,
    isKnownHost: openHostCheck(config),
    corsOrigins: config.CORS_ORIGINS ?? [],
    isOpen,
    deprecations: more.deprecations ?? deprecations,
    openapi: prepareJson(() => makeOpenapi({ publicPath, isOpen })),
    close() {
      waiting.close();
      shed.close();
    },
  };
}
