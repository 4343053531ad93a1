import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Backend } from '../shared/backend.ts';
import type { Config } from '../shared/config.ts';
import { openJobKeys } from '../shared/job-keys.ts';
import type { QueueName, QueueWorker } from '../shared/job-queue/port.ts';
import type { Logger } from '../shared/logger.ts';
import type { Metrics } from '../shared/metrics.ts';
import { targetPolicyOf } from '../shared/policy.ts';
import { openWaiting } from '../shared/waiting/waiting.ts';
import { noJobs } from './checks/jobs.ts';
import { findCheck } from './checks/registry.ts';
import { openJobs } from './jobs.ts';
import { cruxBaseUrl } from './probes/browser/field.ts';
import { browserLimits } from './probes/browser/limits.ts';
import { dnsLimits } from './probes/dns/open.ts';
import { httpLimits } from './probes/http/open.ts';
import { type ProbeFactory, type ProbeSettings, prepareProbes } from './probes/open.ts';
import { tlsLimits } from './probes/tls/open.ts';
import { openRunner } from './run-job.ts';

/** The browser probe's settings, with production's limits. */
export function browserSettingsOf(config: Config): ProbeSettings['browser'] {
  return {
    browser: { path: config.BROWSER_PATH, folder: join(config.DATA_DIR, 'browser') },
    noSandbox: config.BROWSER_NO_SANDBOX !== undefined,
    limits: browserLimits,
    trustedAuthorities: [],
    field: config.CRUX_API_KEY === undefined ? undefined : { key: config.CRUX_API_KEY, baseUrl: cruxBaseUrl },
  };
}

/** The probes as the settings want them, with production's limits. */
export function prepareProbesOf(config: Config): ProbeFactory {
  return prepareProbes({
    policy: targetPolicyOf(config),
    portMap: config.TARGET_PORT_MAP,
    contactUrl: config.CONTACT_URL,
    connectTimeoutMs: 3000,
    socketsPerAddress: 8,
    dns: { servers: config.DNS_SERVERS, nameserverPort: config.NAMESERVER_PORT, ...dnsLimits },
    browser: browserSettingsOf(config),
    http: httpLimits,
    tls: tlsLimits,
  });
}

export type WorkerContext = {
  readonly config: Config;
  readonly backend: Pick<Backend, 'jobQueue' | 'reportStore'>;
  readonly log: Logger;
  readonly metrics?: Metrics;
};

/** Takes jobs from the queues that the settings name, until it is closed. */
export function openWorker({ config, backend, log, metrics }: WorkerContext): QueueWorker {
  const { jobQueue, reportStore } = backend;
  const probes = prepareProbesOf(config);
  const jobKeyOf = openJobKeys(config);
  // Every worker that touches the network also puts reports together: that touches nothing.
  const queues = config.WORKER_QUEUES.flatMap((name): QueueName[] =>
    name === 'network' ? ['network', 'composite'] : [name],
  );
  const waiting = openWaiting({ jobQueue, reportStore, log, onDone: () => undefined });
  const shared = { jobQueue, reportStore, waiting, jobKeyOf, publicPath: config.PUBLIC_URL ?? '' };
  const { run, gaveUp } = openRunner({
    reportStore,
    probes,
    jobKeyOf,
    jobsOf: (job, signal) =>
      job.queue === 'composite'
        ? openJobs({ ...shared, queueSeconds: config.QUEUE_SECONDS }, job, signal)
        : noJobs,
    findCheck,
    log,
    onDone: (check, state, seconds) => metrics?.checkDone(check, state, seconds),
    freshForS: config.FRESH_SECONDS,
    keepForS: config.REPORT_TTL_DAYS * 86_400,
    reportIds: config.REPORT_IDS,
    evidenceForS: config.EVIDENCE_HOURS * 3600,
  });
  const crews = queues.map((queue) => jobQueue.work(queue, concurrencyOf(queue, config), run, gaveUp));
  return {
    async close(graceMs) {
      await Promise.all(crews.map((crew) => crew.close(graceMs)));
      waiting.close();
      probes.close();
    },
  };
}

/** Jobs that only wait for others. */
const compositeConcurrency = 500;

// A page load keeps a core busy; a check waits for the network.
function concurrencyOf(queue: QueueName, { WORKER_CONCURRENCY }: Config): number {
  if (queue === 'composite') return compositeConcurrency;
  return queue === 'browser' ? Math.max(1, Math.floor(availableParallelism() / 2)) : WORKER_CONCURRENCY;
}
