import { openAskParts, questionsOf } from '#shared/ask/open';
import { rememberNone } from '#shared/ask/reports';
import type { CheckSpec } from '#shared/catalogue/spec';
import type { Backend } from '#shared/lifecycle/backend';
import { openLeasedPace } from '#shared/limits/pace/leased';
import { measurePace } from '#shared/limits/pace/measured';
import { noPace } from '#shared/limits/pace/memory';
import { noStrikes } from '#shared/limits/strikes/memory';
import type { Pace } from '#shared/ports/pace';
import { openJobKeys } from '#shared/queue/job-keys';
import { openWaiting } from '#shared/queue/waiting/waiting';
import type { Config } from '#shared/settings/config';
import { isOffered } from '#shared/settings/offered';
import type { Logger } from '#shared/telemetry/logger';
import type { Metrics } from '#shared/telemetry/metrics';
import { openPlaces } from '#shared/time/places';
import { noJobs } from '../checks/jobs.ts';
import type { ProbeFactory } from '../probes/open.ts';
import type { PortState } from '../probes/smtp/port.ts';
import type { VantageMemory } from '../probes/vantage/memory.ts';
import { type ExamineJob, type ExaminerSettings, openExaminer } from '../run/examine-job.ts';
import { type JobsSettings, openJobs } from '../run/jobs.ts';
import { openJudging } from '../run/judge-aside.ts';
import { openEvidenceKeeper, openEvidenceWriter } from '../run/keep-evidence.ts';
import { openTalkStore } from '../run/keep-talks.ts';
import { openSupervisor } from '../supervise/supervisor.ts';
import { freezeLimits } from '../supervise/watch-freeze.ts';
import { runVisit } from '../visit/run.ts';
import { findCheckOf } from './find-check.ts';
import { reportSettingsOf } from './report-settings.ts';

type ExaminersContext = {
  readonly config: Config;
  readonly backend: Pick<Backend, 'jobQueue' | 'reportStore' | 'pace' | 'strikes'>;
  readonly log: Logger;
  readonly metrics?: Metrics | undefined;
  readonly isApart?: boolean;
  /** Hears whether port 25 is open, each time that a run had to look. */
  readonly onMailPort: (state: PortState) => void;
  /** Hears what is known of this machine's network. */
  readonly onVantage: (memory: VantageMemory) => void;
};

/** What examines the jobs of a worker. */
type Examiners = {
  readonly examineJob: ExamineJob;
  readonly ready: Promise<void>;
  close(): Promise<void>;
};

/**
 * Opens them: jobs that touch a target go to the runner process, where there is one. A composite job stays here: it asks queue and
 * store, and reads nothing but the reports that they give.
 */
export function openExaminers(context: ExaminersContext): Examiners {
  const here = openHere(context);
  if (context.isApart !== true) return { ...here, ready: Promise.resolve() };
  const apart = openApart(context);
  return {
    ready: apart.ready,
    examineJob: (job, running) => (job.queue === 'composite' ? here : apart).examineJob(job, running),
    async close() {
      await apart.close();
      await here.close();
    },
  };
}

function openHere(context: ExaminersContext): Omit<Examiners, 'ready'> {
  const { config, backend, log, metrics } = context;
  const { jobQueue, reportStore } = backend;
  const shared = { reportStore, jobKeyOf: openJobKeys(config), log, publicPath: config.PUBLIC_URL ?? '' };
  const waiting = openWaiting({ jobQueue, reportStore, log, onDone: () => undefined });
  const judging = openJudging(config.HSTS_PRELOAD_FILE);
  const evidence = openEvidenceKeeper({ reportStore, log, evidenceForS: config.EVIDENCE_HOURS * 3600 });
  const probes = openProbes(context);
  const visits = openPlaces(Math.max(1, Math.floor(config.WORKER_CONCURRENCY / 2)));
  const jobsSettings: JobsSettings = {
    asking: openAskParts(config, { remembered: rememberNone, reportStore, jobQueue, waiting }),
    questions: questionsOf(config),
    visits,
    publicPath: shared.publicPath,
    isOffered: (spec: CheckSpec) => isOffered(config, spec),
  };
  // A setting that it cannot read ends the start.
  const findCheck = findCheckOf(config);
  const jobsOf: ExaminerSettings['jobsOf'] = (job, time) =>
    job.queue === 'composite' ? openJobs(jobsSettings, job, time) : noJobs;
  const examining = probes.opened.then((factory) =>
    openExaminer({
      visit: runVisit,
      ...shared,
      ...reportSettingsOf(config, () => jobQueue.nowMs()),
      evidence,
      judging,
      probes: factory,
      findCheck,
      jobsOf,
      queueSeconds: config.QUEUE_SECONDS,
      onDone: (check, state, seconds) => metrics?.checkDone(check, state, seconds),
    }),
  );
  return {
    examineJob: async (job, running) => (await examining)(job, running),
    async close() {
      await evidence.close();
      await judging.close();
      waiting.close();
      await probes.close();
    },
  };
}

/** The probes of runs in this process. Where these are in a process apart, their code is not even loaded. */
function openProbes(context: ExaminersContext) {
  const pace = context.isApart === true ? noPace : paceOf(context);
  const opened =
    context.isApart === true
      ? Promise.resolve(noProbes)
      : import('./probe-settings.ts').then(({ prepareProbesOf }) =>
          prepareProbesOf(context.config, pace, {
            store: openTalkStore(context.backend.reportStore),
            tellPort: context.onMailPort,
          }),
        );
  return {
    opened,
    async close() {
      (await opened).close();
      await pace.close();
    },
  };
}

function openApart(context: ExaminersContext): Examiners {
  const { config, backend, log, metrics } = context;
  const { reportStore, jobQueue } = backend;
  const strikes = config.RATE_LIMIT ? backend.strikes : noStrikes;
  const writer = openEvidenceWriter({ reportStore, log });
  const supervisor = openSupervisor({
    log,
    pace: backend.pace,
    onPaced: (charge, seconds) => metrics?.paceWaited(charge, seconds),
    onMailPort: context.onMailPort,
    onVantage: context.onVantage,
    reportStore,
    keepEvidence: writer.begin,
    onDone: (check, state, seconds) => metrics?.checkDone(check, state, seconds),
    now: () => jobQueue.nowMs(),
    limits: freezeLimits,
    onEnded: (cause) => metrics?.runnerEnded(cause),
    onPoison: (job) => strikes.add(job),
    isRefused: async (job) => (await strikes.look(job)) !== undefined,
  });
  return {
    ...supervisor,
    async close() {
      await supervisor.close();
      await writer.close();
    },
  };
}

function paceOf({ backend, metrics }: ExaminersContext): Pace {
  const pace = openLeasedPace(backend.pace);
  return metrics ? measurePace(pace, (charge, seconds) => metrics.paceWaited(charge, seconds)) : pace;
}

/** For a process that touches no target. */
const noProbes: ProbeFactory = {
  open: () => ({
    policy: { addresses: { allow: [], deny: [] }, allowedSuffixes: [], ports: [] },
    http: { ask: refuse },
    dns: { originZones: undefined, ask: refuse },
    tls: { addresses: refuse, handshake: refuse, exchange: refuse, connections: () => 0 },
    udp: { exchange: refuse },
    rdap: { canAsk: () => false, ask: refuse },
    browser: { run: refuse, askField: refuse },
    work: { take: refuse },
    sendVerified: refuse,
    spent: () => [],
    missing: () => [],
    untried: () => [],
    clock: () => null,
    close: () => undefined,
  }),
  close: () => undefined,
};

function refuse(): Promise<never> {
  return Promise.reject(new Error('this process touches no target'));
}
