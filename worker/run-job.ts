import { freshForOtherS } from '../shared/catalogue/spec.ts';
import type { GaveUp, Run } from '../shared/job-queue/port.ts';
import type { Logger } from '../shared/logger.ts';
import type { Job } from '../shared/model/job.ts';
import { Problem } from '../shared/model/problem.ts';
import {
  makeFailedReport,
  makeReport,
  type Report,
  type ReportFacts,
  type ReportState,
} from '../shared/model/report.ts';
import type { ReportStore } from '../shared/report-store/port.ts';
import type { Check } from './checks/check.ts';
import type { ProbeFactory } from './probes/open.ts';

export type RunnerSettings = {
  readonly reportStore: ReportStore;
  readonly probes: ProbeFactory;
  readonly findCheck: (name: string) => Check | undefined;
  readonly log: Logger;
  readonly onDone: (check: string, state: ReportState, seconds: number) => void;
  /** Replaces every check's own freshness; labs. */
  readonly freshForS: number | undefined;
  readonly keepForS: number;
  /** Off: reports carry no id and are kept only while they can be fresh. */
  readonly reportIds: boolean;
};

/** Makes the runner of jobs: probes, gather, assess, report, store. Returning means that a report for the job's key is stored. */
export function openRunner(settings: RunnerSettings): { readonly run: Run; readonly gaveUp: GaveUp } {
  const { reportStore, log } = settings;
  return {
    async run(job, attempt, signal, progress) {
      const found = await reportStore.findFresh([{ jobKey: job.jobKey, wanted: job.wanted }]);
      const known = found.get(job.jobKey);
      // A re-run after a kill, or a GET that asked a moment too early: the work is done already.
      if (known)
        return log.info(
          { jobId: job.jobId, check: job.check, host: job.host, attempt, reportId: known.reportId },
          'job answered from the store',
        );
      const start = performance.now();
      const report = await makeReportOf(job, settings, { signal, progress, start });
      await reportStore.insert(report, job);
      const tookMs = Math.round(performance.now() - start);
      settings.onDone(job.check, report.state, tookMs / 1000);
      log.info(
        {
          jobId: job.jobId,
          check: job.check,
          host: job.host,
          attempt,
          state: report.state,
          score: report.score,
          tookMs,
        },
        'job done',
      );
    },
    async gaveUp(job, cause) {
      log.error({ jobId: job.jobId, check: job.check, host: job.host, err: cause }, 'job failed');
      const check = settings.findCheck(job.check);
      if (!check) return;
      const facts = factsOf(job, check, settings, {
        state: 'failed',
        checkedAtMs: Date.now(),
        durationMs: 0,
      });
      const report = makeFailedReport(facts, 'The run was broken off before it could end.');
      await reportStore.insert(report, job).catch((error: unknown) => {
        if (!(error instanceof Problem)) throw error;
        log.warn({ jobId: job.jobId, err: error }, 'failed report not kept'); // the next GET starts the work again
      });
    },
  };
}

type Running = {
  readonly signal: AbortSignal;
  readonly progress: Parameters<Run>[3];
  readonly start: number;
};

async function makeReportOf(
  job: Job,
  settings: RunnerSettings,
  { signal, progress, start }: Running,
): Promise<Report> {
  const check = settings.findCheck(job.check);
  if (!check) throw new Error(`this worker knows no ${job.check}`);
  const limit = AbortSignal.timeout(job.runLimitMs);
  const probes = settings.probes.open(AbortSignal.any([signal, limit]));
  const seen = (state: ReportState) => ({
    state,
    checkedAtMs: Date.now(),
    durationMs: performance.now() - start,
  });
  try {
    const evidence = await check.gather({ target: job.target, options: job.options, probes, progress });
    const assessment = check.assess(evidence);
    return makeReport(factsOf(job, check, settings, seen(assessment.state)), assessment);
  } catch (error) {
    // Only our own limit makes a failed report here; a stopping worker gives the job back, a defect rises.
    if (!limit.aborted || signal.aborted) throw error;
    return makeFailedReport(
      factsOf(job, check, settings, seen('failed')),
      `The run hit its limit of ${job.runLimitMs / 1000} s.`,
    );
  } finally {
    probes.close();
  }
}

type Seen = { readonly state: ReportState; readonly checkedAtMs: number; readonly durationMs: number };

function factsOf(
  job: Job,
  { spec }: Check,
  settings: RunnerSettings,
  { state, checkedAtMs, durationMs }: Seen,
): ReportFacts {
  const freshForS = settings.freshForS ?? (state === 'complete' ? spec.freshForS : freshForOtherS[state]);
  return {
    check: job.check,
    target: { [spec.targetKind]: job.target },
    rules: spec.rules,
    rulesVersion: spec.rulesVersion,
    reportId: settings.reportIds ? job.reportId : undefined,
    checkedAtMs,
    durationMs,
    freshForS,
    keepForS: settings.reportIds ? settings.keepForS : freshForS,
  };
}
