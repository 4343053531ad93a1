import { zstdCompressSync } from 'node:zlib';
import type { JobKeyOf } from '../shared/job-keys.ts';
import type { GaveUp, Run } from '../shared/job-queue/port.ts';
import type { Logger } from '../shared/logger.ts';
import type { Job } from '../shared/model/job.ts';
import { Problem } from '../shared/model/problem.ts';
import type { Report, ReportState } from '../shared/model/report.ts';
import type { ReportStore } from '../shared/report-store/port.ts';
import type { Check } from './checks/check.ts';
import type { Jobs } from './checks/jobs.ts';
import { examine, failedReport, type ReportSettings } from './examine.ts';
import type { EvidenceFile } from './judge.ts';
import type { ProbeFactory } from './probes/open.ts';
import { failedVisit, runVisit } from './visit/run.ts';
import { domainVisit } from './visit/spec.ts';

export type RunnerSettings = ReportSettings & {
  readonly reportStore: ReportStore;
  readonly probes: ProbeFactory;
  readonly findCheck: (name: string) => Check | undefined;
  readonly jobKeyOf: JobKeyOf;
  /** The other jobs that a job may ask for. */
  readonly jobsOf: (job: Job, signal: AbortSignal) => Jobs;
  readonly log: Logger;
  readonly onDone: (check: string, state: ReportState, seconds: number) => void;
  /** How long the evidence of a report is kept for the operator; 0 keeps none. */
  readonly evidenceForS: number;
};

type Running = { readonly stop: AbortSignal; readonly progress: Parameters<Run>[3] };

/** Evidence larger than this is not kept. */
const evidenceLimitBytes = 262_144;

/** Makes the runner of jobs: probes, gather, assess, report, store. Returning means that a report for the job's key is stored. */
export function openRunner(settings: RunnerSettings): { readonly run: Run; readonly gaveUp: GaveUp } {
  const { reportStore, log } = settings;
  return {
    async run(job, attempt, stop, progress) {
      const found = await reportStore.findFresh([{ jobKey: job.jobKey, wanted: job.wanted }]);
      const known = found.get(job.jobKey);
      const about = { jobId: job.jobId, check: job.check, host: job.host, attempt };
      // A re-run after a kill, or a GET that asked a moment too early: the work is done already.
      if (known) return log.info({ ...about, reportId: known.reportId }, 'job answered from the store');
      const start = performance.now();
      const told =
        job.check === domainVisit.name
          ? await runVisit(job, settings, { stop, progress })
          : await runCheck(job, settings, { stop, progress });
      const tookMs = Math.round(performance.now() - start);
      settings.onDone(job.check, told.state, tookMs / 1000);
      log.info({ ...about, ...told, tookMs }, 'job done');
    },
    async gaveUp(job, cause) {
      log.error({ jobId: job.jobId, check: job.check, host: job.host, err: cause }, 'job failed');
      const report = failedOf(job, settings);
      if (!report) return;
      await reportStore.insert(report, job).catch((error: unknown) => {
        if (!(error instanceof Problem)) throw error;
        log.warn({ jobId: job.jobId, err: error }, 'failed report not kept'); // the next GET starts the work again
      });
    },
  };
}

function failedOf(job: Job, settings: RunnerSettings): Report | undefined {
  if (job.check === domainVisit.name) return failedVisit(job);
  const check = settings.findCheck(job.check);
  return check && failedReport(check, job, 'The run was broken off before it could end.', settings);
}

async function runCheck(job: Job, settings: RunnerSettings, { stop, progress }: Running) {
  const check = settings.findCheck(job.check);
  if (!check) throw new Error(`this worker knows no ${job.check}`);
  const limit = AbortSignal.timeout(job.runLimitMs);
  const signal = AbortSignal.any([stop, limit]);
  const probes = settings.probes.open(signal);
  const jobs = settings.jobsOf(job, signal);
  const examination = { probes, jobs, progress, limit, limitMs: job.runLimitMs, stop };
  try {
    const { report, file } = await examine(check, job, examination, settings);
    if (file) await keepPictures(check, file, Date.parse(report.expiresAt), settings);
    await settings.reportStore.insert(report, job);
    if (file) await keepEvidence(settings, file);
    return { state: report.state, score: report.score };
  } finally {
    probes.close();
  }
}

// Before the report, so that its link leads somewhere from the first moment.
async function keepPictures(
  { screenshotOf }: Check,
  { reportId, evidence }: EvidenceFile,
  expiresAt: number,
  { reportStore }: RunnerSettings,
): Promise<void> {
  const picture = screenshotOf?.(evidence);
  if (picture && reportId !== null)
    await reportStore.keepBlob({ reportId, kind: 'screenshot' }, picture.bytes, expiresAt);
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
