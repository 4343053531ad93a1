import { zstdCompressSync } from 'node:zlib';
import type { GaveUp, Run } from '../shared/job-queue/port.ts';
import type { Logger } from '../shared/logger.ts';
import type { Job } from '../shared/model/job.ts';
import { Problem } from '../shared/model/problem.ts';
import { makeFailedReport, type Report, type ReportState } from '../shared/model/report.ts';
import type { ReportStore } from '../shared/report-store/port.ts';
import type { Check } from './checks/check.ts';
import { type EvidenceFile, factsOf, judge } from './judge.ts';
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
  /** How long the evidence of a report is kept for the operator; 0 keeps none. */
  readonly evidenceForS: number;
};

/** Evidence larger than this is not kept. */
const evidenceLimitBytes = 262_144;

/** Makes the runner of jobs: probes, gather, assess, report, store. Returning means that a report for the job's key is stored. */
export function openRunner(settings: RunnerSettings): { readonly run: Run; readonly gaveUp: GaveUp } {
  const { reportStore, log } = settings;
  return {
    async run(job, attempt, signal, progress) {
      const found = await reportStore.findFresh([{ jobKey: job.jobKey, wanted: job.wanted }]);
      const known = found.get(job.jobKey);
      const about = { jobId: job.jobId, check: job.check, host: job.host, attempt };
      // A re-run after a kill, or a GET that asked a moment too early: the work is done already.
      if (known) return log.info({ ...about, reportId: known.reportId }, 'job answered from the store');
      const start = performance.now();
      const { report, file } = await makeReportOf(job, settings, { signal, progress, start });
      await reportStore.insert(report, job);
      const tookMs = Math.round(performance.now() - start);
      settings.onDone(job.check, report.state, tookMs / 1000);
      log.info({ ...about, state: report.state, score: report.score, tookMs }, 'job done');
      if (file) await keepEvidence(settings, file);
    },
    async gaveUp(job, cause) {
      log.error({ jobId: job.jobId, check: job.check, host: job.host, err: cause }, 'job failed');
      const check = settings.findCheck(job.check);
      if (!check) return;
      const facts = factsOf(check, fileOf(job, settings, 0), 'failed');
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
): Promise<{ report: Report; file?: EvidenceFile }> {
  const check = settings.findCheck(job.check);
  if (!check) throw new Error(`this worker knows no ${job.check}`);
  const limit = AbortSignal.timeout(job.runLimitMs);
  const probes = settings.probes.open(AbortSignal.any([signal, limit]));
  try {
    const evidence = await check.gather({ target: job.target, options: job.options, probes, progress });
    const file: EvidenceFile = { ...fileOf(job, settings, performance.now() - start), evidence };
    return { report: judge(check, file), file };
  } catch (error) {
    // Only our own limit makes a failed report here; a stopping worker gives the job back, a defect rises.
    if (!limit.aborted || signal.aborted) throw error;
    const facts = factsOf(check, fileOf(job, settings, performance.now() - start), 'failed');
    return { report: makeFailedReport(facts, `The run hit its limit of ${job.runLimitMs / 1000} s.`) };
  } finally {
    probes.close();
  }
}

function fileOf(
  { check, target, options, reportId }: Job,
  settings: RunnerSettings,
  durationMs: number,
): Omit<EvidenceFile, 'evidence'> {
  return {
    v: 1,
    check,
    target,
    options,
    reportId: settings.reportIds ? reportId : null,
    checkedAtMs: Date.now(),
    durationMs: Math.round(durationMs),
    freshForS: settings.freshForS ?? null,
    keepForS: settings.reportIds ? settings.keepForS : null,
  };
}

// For the operator alone, who may want to judge it again; a store that is away at this moment costs nobody an answer.
async function keepEvidence(
  { reportStore, evidenceForS, log }: RunnerSettings,
  file: EvidenceFile,
): Promise<void> {
  if (evidenceForS === 0 || file.reportId === null) return;
  const bytes = zstdCompressSync(JSON.stringify(file));
  if (bytes.length > evidenceLimitBytes) return;
  await reportStore
    .keepBlob({ reportId: file.reportId, kind: 'evidence' }, bytes, Date.now() + evidenceForS * 1000)
    .catch((error: unknown) => {
      if (!(error instanceof Problem)) throw error;
      log.debug({ err: error }, 'evidence not kept');
    });
}
