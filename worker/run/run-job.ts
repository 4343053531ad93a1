import { setTimeout as delay } from 'node:timers/promises';
import type { JobKeyOf } from '#shared/job-keys';
import type { GaveUp, Run, RunStart } from '#shared/job-queue/port';
import type { Job } from '#shared/model/job';
import { Problem } from '#shared/model/problem';
import type { Report, ReportState } from '#shared/model/report';
import type { ReportStore } from '#shared/report-store/port';
import type { Span, Tracing } from '#shared/tracing/port';
import { traceFields } from '#shared/tracing/traceparent';
import type { Check } from '../checks/check.ts';
import type { Jobs } from '../checks/jobs.ts';
import { ownerOf } from '../probes/budget.ts';
import type { ProbeFactory } from '../probes/open.ts';
import { takeTurn } from '../probes/turns.ts';
import { failedVisit, runVisit } from '../visit/run.ts';
import { domainVisit } from '../visit/spec.ts';
import { examine, failedReport, type ReportSettings } from './examine.ts';
import type { JobsTime } from './jobs.ts';
import type { EvidenceFile } from './judge.ts';
import { type EvidenceKeeper, type EvidenceSettings, openEvidenceKeeper } from './keep-evidence.ts';
import { openRunClock } from './run-clock.ts';
import { traceRun } from './trace-run.ts';

export type RunnerSettings = Omit<ReportSettings, 'evidence'> &
  EvidenceSettings & {
    readonly reportStore: ReportStore;
    readonly probes: ProbeFactory;
    readonly findCheck: (name: string) => Promise<Check | undefined>;
    readonly jobKeyOf: JobKeyOf;
    /** The other jobs that a job may ask for. */
    readonly jobsOf: (job: Job, time: JobsTime) => Jobs;
    /** How long a job that waits for others may do so beside its own time. */
    readonly queueSeconds: number;
    /** @param seconds how long the run took; left out where it lost its worker, which alone knew. */
    readonly onDone: (check: string, state: ReportState, seconds?: number) => void;
    readonly tracing?: Tracing | undefined;
  };

type Running = {
  readonly start: RunStart;
  readonly stop: AbortSignal;
  readonly progress: Parameters<Run>[3];
  /** Told what came of it, where runs are traced. */
  readonly span?: Span;
};
type Settings = RunnerSettings & { readonly evidence: EvidenceKeeper };

export type Runner = {
  /** Probes, gather, assess, report, store. Returning means that a report for the job's key is stored. */
  readonly run: Run;
  readonly gaveUp: GaveUp;
  /** Writes what is left to be written; call it when no job runs any more. */
  close(): Promise<void>;
};

/** Opens the runner of jobs. */
export function openRunner(runnerSettings: RunnerSettings): Runner {
  const { reportStore, log, tracing } = runnerSettings;
  const evidence = openEvidenceKeeper(runnerSettings);
  const settings = { ...runnerSettings, evidence };
  return {
    close: () => evidence.close(),
    run(job, start, stop, progress) {
      const running = { start, stop, progress };
      if (!tracing) return runJob(job, settings, running);
      return traceRun(tracing, { job, attempt: start.attempt, probes: settings.probes }, (run) =>
        runJob(run.job, { ...settings, probes: run.probes }, { ...running, span: run.span }),
      );
    },
    async gaveUp(job, cause) {
      // The store was away, which says nothing of the target: the next GET starts the work again.
      const about = { jobId: job.jobId, ...traceFields(job.trace) };
      if (cause instanceof Problem) return log.warn({ ...about, err: cause }, 'job given up');
      log.error({ ...about, check: job.check, host: job.host, err: cause }, 'job failed');
      settings.onDone(job.check, 'failed');
      const report = await failedOf(job, settings);
      if (!report) return;
      await reportStore.insert(report, job).catch((error: unknown) => {
        if (!(error instanceof Problem)) throw error;
        log.warn({ jobId: job.jobId, err: error }, 'failed report not kept'); // the next GET starts the work again
      });
    },
  };
}

async function runJob(job: Job, settings: Settings, running: Running): Promise<'failed' | undefined> {
  const { reportStore, log } = settings;
  const { jobId, requestId, check, host } = job;
  const { attempt, mayBeStored } = running.start;
  const about = { jobId, requestId, check, host, attempt, ...traceFields(job.trace) };
  const known = mayBeStored ? await findStored(reportStore, job) : undefined;
  // A re-run after a kill, or a GET that asked a moment too early: the work is done already.
  if (known) {
    log.info({ ...about, reportId: known.reportId }, 'job answered from the store');
    return undefined;
  }
  // Waiting jobs whose reports could not be kept are given up without a visit to the target.
  const fault = reportStore.fault();
  if (fault) throw fault;
  await takeTurn();
  const start = performance.now();
  const told =
    check === domainVisit.name
      ? await runVisit(job, settings, running)
      : await runCheck(job, settings, running);
  const tookMs = Math.round((performance.now() - start) * 10) / 10;
  settings.onDone(check, told.state, tookMs / 1000);
  log.info({ ...about, ...told, tookMs }, 'job done');
  running.span?.set({ 'diag.report.state': told.state });
  return told.state === 'failed' ? 'failed' : undefined;
}

async function findStored(reportStore: ReportStore, { jobKey, wanted }: Job) {
  return (await reportStore.findFresh([{ jobKey, wanted }])).get(jobKey);
}

async function failedOf(job: Job, settings: Settings): Promise<Report | undefined> {
  if (job.check === domainVisit.name) return failedVisit(job, settings.now());
  const check = await settings.findCheck(job.check);
  return check && failedReport(check, job, 'The run was broken off before it could end.', settings);
}

async function runCheck(job: Job, settings: Settings, { start, stop, progress }: Running) {
  const check = await settings.findCheck(job.check);
  if (!check) throw new Error(`this worker knows no ${job.check}`);
  const clock = openRunClock({
    limitMs: job.runLimitMs,
    partsMs: job.runLimitMs * shareOfParts,
    heldMostMs: 1000 * settings.queueSeconds,
  });
  const { limit } = clock;
  const signal = AbortSignal.any([stop, limit]);
  const probes = settings.probes.open(signal, ownerOf(job), start.slot);
  const jobs = settings.jobsOf(job, { clock, signal });
  const examination = { probes, jobs, progress, limit, limitMs: job.runLimitMs, stop };
  try {
    const { report, file } = await examine(check, job, examination, settings);
    if (file) await keepPictures(check, file, Date.parse(report.expiresAt), settings);
    await insertPatiently(settings.reportStore, report, job, stop);
    return { state: report.state, score: report.score };
  } finally {
    clock.close();
    probes.close();
  }
}

/** Of a composite job's own limit, what its parts may take; the rest is for judging and storing. */
const shareOfParts = 0.92;

// Before the report, so that its link leads somewhere from the first moment.
async function keepPictures(
  { picturesOf }: Check,
  { reportId, evidence }: EvidenceFile,
  expiresAt: number,
  { reportStore }: RunnerSettings,
): Promise<void> {
  if (reportId === null) return;
  const blobs = (picturesOf?.(evidence) ?? []).flatMap(({ kind, bytes }) =>
    bytes ? [{ name: { reportId, kind }, bytes, expiresAt }] : [],
  );
  if (blobs.length > 0) await reportStore.keepBlobs(blobs);
}

/** A slot is leased for 15 s beyond the run limit; the store has most of that to come back. */
const storeTries = 6;
const storeRetryMs = 1000;

// Gathering has already asked the target. A store that is unavailable for a moment must not cause a second visit.
async function insertPatiently(
  reportStore: ReportStore,
  report: Report,
  job: Job,
  stop: AbortSignal,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await reportStore.insert(report, job);
      return;
    } catch (error) {
      if (!(error instanceof Problem) || tries === storeTries || stop.aborted) throw error;
    }
    await delay(storeRetryMs);
  }
}
