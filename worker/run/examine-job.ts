import { domainVisit } from '#shared/catalogue/domain-health/visit';
import type { Job } from '#shared/model/job';
import type { Report, ReportState } from '#shared/model/report';
import type { Contact } from '#shared/ports/access-record';
import type { Progress, RunJob, RunStart } from '#shared/ports/job-queue';
import type { Blob } from '#shared/ports/report-store';
import type { JobKeyOf } from '#shared/queue/job-keys';
import type { Logger } from '#shared/telemetry/logger';
import type { Check } from '../checks/check.ts';
import type { Jobs } from '../checks/jobs.ts';
import { ownerOf } from '../probes/budget.ts';
import { collectContacts } from '../probes/collect-contacts.ts';
import type { ProbeFactory } from '../probes/open.ts';
import { yieldToOthers } from '../probes/turns.ts';
import { examine, type ReportSettings } from './examine.ts';
import type { JobsTime } from './jobs.ts';
import type { EvidenceFile } from './judge.ts';
import { holdWhileAway, openRunClock } from './run-clock.ts';
import type { RunStore } from './run-store.ts';
import { type AskedQuestions, noteQuestions } from './trace-questions.ts';

export type ExaminerSettings = ReportSettings & {
  readonly reportStore: RunStore;
  readonly log: Logger;
  readonly probes: ProbeFactory;
  readonly findCheck: (name: string) => Promise<Check | undefined>;
  readonly jobKeyOf: JobKeyOf;
  /** The other jobs that a job may ask for. */
  readonly jobsOf: (job: Job, time: JobsTime) => Jobs;
  /** Visits a domain once for all its network checks. */
  readonly visit: (
    job: Job,
    settings: ExaminerSettings,
    running: Running,
  ) => Promise<{ readonly report: Report; readonly webHost: string }>;
  /** How long a job that waits for others may do so beside its own time. */
  readonly queueSeconds: number;
  /** @param seconds how long the run took; left out where it lost its worker, which alone knew. */
  readonly onDone: (check: string, state: ReportState, seconds?: number) => void;
};

/** A job's run that is under way. */
export type Running = {
  readonly start: Pick<RunStart, 'slot'>;
  readonly stop: AbortSignal;
  readonly progress: Parameters<RunJob>[3];
};

/** What a run has found: all that is to be stored and told of it. JSON, but for the bytes. */
export type RunOutcome = {
  readonly report: Report;
  /** To be kept before the report, so that its links lead somewhere from the first moment. */
  readonly blobs: readonly Blob[];
  /** For the log. */
  readonly told: { readonly state: ReportState; readonly [field: string]: string | number | null };
  /** What was sent where, for the record for complaints. */
  readonly contacts?: readonly Contact[];
  /** For the run's span, and spans below it; left out where nothing is traced. */
  readonly questions?: AskedQuestions;
};

/** Does the part of a job that touches its target: probes, gather, assess. Rejects when the worker stops, and for a defect. */
export type ExamineJob = (job: Job, running: Running) => Promise<RunOutcome>;

/** Opens what examines jobs in this process. */
export function openExaminer(settings: ExaminerSettings): ExamineJob {
  return async (job, running) => {
    await yieldToOthers();
    const collected = collectContacts(settings.probes);
    const noted = noteQuestions(collected.probes, job);
    const told = { ...settings, probes: noted.probes };
    const outcome =
      job.check === domainVisit.name
        ? await examineVisit(job, told, running)
        : await examineCheck(job, told, running);
    const questions = noted.asked();
    return { ...outcome, contacts: collected.contacts(), ...(questions ? { questions } : {}) };
  };
}

async function examineVisit(job: Job, settings: ExaminerSettings, running: Running): Promise<RunOutcome> {
  const { report, webHost } = await settings.visit(job, settings, running);
  return { report, blobs: [], told: { state: report.state, webHost } };
}

async function examineCheck(
  job: Job,
  settings: ExaminerSettings,
  { start, stop, progress }: Running,
): Promise<RunOutcome> {
  const check = await settings.findCheck(job.check);
  if (!check) throw new Error(`this worker knows no ${job.check}`);
  const clock = openRunClock({
    limitMs: job.runLimitMs,
    partsMs: job.runLimitMs * shareOfParts,
    heldMostMs: job.queue === 'composite' ? 1000 * settings.queueSeconds : pacedMostMs,
  });
  const { limit } = clock;
  const signal = AbortSignal.any([stop, limit]);
  const owner = { ...ownerOf(job), mostMs: () => clock.mostMs() };
  const probes = settings.probes.open(signal, owner, holdWhileAway(start.slot, clock));
  const jobs = settings.jobsOf(job, { clock, signal });
  const examination = {
    probes,
    jobs,
    progress: risingProgress((told) => {
      const reports = jobs.reportIds();
      progress(reports.length > 0 ? { ...told, reports } : told);
    }),
    limit,
    limitMs: job.runLimitMs,
    stop,
  };
  try {
    const { report, file } = await examine(check, job, examination, settings);
    const blobs = file ? picturesOf(check, file, Date.parse(report.expiresAt)) : [];
    return { report, blobs, told: { state: report.state, score: report.score } };
  } finally {
    clock.close();
    probes.close();
  }
}

/** Waits for the pace of hosts, which take none of a run's own time: all of them together, within the 15 s that its host's slot is leased for beyond its limit. */
const pacedMostMs = 10_000;

/** Of a composite job's own limit, what its parts may take; the rest is for judging and storing. */
const shareOfParts = 0.92;

function picturesOf(
  { picturesOf: pictures }: Check,
  { reportId, evidence }: EvidenceFile,
  expiresAt: number,
): readonly Blob[] {
  if (reportId === null) return [];
  return (pictures?.(evidence) ?? []).flatMap(({ kind, bytes }) =>
    bytes ? [{ name: { reportId, kind }, bytes, expiresAt }] : [],
  );
}

/**
 * Tells progress so that its share never falls. A run learns of questions while it asks, so that 119 of 126 may become 127 of 139: then as many are
 * told as done as keep the share.
 */
export function risingProgress(tell: (progress: Progress) => void): (progress: Progress) => void {
  let best = 0;
  return (progress) => {
    const total = Math.max(1, progress.total);
    const share = Math.min(1, progress.done / total);
    const done = share >= best ? progress.done : Math.min(total, Math.ceil(best * total));
    best = Math.max(best, Math.min(1, done / total));
    tell({ ...progress, done });
  };
}
