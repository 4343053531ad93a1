import type { Backend } from '../shared/backend.ts';
import type { Config } from '../shared/config.ts';
import type { QueueWorker } from '../shared/job-queue/port.ts';
import type { Logger } from '../shared/logger.ts';
import { targetPolicyOf } from '../shared/policy.ts';
import { findCheck } from './checks/registry.ts';
import { dnsLimits } from './probes/dns/open.ts';
import { httpLimits } from './probes/http/open.ts';
import { type ProbeFactory, prepareProbes } from './probes/open.ts';
import { tlsLimits } from './probes/tls/open.ts';
import { openRunner } from './run-job.ts';

/** The probes as the settings want them, with production's limits. */
export function prepareProbesOf(config: Config): ProbeFactory {
  return prepareProbes({
    policy: targetPolicyOf(config),
    portMap: config.TARGET_PORT_MAP,
    contactUrl: config.CONTACT_URL,
    connectTimeoutMs: 3000,
    socketsPerAddress: 8,
    dns: { servers: config.DNS_SERVERS, nameserverPort: config.NAMESERVER_PORT, ...dnsLimits },
    http: httpLimits,
    tls: tlsLimits,
  });
}

/** Takes jobs from the queue until it is closed. */
export function openWorker({
  config,
  backend,
  log,
}: {
  readonly config: Config;
  readonly backend: Backend;
  readonly log: Logger;
}): QueueWorker {
  const probes = prepareProbesOf(config);
  const { run, gaveUp } = openRunner({
    reportStore: backend.reportStore,
    probes,
    findCheck,
    log,
    freshForS: config.FRESH_SECONDS,
    keepForS: config.REPORT_TTL_DAYS * 86_400,
    reportIds: config.REPORT_IDS,
  });
  const crew = backend.jobQueue.work('network', config.WORKER_CONCURRENCY, run, gaveUp);
  return {
    async close(graceMs) {
      await crew.close(graceMs);
      probes.close();
    },
  };
}
