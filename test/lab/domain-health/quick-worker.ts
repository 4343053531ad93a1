import { openAskParts } from '#shared/ask/open';
import { openQuestions } from '#shared/ask/question';
import { rememberNone } from '#shared/ask/reports';
import type { Backend } from '#shared/lifecycle/backend';
import { noPace } from '#shared/limits/pace/memory';
import type { RunJob } from '#shared/ports/job-queue';
import { openJobKeys } from '#shared/queue/job-keys';
import { openWaiting } from '#shared/queue/waiting/waiting';
import type { Config } from '#shared/settings/config';
import { targetPolicyOf } from '#shared/settings/policy';
import type { Logger } from '#shared/telemetry/logger';
import { openPlaces } from '#shared/time/places';
import { dnsLimits } from '../../../worker/probes/dns/open.ts';
import { httpLimits } from '../../../worker/probes/http/settings.ts';
import { prepareProbes } from '../../../worker/probes/open.ts';
import { tlsLimits } from '../../../worker/probes/tls/open.ts';
import { openExaminer } from '../../../worker/run/examine-job.ts';
import { openJobs } from '../../../worker/run/jobs.ts';
import { openJudging } from '../../../worker/run/judge-aside.ts';
import { openEvidenceKeeper } from '../../../worker/run/keep-evidence.ts';
import { openRunner } from '../../../worker/run/run-job.ts';
import { browserSettingsOf } from '../../../worker/start/browser-settings.ts';
// Loaded with the first request: seconds on a busy machine, where the limits of these tests are short.
import '../../../worker/probes/http/send.ts';
import { findCheckOf } from '../../../worker/start/find-check.ts';
import { runVisit } from '../../../worker/visit/run.ts';

const tenth = (ms: number) => ms / 10;
const tenths = (tries: readonly number[]) => tries.map(tenth);
const silence: Logger = { error() {}, warn() {}, info() {}, debug() {} };

/** What a whole domain-health may take here; in production 50 s. */
const wholeMs = 3000;

/** The network worker as production has it, but that every limit which is an argument of its making is a tenth as long, and the whole has 3 s. */
export function openQuickWorker(config: Config, { jobQueue, reportStore }: Backend, log = silence) {
  const probes = prepareProbes({
    pace: noPace,
    policy: targetPolicyOf(config),
    portMap: config.TARGET_PORT_MAP,
    contactUrl: undefined,
    connectTimeoutMs: 300,
    socketsPerAddress: 8,
    dns: {
      servers: config.DNS_SERVERS,
      nameserverPort: config.NAMESERVER_PORT,
      resolverTries: tenths(dnsLimits.resolverTries),
      nameserverTries: tenths(dnsLimits.nameserverTries),
      tcpTimeoutMs: tenth(dnsLimits.tcpTimeoutMs),
      cacheForS: dnsLimits.cacheForS,
    },
    browser: browserSettingsOf(config),
    http: {
      ...httpLimits,
      tlsMs: tenth(httpLimits.tlsMs),
      responseMs: tenth(httpLimits.responseMs),
      requestMs: tenth(httpLimits.requestMs),
    },
    tls: { ...tlsLimits, handshakeMs: tenth(tlsLimits.handshakeMs), lingerMs: tenth(tlsLimits.lingerMs) },
  });
  const jobKeyOf = openJobKeys(config);
  const waiting = openWaiting({ jobQueue, reportStore, log, onDone: () => undefined });
  const shared = { reportStore, jobKeyOf, publicPath: '' };
  const jobsSettings = {
    asking: openAskParts(config, { remembered: rememberNone, reportStore, jobQueue, waiting }),
    questions: openQuestions(targetPolicyOf(config), shared.jobKeyOf, () => true),
    visits: openPlaces(25),
    publicPath: shared.publicPath,
    isOffered: () => false,
  };
  const settings = {
    ...shared,
    findCheck: findCheckOf(config),
    log,
    now: () => Date.now(),
    onDone: () => undefined,
    freshForS: config.FRESH_SECONDS,
    keepForS: 3600,
    reportIds: true,
  };
  const examineJob = openExaminer({
    visit: runVisit,
    ...settings,
    judging: openJudging(undefined),
    evidence: openEvidenceKeeper({ reportStore, log, evidenceForS: 0 }),
    probes,
    jobsOf: (job, time) => openJobs(jobsSettings, job, time),
    queueSeconds: 60,
  });
  const { run, gaveUp } = openRunner({ ...settings, examineJob });
  const runShort: RunJob = (job, ...more) =>
    run(job.queue === 'composite' ? { ...job, runLimitMs: wholeMs } : job, ...more);
  const crews = (['network', 'composite'] as const).map((queue) =>
    jobQueue.work(queue, 50, runShort, gaveUp),
  );
  return {
    async close() {
      await Promise.all(crews.map((crew) => crew.close(0)));
      waiting.close();
      probes.close();
    },
  };
}
