import { setTimeout as delay } from 'node:timers/promises';
import { domainVisit, failedVisit } from '#shared/catalogue/domain-health/visit';
import type { Job } from '#shared/model/job';
import { Problem } from '#shared/model/problem';
import type { Report, ReportState } from '#shared/model/report';
import { type GaveUp, NotBegun, type RunJob, type RunStart } from '#shared/ports/job-queue';
import type { ReportStore } from '#shared/ports/report-store';
import type { Span, Tracing } from '#shared/ports/tracing';
import type { Logger } from '#shared/telemetry/logger';
import { traceFields } from '#shared/telemetry/tracing/traceparent';
import { steadyNow } from '#shared/time/steady-time';
import type { Check } from '../checks/check.ts';
import type { ExamineJob } from './examine-job.ts';
import { type FailedReportSettings, failedReport } from './examine.ts';
import { TargetEndedRun } from './target-ended-run.ts';
import { tellQuestions } from './trace-questions.ts';
import { traceRun } from './trace-run.ts';

export type RunnerSettings = FailedReportSettings & {
  readonly reportStore: Pick<ReportStore, 'findFresh' | 'insert' | 'keepBlobs' | 'fault'>;
  readonly log: Logger;
  /** Here, or in a process apart. */
  readonly examineJob: ExamineJob;
  readonly findCheck: (name: string) => Promise<Check | undefined>;
  /** @param seconds how long the run took; left out where it lost its worker, which alone knew. */
  readonly onDone: (check: string, state: ReportState, seconds?: number) => void;
  readonly tracing?: Tracing | undefined;
};

type JobRun = {
  readonly start: RunStart;
  readonly stop: AbortSignal;
  readonly progress: Parameters<RunJob>[3];
  /** Told what came of it, where runs are traced. */
  readonly span?: Span;
};

export type Runner = {
  /** Looks in the store, has the job examined, stores the report. Returning means that a report for the job's key is stored. */
  readonly run: RunJob;
  readonly gaveUp: GaveUp;
};

/** Opens the runner of jobs. */
export function openRunner(settings: RunnerSettings): Runner {
  const { reportStore, log, tracing } = settings;
  return {
    run(job, start, stop, progress) {
      const running = { start, stop, progress };
      if (!tracing) return runJob(job, settings, running);
      return traceRun(tracing, { job, attempt: start.attempt }, (run) =>
        runJob(run.job, settings, { ...running, span: run.span }),
      );
    },
    async gaveUp(job, cause) {
      // The store was away, which says nothing of the target: the next GET starts the work again.
      const { jobId, check, host } = job;
      const about = { jobId, check, host, ...traceFields(job.trace) };
      if (cause instanceof Problem)
        return log.warn({ ...about, err: cause }, 'job failed after its last attempt');
      log.error({ ...about, err: cause }, 'job failed');
      settings.onDone(check, 'failed');
      const report = await failedOf(job, brokenOff, settings);
      if (!report) return;
      await reportStore.insert(report, job).catch((error: unknown) => {
        if (!(error instanceof Problem)) throw error;
        log.warn({ ...about, err: error }, 'could not store the failed report'); // the next GET starts the work again
      });
    },
  };
}

const brokenOff = 'The run was broken off before it could end.';

async function runJob(job: Job, settings: RunnerSettings, running: JobRun): Promise<'failed' | undefined> {
  const { reportStore, log } = settings;
  const { jobId, requestId, check, host } = job;
  const { attempt, mayBeStored } = running.start;
  const about = { jobId, requestId, check, host, attempt, ...traceFields(job.trace) };
  const known = mayBeStored ? await findStored(reportStore, job).catch(postponeWithoutStore) : undefined;
  // A re-run after a kill, or a GET that asked a moment too early: the work is done already.
  if (known) {
    log.info({ ...about, reportId: known.reportId }, 'job answered from the store');
    return undefined;
  }
  // A report that could not be kept is worth no visit to the target.
  const fault = reportStore.fault();
  if (fault) throw new NotBegun(fault);
  const start = performance.now();
  const { told, isOurs } = await examineAndStore(job, settings, running);
  const tookMs = Math.round((performance.now() - start) * 10) / 10;
  settings.onDone(check, told.state, tookMs / 1000);
  log.info({ ...about, ...told, tookMs }, 'job done');
  running.span?.set({ 'diag.report.state': told.state });
  return told.state === 'failed' && isOurs ? 'failed' : undefined;
}

type EndedReport = { readonly state: ReportState; readonly [field: string]: unknown };

/** @returns with `isOurs` false where the target itself ended the run: then the job counts as done, and its caller has used it */
async function examineAndStore(
  job: Job,
  settings: RunnerSettings,
  { start, stop, progress, span }: JobRun,
): Promise<{ readonly told: EndedReport; readonly isOurs: boolean }> {
  const { reportStore, examineJob, tracing } = settings;
  try {
    const { report, blobs, told, questions } = await examineJob(job, { start, stop, progress });
    if (questions && span && tracing) tellQuestions(tracing, span, questions);
    // Before the report, so that its links lead somewhere from the first moment.
    if (blobs.length > 0) await reportStore.keepBlobs(blobs);
    await insertPatiently(reportStore, report, job, stop);
    return { told, isOurs: true };
  } catch (error) {
    if (!(error instanceof TargetEndedRun)) throw error;
    const report = await failedOf(job, error.message, settings);
    if (!report) throw error;
    await insertPatiently(reportStore, report, job, stop);
    return { told: { state: 'failed', cause: error.how }, isOurs: false };
  }
}

function postponeWithoutStore(error: unknown): never {
  throw error instanceof Problem ? new NotBegun(error) : error;
}

async function findStored(
  reportStore: Pick<ReportStore, 'findFresh'>,
  { jobKey, wanted }: Job,
): Promise<{ readonly reportId: string } | undefined> {
  return (await reportStore.findFresh([{ jobKey, wanted }])).get(jobKey);
}

async function failedOf(job: Job, reason: string, settings: RunnerSettings): Promise<Report | undefined> {
  if (job.check === domainVisit.name) return failedVisit(job, settings.now());
  const check = await settings.findCheck(job.check);
  return check && failedReport(check, job, reason, settings);
}

/** A slot is leased for 15 s beyond the run limit; the store has most of that to come back: an election of its primary takes 12 s. */
const storePatienceMs = 13_000;
const storeRetryMs = 1000;

// Gathering has already asked the target. A store that is unavailable for a moment must not cause a second visit.
async function insertPatiently(
  reportStore: Pick<ReportStore, 'insert'>,
  report: Report,
  job: Job,
  stop: AbortSignal,
): Promise<void> {
  const until = steadyNow() + storePatienceMs;
  for (;;) {
    try {
      await reportStore.insert(report, job);
      return;
    } catch (error) {
      if (!(error instanceof Problem) || steadyNow() >= until || stop.aborted) throw error;
    }
    await delay(storeRetryMs);
  }
}
